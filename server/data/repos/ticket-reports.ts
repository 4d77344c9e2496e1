import { alongIndex, type Raw } from '#server/data/raw.ts';
import type { ReportKey, Span, TicketFigures, TicketReportsRepo } from '#server/modules/tickets/reports-ports.ts';

const KEYS: Readonly<Record<ReportKey, string>> = {
  all: "''",
  department: 'department_id',
  assignee: "COALESCE(assignee_id, '')",
};
/** Where the names of keys are. */
const NAMES: Readonly<Record<ReportKey, string | null>> = {
  all: null,
  department: 'SELECT id, name FROM departments',
  assignee: 'SELECT id, username AS name FROM users',
};

type Row = Record<string, string | number | null> & { readonly key: string };

/** Figures of tickets, each along the index of when it happened. */
export function createTicketReportsRepo(raw: Raw): TicketReportsRepo {
  const within = (column: 'created_ms' | 'closed_ms' | 'rated_ms', index: string): string =>
    `FROM tickets${alongIndex(raw, index)} WHERE ${column} IS NOT NULL AND ${column} >= ? AND ${column} < ?
     AND merged_into IS NULL`;
  const opened = within('created_ms', 'tickets_by_created');
  const closed = within('closed_ms', 'tickets_by_closed');
  const rated = within('rated_ms', 'tickets_by_rated');
  const ask = (sql: string, { fromMs, toMs }: Span): Promise<Row[]> => raw.all<Row>(sql, [fromMs, toMs]);
  /** The middle of some times, by key. */
  const middle = (key: string, time: string, from: string): string =>
    `SELECT key, ms FROM (
       SELECT key, ms, ROW_NUMBER() OVER (PARTITION BY key ORDER BY ms) AS n, COUNT(*) OVER (PARTITION BY key) AS c
       FROM (SELECT ${key} AS key, ${time} AS ms ${from}) AS timed WHERE ms IS NOT NULL
     ) AS ranked WHERE n = (c + 1) / 2`;
  return {
    async figures(span, by) {
      const key = KEYS[by];
      const parts = [
        await ask(
          `SELECT ${key} AS key, COUNT(*) AS opened, COUNT(first_answer_ms) AS answered ${opened} GROUP BY 1`,
          span,
        ),
        await ask(`SELECT ${key} AS key, COUNT(*) AS resolved ${closed} GROUP BY 1`, span),
        await ask(
          `SELECT ${key} AS key, COUNT(*) AS rated,
             CAST(SUM(CASE WHEN rating >= 4 THEN 1 ELSE 0 END) AS BIGINT) AS satisfied ${rated} GROUP BY 1`,
          span,
        ),
        toColumn('answer_ms', await ask(middle(key, 'first_answer_ms - created_ms', opened), span)),
        toColumn('resolve_ms', await ask(middle(key, 'closed_ms - created_ms', closed), span)),
      ];
      const merged = new Map<string, Row>(by === 'all' ? [['', { key: '' }]] : []);
      for (const row of parts.flat()) merged.set(row.key, { ...merged.get(row.key), ...row });
      const names = await namesOf(raw, by, [...merged.keys()]);
      return [...merged.values()]
        .map((row) => toFigures(row, names.get(row.key) ?? null))
        .toSorted((a, b) => (a.name ?? '\uFFFF').localeCompare(b.name ?? '\uFFFF'));
    },
    async flow(spans) {
      if (spans.length === 0) return [];
      const values = spans.map(() => '(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))').join(', ');
      const count = (column: string, index: string): string =>
        `(SELECT COUNT(*) FROM tickets${alongIndex(raw, index)} WHERE ${column} IS NOT NULL AND ${column} >= span.a
          AND ${column} < span.z AND merged_into IS NULL)`;
      const rows = await raw.all<{ opened: number; resolved: number }>(
        `WITH span (n, a, z) AS (VALUES ${values})
         SELECT ${count('created_ms', 'tickets_by_created')} AS opened,
           ${count('closed_ms', 'tickets_by_closed')} AS resolved FROM span ORDER BY n`,
        spans.flatMap(({ fromMs, toMs }, at) => [at, fromMs, toMs]),
      );
      return rows.map((row) => ({ opened: Number(row.opened), resolved: Number(row.resolved) }));
    },
  };
}

const toColumn = (name: string, rows: readonly Row[]): Row[] =>
  rows.map(({ key, ms }) => ({ key, [name]: ms ?? null }) as Row);

function toFigures(row: Row, name: string | null): TicketFigures {
  const count = (column: string): number => Number(row[column] ?? 0);
  const time = (column: string): number | null => {
    const ms = row[column];
    return ms === undefined || ms === null ? null : Number(ms);
  };
  return {
    key: row.key,
    name,
    opened: count('opened'),
    answered: count('answered'),
    resolved: count('resolved'),
    answerMs: time('answer_ms'),
    resolveMs: time('resolve_ms'),
    rated: count('rated'),
    satisfied: count('satisfied'),
  };
}

async function namesOf(raw: Raw, by: ReportKey, keys: readonly string[]): Promise<Map<string, string>> {
  const question = NAMES[by];
  const ids = keys.filter((key) => key !== '');
  if (question === null || ids.length === 0) return new Map();
  const rows = await raw.all<{ id: string; name: string }>(
    `${question} WHERE id IN (${ids.map(() => '?').join(', ')})`,
    ids,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
