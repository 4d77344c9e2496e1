import * as z from 'zod/mini';
import { ImportFault } from '../fault.ts';
import { FRACTIONS, toFractions, toSnowflake, type Source, type SourceSpec } from '../model.ts';

/**
 * Heliactyl: keys and values, nearly each key with a user's id in it. Of the store only the keys are read that the
 * product has use for; `password-…`, which holds passwords in clear, never.
 */
export const heliactyl: SourceSpec = {
  product: 'heliactyl',
  tables: { keyv: ['key', 'value'] },
  assertIs(tables) {
    if (!tables.has('keyv'))
      throw new ImportFault(
        'other_product',
        'This is no store of Heliactyl: it has neither the table keyv nor heliactyl.',
      );
  },
  map(source) {
    source.staging.run('CREATE INDEX raw_keyv_key ON raw_keyv (key)');
    mapUsers(source);
    mapCodes(source);
  },
};

/** Beginnings of the keys that are read. */
export const HELIACTYL_KEYS = [
  'users-',
  'coins-',
  'extra-',
  'ban-',
  'userid-',
  'user-',
  'discord-',
  'coupon-',
  'lastrenewal-',
  'renewal_',
  'staked-',
  'staking-positions-',
  'stakes-',
] as const;

/** What keyv wraps a value in. */
const wrapped = z.object({ value: z.unknown(), expires: z.optional(z.nullable(z.number())) });
const panelId = z.union([z.int(), z.string().check(z.regex(/^\d{1,18}$/))]);
const ban = z.object({ reason: z.nullish(z.string()), expiration: z.nullish(z.string()) });
const extra = z.object({
  ram: z.optional(z.number()),
  disk: z.optional(z.number()),
  cpu: z.optional(z.number()),
  servers: z.optional(z.number()),
});
const local = z.object({
  username: z.string(),
  email: z.string(),
  password: z.optional(z.string()),
  createdAt: z.optional(z.union([z.string(), z.number()])),
});
const linked = z.object({ username: z.optional(z.string()), email: z.optional(z.string()) });
const coupon = z.object({
  coins: z.optional(z.number()),
  ram: z.optional(z.number()),
  disk: z.optional(z.number()),
  cpu: z.optional(z.number()),
  servers: z.optional(z.number()),
});

/** The value of a key as a schema has it; null where there is none, it is over, or it is none. */
function valueOf<T extends z.ZodMiniType>(
  { staging, nowMs }: Pick<Source, 'staging' | 'nowMs'>,
  key: string,
  schema: T,
): z.output<T> | null {
  const row = staging.one('SELECT value FROM raw_keyv WHERE key = ? ORDER BY seq DESC LIMIT 1', key);
  const inner = row && unwrap(row['value'] ?? '', nowMs);
  const read = schema.safeParse(inner);
  return read.success ? read.data : null;
}

/** What stands in a row; undefined where it is over or cannot be read. */
function unwrap(json: string, nowMs: number): unknown {
  try {
    const read = wrapped.safeParse(JSON.parse(json));
    if (!read.success || (read.data.expires != null && read.data.expires < nowMs)) return undefined;
    return read.data.value;
  } catch {
    return undefined;
  }
}

function mapUsers(source: Source): void {
  const { staging, nowMs, leave } = source;
  // The lists of everybody stand under "users" alone.
  for (const row of staging.rows(
    "SELECT key, value FROM raw_keyv WHERE key >= 'users-' AND key < 'users.' ORDER BY seq",
  )) {
    const id = (row['key'] ?? '').slice('users-'.length);
    const panel = panelId.safeParse(unwrap(row['value'] ?? '', nowMs));
    if (id === '' || !panel.success) {
      leave('user', id || '?', id, 'row_invalid');
      continue;
    }
    mapUser(source, id, String(panel.data));
  }
}

function mapUser(source: Source, id: string, panelUser: string): void {
  const { defaults, leave } = source;
  const account = accountOf(source, id);
  const discord = toSnowflake(id);
  const more = valueOf(source, `extra-${id}`, extra) ?? {};
  const label = account?.name ?? id;
  const staked = stakedOf(source, id);
  if (staked > 0n) leave('user', id, `${label}: ${staked / FRACTIONS}`, 'staked');
  const held = balanceOf(source, id, label) + staked;
  const raise = (value: number | undefined) => Math.max(0, Math.floor(value ?? 0));
  source.put('user', id, {
    // Where the store has no name, the panel's account has: it is asked for when the run begins.
    name: account?.name ?? '',
    email: account?.email ?? '',
    hash: account?.hash ?? null,
    firstName: account?.name ?? '',
    lastName: '',
    createdMs: account?.createdMs ?? null,
    verified: false,
    ban: banOf(source, id),
    role: 'member',
    roleName: '',
    limits: {
      memory: defaults.memory + raise(more.ram),
      disk: defaults.disk + raise(more.disk),
      cpu: defaults.cpu + raise(more.cpu),
      slots: defaults.slots + raise(more.servers),
    },
    discord,
    panelUser,
    credits: String(held),
  });
}

function accountOf(
  source: Source,
  id: string,
): { name: string; email: string; hash: string | null; createdMs: number | null } | null {
  const email = valueOf(source, `userid-${id}`, z.string());
  const own = email === null ? null : valueOf(source, `user-${email}`, local);
  if (own) {
    const createdMs = own.createdAt === undefined ? Number.NaN : new Date(own.createdAt).getTime();
    return {
      name: own.username,
      email: own.email,
      hash: own.password ?? null,
      createdMs: Number.isFinite(createdMs) ? createdMs : null,
    };
  }
  const discord = valueOf(source, `discord-${id}`, linked);
  return discord?.email ? { name: discord.username ?? '', email: discord.email, hash: null, createdMs: null } : null;
}

function balanceOf(source: Source, id: string, label: string): bigint {
  const stored = valueOf(source, `coins-${id}`, z.unknown());
  if (stored === null || stored === undefined) return 0n;
  const held = typeof stored === 'number' || typeof stored === 'string' ? toFractions(String(stored)) : null;
  if (held === null) source.leave('user', id, label, 'credits_unreadable');
  return held ?? 0n;
}

const position = z.object({ amount: z.union([z.number(), z.string()]), status: z.nullish(z.string()) });
const stakes = z.union([z.number(), z.string(), position, z.array(z.unknown())]);

/**
 * Credits that are staked, which are somebody's beside their balance; what they would have earned is left out. Each
 * edition keeps them under another key: where a store has several, they are the same stakes, kept twice.
 */
function stakedOf(source: Source, id: string): bigint {
  const sums = ['staked', 'staking-positions', 'stakes'].map((name) => {
    const stored = valueOf(source, `${name}-${id}`, stakes) ?? 0;
    let sum = 0n;
    for (const each of Array.isArray(stored) ? stored : [stored]) {
      const read = position.safeParse(typeof each === 'object' ? each : { amount: each });
      const size = read.success && read.data.status !== 'claimed' ? toFractions(String(read.data.amount)) : null;
      if (size !== null && size > 0n) sum += size;
    }
    return sum;
  });
  return sums.reduce((most, each) => (each > most ? each : most), 0n);
}

const renewal = z.object({ nextRenewal: z.string() });
const DAY_MS = 86_400_000;

/**
 * When what was paid for a server of the panel ends, in UTC ms; null where the store does not say so. In: days that a
 * renewal pays for, which older editions keep in their configuration alone; 0: not known.
 */
export function paidUntil(
  staging: Source['staging'],
  { panelId, identifier }: { readonly panelId: string; readonly identifier: string | null },
  renewDays: number,
  nowMs: number,
): number | null {
  const source = { staging, nowMs };
  const next = identifier === null ? null : valueOf(source, `renewal_${identifier}`, renewal);
  const nextMs = next === null ? Number.NaN : Date.parse(next.nextRenewal);
  if (Number.isFinite(nextMs)) return nextMs;
  const last = renewDays > 0 ? valueOf(source, `lastrenewal-${panelId}`, z.union([z.number(), z.string()])) : null;
  const lastMs = last === null ? Number.NaN : Number(last);
  return Number.isFinite(lastMs) && lastMs > 0 ? lastMs + renewDays * DAY_MS : null;
}

function banOf(source: Source, id: string): { reason: string; untilMs: number | null } | null {
  const found = valueOf(source, `ban-${id}`, ban);
  if (!found) return null;
  const untilMs = found.expiration ? Date.parse(found.expiration) : null;
  if (untilMs !== null && !(untilMs > source.nowMs)) return null;
  return { reason: found.reason ?? '', untilMs };
}

function mapCodes(source: Source): void {
  for (const row of source.staging.rows(
    "SELECT key, value FROM raw_keyv WHERE key >= 'coupon-' AND key < 'coupon.' ORDER BY seq",
  )) {
    const code = (row['key'] ?? '').slice('coupon-'.length);
    const read = coupon.safeParse(unwrap(row['value'] ?? '', source.nowMs));
    if (!read.success) source.leave('code', code || '?', code, 'row_invalid');
    else if ([read.data.ram, read.data.disk, read.data.cpu, read.data.servers].some((each) => (each ?? 0) > 0))
      source.leave('code', code, code, 'no_counterpart');
    else
      source.put('code', code, {
        code,
        credits: String(BigInt(Math.max(0, Math.floor(read.data.coins ?? 0))) * FRACTIONS),
        usesTotal: 1,
        usesCount: 0,
        endsMs: null,
        users: [],
      });
  }
}
