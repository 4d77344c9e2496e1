import { DAY, HOUR } from '#shared/time.ts';
import type { WorldDatabase } from './engine.ts';
import { userIdSql, WORLD_MS, type WorldSize } from './money.ts';

/** Rows of a table: how many, and each column as an expression of the row's number `i`. */
export interface Rows {
  readonly table: string;
  readonly count: number;
  readonly columns: Readonly<Record<string, string>>;
}

/** Words in which the rows of a world are described. */
export interface Words {
  readonly size: WorldSize;
  /** A user, by an expression of their number. */
  user(number: string): string;
  /** A user for each row, spread so that neighbours are strangers; some have many rows. */
  someone(prime: number): string;
  /** A moment of the world for each row, rising with it. */
  rising(count: number): string;
  /** A moment of the world for each row, in no order. */
  scattered(prime: number): string;
  /** An identifier whose time rises with the rows, of which there are so many; of this row or of another. */
  id(count: number, number?: string): string;
  /** Text of a secret's hash: unique to the row. */
  hash(prefix: string): string;
  /** One of some values, in the shares given by how often each is named; the first row has the last. */
  oneOf(prime: number, values: readonly string[]): string;
  /** A number as text of a width. */
  padded(number: string, width: number): string;
  day(atMs: string): string;
}

/** The words for a database and a size. */
export function wordsOf(db: WorldDatabase, size: WorldSize): Words {
  const begunMs = size.nowMs - WORLD_MS;
  const user = (number: string) => userIdSql(db, number);
  const rising = (count: number) => `(${begunMs} + i * ${Math.max(1, Math.floor(WORLD_MS / Math.max(1, count)))})`;
  return {
    size,
    user,
    someone: (prime) => user(`((i * ${prime}) % 999983) * ((i * 7) % 1009) / 1009 % ${size.users}`),
    rising,
    scattered: (prime) => `(${begunMs} + (i * ${prime} * 1000) % ${WORLD_MS})`,
    id: (count, number = 'i') => db.timeId(rising(count).replace('i', number), number),
    hash: (prefix) => `'${prefix}' || ${db.padded('i', 62)}`,
    oneOf: (prime, values) =>
      `CASE (i * ${prime} / 7 + ${values.length - 1}) % ${values.length} ${values.map((value, at) => `WHEN ${at} THEN ${value}`).join(' ')} END`,
    padded: db.padded,
    day: db.day,
  };
}

/** Adds the rows of a table. */
export async function addRows(db: WorldDatabase, { table, count, columns }: Rows): Promise<void> {
  if (count < 1) return;
  await db.run(
    `INSERT INTO ${table} (${Object.keys(columns).join(', ')}) SELECT ${Object.values(columns).join(', ')} FROM ${db.series(count)}`,
  );
}

/** The users and what hangs on them alone. */
export function peopleRows(words: Words): Rows[] {
  const { size, user, rising, scattered, oneOf, hash, padded } = words;
  const { users, nowMs } = size;
  const role = '(SELECT id FROM roles WHERE is_default = 1)';
  const vip = "(SELECT id FROM roles WHERE key = 'vip')";
  const name = `'player' || ${padded('i', 7)}`;
  const mail = `'p' || ${padded('i', 7)} || '@mail.test'`;
  const part = (share: number) => Math.floor(users / share);
  return [
    {
      table: 'users',
      count: users,
      columns: {
        id: user('i'),
        username: name,
        username_key: name,
        email: mail,
        email_key: mail,
        password_hash: "'-'",
        first_name: "'Alex'",
        last_name: "'Player'",
        role_id: oneOf(7919, [vip, ...Array<string>(29).fill(role)]),
        locale: oneOf(31, ["'de'", "'en'", "'en'", "'fr'", "'ro'", "'es'"]),
        status: oneOf(6047, ["'banned'", "'deleted'", ...Array<string>(48).fill("'active'")]),
        verified_ms: oneOf(5303, ['NULL', ...Array<string>(9).fill('1')]),
        terms_ms: '1',
        password_version: '1',
        factor: oneOf(4409, ['1', ...Array<string>(9).fill('0')]),
        spent: oneOf(3511, ['0', '1', '1', '1']),
        seen_ms: oneOf(2503, ['0', scattered(104_729), scattered(15_485_863), `${nowMs} - i % ${DAY}`]),
        created_ms: rising(users * 10),
        updated_ms: '1',
      },
    },
    {
      table: 'user_limits',
      count: users,
      columns: {
        user_id: user('i'),
        memory: '16384',
        disk: '65536',
        cpu: '800',
        slots: '8',
        ports: '16',
        databases: '8',
        backups: '8',
      },
    },
    {
      table: 'sessions',
      count: part(3),
      columns: {
        id: words.id(part(3)),
        user_id: user('i * 3'),
        token_hash: hash('ws'),
        device: "'Chrome · Linux'",
        user_agent:
          "'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'",
        address: "'198.51.' || ((i / 250) % 250) || '.' || (i % 250)",
        created_ms: scattered(7919),
        seen_ms: `${nowMs} - (i * 7919) % ${30 * DAY}`,
        expires_ms: `${nowMs} + (i * 104729) % ${30 * DAY}`,
      },
    },
    {
      table: 'known_devices',
      count: part(2),
      columns: {
        user_id: user('i * 2'),
        device_key: hash('wd'),
        first_ms: scattered(7919),
        last_ms: String(nowMs - DAY),
      },
    },
  ];
}

/** What users leave behind: signals, counters, people they know, notes, tries, presence. */
export function habitRows(words: Words): Rows[] {
  const { size, user, rising, scattered, hash, padded } = words;
  const { users, nowMs } = size;
  const part = (share: number) => Math.floor(users / share);
  return [
    {
      table: 'abuse_signals',
      count: users * 2,
      columns: {
        user_id: user('i / 2'),
        kind: "CASE i % 2 WHEN 0 THEN 'address' ELSE 'device' END",
        // A school, a dormitory and a provider's gateway: thousands behind one address.
        value: `CASE WHEN i % 2 = 0 AND i % 50 = 0 THEN 'shared' || (i % 7) ELSE ${hash('wa')} END`,
        first_ms: rising(users * 2),
        last_ms: scattered(31),
      },
    },
    {
      table: 'earn_counters',
      count: users,
      columns: {
        user_id: user('i'),
        source: "'afk'",
        day: words.day(`${nowMs} - (i % 30) * ${DAY}`),
        credits: '40',
      },
    },
    {
      table: 'linked_identities',
      count: part(4),
      columns: {
        id: words.id(part(4)),
        user_id: user('i * 4'),
        provider: "'discord'",
        subject: padded('i + 100000000000', 18),
        name: "'friend' || i",
        scopes: "''",
        version: '1',
        refreshing_until_ms: '0',
        linked_ms: rising(part(4)),
        updated_ms: '1',
      },
    },
    {
      table: 'referrals',
      count: part(20),
      columns: {
        newcomer_id: user(`${Math.floor(users / 2)} + i`),
        // One of them brought thousands.
        referrer_id: `CASE WHEN i % 10 = 0 THEN ${user('3')} ELSE ${user('i')} END`,
        code: "'CODE'",
        state: "'done'",
        created_ms: rising(part(20)),
        next_check_ms: '0',
        qualified_ms: rising(part(20)),
        closed_ms: rising(part(20)),
        newcomer_state: "'paid'",
        newcomer_credits: '10',
        referrer_state: "'paid'",
        referrer_credits: '10',
        referrer_ms: rising(part(20)),
      },
    },
    {
      table: 'user_notes',
      count: part(50),
      columns: {
        id: words.id(part(50)),
        user_id: user('i * 50'),
        author_id: user('1'),
        text: "'Asked twice.'",
        created_ms: rising(part(50)),
      },
    },
    {
      table: 'attempts',
      count: part(10),
      columns: { key: hash('wt'), window_start_ms: `${nowMs} - (i * 31) % ${DAY}`, count: '3' },
    },
    {
      table: 'afk_sessions',
      count: users,
      columns: {
        id: words.id(users),
        user_id: words.someone(7919),
        session_id: "'s'",
        device: "'Chrome · Linux'",
        started_ms: rising(users),
        last_beat_ms: `${rising(users)} + ${HOUR}`,
        counted_ms: String(HOUR),
        minutes: '60',
        earned: '120',
        ended_ms: `${rising(users)} + ${HOUR}`,
        end_reason: "'left'",
      },
    },
  ];
}
