import { normaliseName } from '#shared/names.ts';
import { normaliseCode } from '#shared/redeem-code.ts';
import { PROVIDERS } from '#shared/schemas/payment.ts';
import type { Param, Raw } from '#server/data/raw.ts';
import type { SearchRepo } from '#server/modules/search/ports.ts';
import { DISCORD_ID, folded, ID, IP_ADDRESS, LAST, PIN } from './search-keys.ts';

/** A port, as it stands in an address. */
const PORT = /^:?(\d{2,5})$/;
/** Signs of a code from which on it is looked for. */
const CODE_MIN = 3;

/** A question and its values; each follows an index of its own. */
type Question = readonly [condition: string, ...values: Param[]];

/**
 * Asks one question after the other until enough rows are there, the same row once. A single question with OR might be
 * answered by walking a whole table in the order of its result.
 */
async function gather<R extends { id: string }>(
  raw: Raw,
  sqlOf: (condition: string) => string,
  questions: readonly Question[],
  limit: number,
): Promise<R[]> {
  const found = new Map<string, R>();
  for (const [condition, ...values] of questions) {
    if (found.size >= limit) break;
    for (const row of await raw.all<R>(`${sqlOf(condition)} LIMIT ?`, [...values, limit])) found.set(row.id, row);
  }
  return [...found.values()].slice(0, limit);
}

/** A column from a text on: its index is walked from there. */
const begins = (column: string, text: string): Question => [`${column} >= ? AND ${column} < ?`, text, text + LAST];

/** What staff look for, in the database. */
export function createSearchRepo(raw: Raw): SearchRepo {
  return {
    users: (text, options) => findUsers(raw, text, options),
    servers: (text, limit) => gather(raw, serversSql, serverQuestions(text), limit),
    orders: (text, limit) => gather(raw, ordersSql, orderQuestions(text), limit),
    async codes(text, limit) {
      const key = normaliseCode(text);
      if (key.length < CODE_MIN) return [];
      const [condition, ...values] = begins('code_key', key);
      return raw.all(`SELECT id, code, credits FROM redeem_codes WHERE ${condition} ORDER BY code_key LIMIT ?`, [
        ...values,
        limit,
      ]);
    },
    queue: (text, limit) => gather(raw, queueSql, queueQuestions(text), limit),
  };
}

function findUsers(raw: Raw, text: string, { nowMs, byAddress, place, limit }: Parameters<SearchRepo['users']>[1]) {
  const key = normaliseName(text);
  const questions: Question[] = ID.test(key)
    ? [['id = ?', key]]
    : ([
        begins('username_key', key),
        begins('email_key', key),
        ...(PIN.test(key)
          ? [['id IN (SELECT user_id FROM support_pins WHERE pin = ? AND expires_ms > ?)', key.replace(' ', ''), nowMs]]
          : []),
        ...(DISCORD_ID.test(key)
          ? [["id IN (SELECT user_id FROM linked_identities WHERE provider = 'discord' AND subject = ?)", key]]
          : []),
        ...(byAddress && IP_ADDRESS.test(key)
          ? [
              ['id IN (SELECT user_id FROM sessions WHERE address = ?)', key],
              ...(place
                ? [['id IN (SELECT user_id FROM abuse_signals WHERE kind = ? AND value = ?)', place.kind, place.value]]
                : []),
            ]
          : []),
      ] as Question[]);
  return gather<Awaited<ReturnType<SearchRepo['users']>>[number]>(
    raw,
    (condition) => `SELECT id, username, email, status FROM users WHERE status <> 'deleted' AND ${condition}`,
    questions,
    limit,
  );
}

const serversSql = (condition: string): string =>
  `SELECT s.id, s.name, s.state, s.address, u.username AS owner FROM servers s JOIN users u ON u.id = s.user_id
   WHERE s.deleted_ms IS NULL AND ${condition}`;

function serverQuestions(text: string): Question[] {
  const name = folded(text.trim());
  if (ID.test(name)) return [['s.id = ?', name]];
  const port = PORT.exec(name)?.[1];
  return [
    begins('lower(s.name)', name),
    begins('s.address', name),
    ...(port === undefined
      ? []
      : [["substr(s.address, length(rtrim(s.address, '0123456789')) + 1) = ?", port] as Question]),
  ];
}

const ordersSql = (condition: string): string =>
  `SELECT o.id, COALESCE(o.code, o.label) AS label, u.username, o.provider, o.state, o.amount, o.currency
   FROM payment_orders o LEFT JOIN users u ON u.id = o.user_id WHERE ${condition}`;

function orderQuestions(text: string): Question[] {
  const id = text.trim();
  const providers = PROVIDERS.map((name) => `'${name}'`).join(', ');
  return [
    ['o.id = ?', id.toLowerCase()],
    ['o.code = ?', id.toUpperCase().replaceAll(/[^0-9A-Z]/g, '')],
    [`o.provider IN (${providers}) AND o.ref = ?`, id],
    [`o.provider IN (${providers}) AND o.payment_ref = ?`, id],
  ];
}

const queueSql = (condition: string): string =>
  `SELECT q.id, s.name AS server, u.username, q.state FROM servers s JOIN server_queue q ON q.server_id = s.id
   JOIN users u ON u.id = q.user_id WHERE q.state IN ('queued', 'building', 'failed') AND ${condition}`;

function queueQuestions(text: string): Question[] {
  const name = folded(text.trim());
  if (ID.test(name))
    return [
      ['q.id = ?', name],
      ['q.server_id = ?', name],
    ];
  const [condition, ...values] = begins('lower(s.name)', name);
  return [[`s.deleted_ms IS NULL AND ${condition}`, ...values]];
}
