import { RESOURCE_KINDS } from '#shared/constants.ts';
import type { Story } from './command.ts';
import type { PlainAccount, PlainUser } from './plain.ts';

type Rows = <T>(sql: string, params: readonly (string | number)[]) => Promise<T[]>;
/** Something of a user that both sides have. To compare more, add one. */
interface Probe {
  readonly what: string;
  real(rows: Rows, story: Story, userId: string): Promise<unknown>;
  plain(story: Story, user: PlainUser): unknown;
}

const LIMITS: Probe = {
  what: 'limits',
  real: async (rows, _story, userId) =>
    (await rows(`SELECT ${RESOURCE_KINDS.join(', ')} FROM user_limits WHERE user_id = ?`, [userId]))[0],
  plain: (_story, user) => Object.fromEntries(RESOURCE_KINDS.map((kind) => [kind, user.limits[kind]])),
};
const COUNTERS: Probe = {
  what: 'earned today',
  async real(rows, { plain }, userId) {
    const found = await rows<{ source: string; credits: number }>(
      'SELECT source, credits FROM earn_counters WHERE user_id = ? AND day = ? AND credits > 0 ORDER BY source',
      [userId, plain.day()],
    );
    return found.map(({ source, credits }) => `${source} ${credits}`);
  },
  plain: ({ plain }, { index }) => plain.counters.ofToday(index),
};
const PRESENCE: Probe = {
  what: 'AFK session',
  async real(rows, _story, userId) {
    const [row] = await rows<{ id: string; minutes: number; counted_ms: number }>(
      'SELECT id, minutes, counted_ms FROM afk_sessions WHERE user_id = ? AND ended_ms IS NULL',
      [userId],
    );
    return row ? [row.id, row.minutes, row.counted_ms - row.minutes * 60_000] : null;
  },
  plain({ plain, names }, { afk }) {
    const session = afk === null ? undefined : plain.sessions.get(afk);
    return session ? [names.get(`afk:${afk}`), session.minutes, session.countedMs] : null;
  },
};
const PROBES = [LIMITS, COUNTERS, PRESENCE];

/** What every account has: the model books each minute of presence at once, the product posts them once an hour. */
const OWNED = `SELECT account, CAST(SUM(amount) AS BIGINT) AS balance FROM (
    SELECT account, balance AS amount FROM ledger_balances
    UNION ALL SELECT account, amount FROM ledger_accruals
    UNION ALL SELECT source AS account, -amount AS amount FROM ledger_accruals
  ) AS parts GROUP BY account`;

/** The account's name in the product: users are known by their index in the model. */
function nameOf({ world, names }: Story, account: PlainAccount): string {
  const [kind, index = ''] = account.split(':');
  if (index.startsWith('n')) return `${kind}:${names.get(`newcomer:${index.slice(1)}`)}`;
  return kind === 'system' ? account : `${kind}:${world.players[Number(index)]?.userId}`;
}

/** Compares accounts, and the probes of users, in one view. */
async function compare(
  story: Story,
  accounts: readonly PlainAccount[],
  users: readonly PlainUser[],
): Promise<string | null> {
  const { plain, world } = story;
  const names = accounts.map((account) => nameOf(story, account));
  return world.database.read(async ({ raw }) => {
    const rows: Rows = (sql, params) => raw.all(sql, params);
    const marks = names.map(() => '?').join(', ');
    const found =
      names.length === 0
        ? []
        : await rows<{ account: string; balance: number }>(
            `SELECT account, balance FROM (${OWNED}) AS owned WHERE account IN (${marks})`,
            names,
          );
    const real = new Map(found.map(({ account, balance }) => [account, balance]));
    for (const [index, account] of accounts.entries()) {
      const [is, should] = [real.get(names[index] ?? '') ?? 0, plain.balance(account)];
      if (is !== should) return `${account} has ${is} in the ledger and ${should} in the model`;
    }
    for (const user of users) {
      for (const probe of PROBES) {
        const [is, should] = [
          JSON.stringify(await probe.real(rows, story, world.players[user.index]?.userId ?? '')),
          JSON.stringify(probe.plain(story, user)),
        ];
        if (is !== should)
          return `${probe.what} of user ${user.index}: ${is} in the product and ${should} in the model`;
      }
    }
    return null;
  });
}

/**
 * Compares what the last batch touched: accounts that moved in the model, and everything of the users it named. Gives
 * the difference, or null.
 */
export function compareTouched(story: Story, named: readonly number[]): Promise<string | null> {
  const { plain } = story;
  const accounts = new Set(plain.takeTouched());
  const users = new Set(named);
  for (const account of accounts) if (/^(user|hold|debt):\d+$/.test(account)) users.add(Number(account.split(':')[1]));
  for (const index of users) for (const kind of ['user', 'hold', 'debt']) accounts.add(`${kind}:${index}`);
  return compare(
    story,
    [...accounts],
    plain.users.filter(({ index }) => users.has(index)),
  );
}

/** Compares every account and every user, and lets the ledger prove itself. Gives the difference, or null. */
export async function compareAll(story: Story): Promise<string | null> {
  const { plain, world } = story;
  const faults = await world.services.uow.read((tx) => tx.ledger.verify());
  if (faults.length > 0) return `the ledger does not hold: ${faults.map(({ text }) => text).join(', ')}`;
  const count = await world.database.read(({ raw }) =>
    raw.one<{ count: number }>(`SELECT COUNT(*) AS count FROM (${OWNED}) AS owned WHERE balance <> 0`),
  );
  const expected = [...plain.balances.values()].filter((balance) => balance !== 0).length;
  if (count?.count !== expected)
    return `${count?.count} accounts have credits in the ledger and ${expected} in the model`;
  return compare(story, [...plain.balances.keys()], plain.users);
}
