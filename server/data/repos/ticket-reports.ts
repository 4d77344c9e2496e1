import { alongIndex, type Raw } from '#server/data/raw.ts';
import type {
  KeptDay,
  ReportMark,
  Span,
  SpanFigures,
  TicketReportsRepo,
} from '#server/modules/tickets/reports-ports.ts';
import { MINUTE } from '#shared/time.ts';

/** Figures of tickets, each along the index of when it happened, and the days that were counted once. */
export function createTicketReportsRepo(raw: Raw): TicketReportsRepo {
  return { ...countPart(raw), ...daysPart(raw) };
}

/** A duration (ms) in the steps of `Durations`, as SQL of whole numbers. */
function inSteps(ms: string): string {
  const minutes = `((${ms}) / ${MINUTE})`;
  const step = (size: number): string => `${minutes} / ${size} * ${size}`;
  return `CASE WHEN ${minutes} < 120 THEN ${minutes} WHEN ${minutes} < 1440 THEN ${step(10)}
    WHEN ${minutes} < 10080 THEN ${step(60)} ELSE ${step(1440)} END`;
}

interface Counted {
  readonly department: string;
  readonly assignee: string;
  readonly minutes: number | null;
  readonly n: number;
}
type Filled = { -readonly [Name in keyof SpanFigures]: SpanFigures[Name] } & {
  answers: Record<string, number>;
  resolutions: Record<string, number>;
};

const NOTHING = { opened: 0, answered: 0, resolved: 0, rated: 0, satisfied: 0 };

function countPart(raw: Raw): Pick<TicketReportsRepo, 'count' | 'names'> {
  const ask = (column: string, index: string, minutes: string, { fromMs, toMs }: Span): Promise<Counted[]> =>
    raw.all<Counted>(
      `SELECT department_id AS department, COALESCE(assignee_id, '') AS assignee, ${minutes} AS minutes, COUNT(*) AS n
       FROM tickets${alongIndex(raw, index)}
       WHERE ${column} IS NOT NULL AND ${column} >= ? AND ${column} < ? AND merged_into IS NULL GROUP BY 1, 2, 3`,
      [fromMs, toMs],
    );
  return {
    async count(span) {
      const found = new Map<string, Filled>();
      const of = ({ department, assignee }: Counted): Filled => {
        const key = `${department} ${assignee}`;
        const made = { ...NOTHING, department, assignee, answers: {}, resolutions: {} };
        const figures = found.get(key) ?? made;
        found.set(key, figures);
        return figures;
      };
      const opened = inSteps('first_answer_ms - created_ms');
      for (const row of await ask('created_ms', 'tickets_by_created', opened, span)) {
        const figures = of(row);
        figures.opened += Number(row.n);
        if (row.minutes === null) continue;
        figures.answered += Number(row.n);
        figures.answers[row.minutes] = Number(row.n);
      }
      for (const row of await ask('closed_ms', 'tickets_by_closed', inSteps('closed_ms - created_ms'), span)) {
        const figures = of(row);
        figures.resolved += Number(row.n);
        figures.resolutions[String(row.minutes)] = Number(row.n);
      }
      for (const row of await ask('rated_ms', 'tickets_by_rated', 'rating', span)) {
        const figures = of(row);
        figures.rated += Number(row.n);
        if (Number(row.minutes) >= 4) figures.satisfied += Number(row.n);
      }
      return [...found.values()];
    },
    async names(by, ids) {
      if (ids.length === 0) return new Map();
      const question =
        by === 'department' ? 'SELECT id, name FROM departments' : 'SELECT id, username AS name FROM users';
      const rows = await raw.all<{ id: string; name: string }>(
        `${question} WHERE id IN (${ids.map(() => '?').join(', ')})`,
        ids,
      );
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
  };
}

function daysPart(raw: Raw): Omit<TicketReportsRepo, 'count' | 'names'> {
  const keep = async ({ fromMs, toMs, version, figures }: KeptDay): Promise<boolean> => {
    const text = JSON.stringify(figures);
    const { changes } =
      version === 0
        ? await raw.run(
            `INSERT INTO ticket_report_days (from_ms, to_ms, version, figures) VALUES (?, ?, 1, ?)
             ON CONFLICT DO NOTHING`,
            [fromMs, toMs, text],
          )
        : await raw.run(
            `UPDATE ticket_report_days SET to_ms = ?, version = version + 1, figures = ?
             WHERE from_ms = ? AND version = ?`,
            [toMs, text, fromMs, version],
          );
    return changes === 1;
  };
  return {
    async listDays({ fromMs, toMs }) {
      const rows = await raw.all<{ from_ms: number; to_ms: number; version: number; figures: string }>(
        'SELECT from_ms, to_ms, version, figures FROM ticket_report_days WHERE from_ms >= ? AND from_ms < ?',
        [fromMs, toMs],
      );
      return rows.map((row) => ({
        fromMs: row.from_ms,
        toMs: row.to_ms,
        version: row.version,
        figures: JSON.parse(row.figures) as SpanFigures[],
      }));
    },
    async listMarks({ fromMs, toMs }, limit) {
      const rows = await raw.all<{ id: string; at_ms: number }>(
        'SELECT id, at_ms FROM ticket_report_marks WHERE at_ms >= ? AND at_ms < ? ORDER BY at_ms LIMIT ?',
        [fromMs, toMs, limit],
      );
      return rows.map((row): ReportMark => ({ id: row.id, atMs: row.at_ms }));
    },
    async keepDay(day, marks) {
      if (!(await keep(day)) || marks.length === 0) return;
      await raw.run(
        `DELETE FROM ticket_report_marks WHERE id IN (${marks.map(() => '?').join(', ')})`,
        marks.map(({ id }) => id),
      );
    },
    async forgetOutside({ fromMs, toMs }) {
      await raw.run('DELETE FROM ticket_report_days WHERE from_ms < ?', [fromMs]);
      await raw.run('DELETE FROM ticket_report_marks WHERE at_ms < ? OR at_ms >= ?', [fromMs, toMs]);
    },
  };
}
