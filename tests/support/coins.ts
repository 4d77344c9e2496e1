import { createLedger, type Ledger } from '#server/modules/ledger/index.ts';
import { createLimits, type Limits } from '#server/modules/limits/index.ts';
import type { Clock, Ids, SignedIn } from '#server/modules/kernel.ts';
import { createAfk } from '#server/modules/rewards/afk/index.ts';
import { createCounters } from '#server/modules/rewards/counters/index.ts';
import { createPayout } from '#server/modules/rewards/payout/index.ts';
import { createRedeem } from '#server/modules/rewards/redeem/index.ts';
import { createSettings } from '#server/modules/settings/index.ts';
import { createStore } from '#server/modules/store/index.ts';
import type { Tx, UnitOfWork } from '#server/modules/tx.ts';
import { toCredits } from '#shared/credits.ts';
import type { ResourceKind } from '#shared/constants.ts';
import { ApiError } from '#shared/contract/client.ts';
import { DomainError } from '#shared/errors.ts';
import type { Permission } from '#shared/permissions.ts';
import { normaliseCode } from '#shared/redeem-code.ts';
import { DAY } from '#shared/time.ts';
import { fakeClock, testIds, TEST_START } from './clock.ts';
import { openTestDb, proveLedger, type Engine, type TestDb } from './db.ts';
import { testEvents, testNotifications } from './events.ts';
import { testSealer } from './sealing.ts';
import { fakeTimer } from './timer.ts';

export interface CodeFacts {
  readonly credits?: number;
  readonly uses?: number;
  readonly usesCount?: number;
  readonly minAgeDays?: number;
  readonly startsMs?: number | null;
  readonly endsMs?: number | null;
  readonly enabled?: boolean;
}
export type CoinWorld = Awaited<ReturnType<typeof coinWorld>>;

/**
 * Everything that earns and spends credits over a fresh database, with a clock and a timer that the test moves. `over`
 * wraps the unit of work of the services.
 */
export async function coinWorld(engine: Engine = 'sqlite', over: (uow: UnitOfWork) => UnitOfWork = (uow) => uow) {
  const db = await openTestDb(engine);
  const clock = fakeClock();
  const ids = testIds();
  const timer = fakeTimer(clock);
  const { bus } = db;
  const settings = createSettings({ uow: db.uow, clock, ids, bus, sealer: testSealer });
  const ledger = createLedger({ clock, ids });
  const counters = createCounters({ clock, settings });
  const limits = createLimits({ settings });
  const deps = {
    uow: over(db.uow),
    clock,
    ids,
    bus,
    timer,
    ledger,
    counters,
    payout: createPayout({ ledger, counters }),
    settings,
    limits,
    notifications: testNotifications({ uow: db.uow, clock, ids, settings }),
    events: testEvents({ uow: db.uow, clock, ids, settings }),
  };
  const answer = <T>(question: (tx: Tx) => Promise<T>) => db.uow.read(question);
  return {
    ...deps,
    ...(await people({ ...deps, db })),
    db,
    uow: db.uow,
    redeem: createRedeem(deps),
    store: createStore(deps),
    afk: createAfk(deps),
    /** A redeem code as an admin makes it; see `addCode`. Gives its id. */
    code: (text: string, facts: CodeFacts = {}): Promise<string> => addCode(db, ids, clock.now(), text, facts),
    /** The item of the seeded store that sells a kind. */
    item: async (kind: ResourceKind) => {
      const found = (await answer((tx) => tx.store.items())).find((item) => item.kind === kind);
      if (!found) throw new Error(`the store sells no ${kind}`);
      return found;
    },
    balance: ({ actor }: SignedIn) => answer((tx) => ledger.balance(tx, `user:${actor.userId}`)),
    limitsOf: ({ actor }: SignedIn) => answer((tx) => tx.limits.of(actor.userId)),
    /** Lets time pass: the clock and the timers that fall due. */
    pass(ms: number): void {
      clock.advance(ms);
      timer.run();
    },
    /** Proves the ledger and closes. */
    async close(): Promise<void> {
      await proveLedger(db.uow);
      await db.close();
    },
  };
}

/** Makers of users, logins and credits. */
async function people({
  db,
  clock,
  ids,
  ledger,
  limits,
}: {
  db: TestDb;
  clock: Clock;
  ids: Ids;
  ledger: Ledger;
  limits: Limits;
}) {
  const role = {
    id: ids.uuid(),
    key: null,
    name: 'Member',
    color: '#888888',
    rank: 1,
    isDefault: false,
    createdMs: TEST_START,
  };
  await db.uow.run(async (tx) => void (await tx.access.add(role, [])));

  /** A user with default limits, some credits and a login. `ageMs`: how long ago the account was made. */
  async function person(credits = 0, ageMs = 30 * DAY): Promise<SignedIn> {
    const userId = ids.uuid();
    const username = `user${userId.slice(0, 13)}`;
    await db.uow.run(async (tx) => {
      await tx.identity.addUser({
        id: userId,
        username,
        email: `${username}@example.test`,
        passwordHash: '-',
        firstName: 'A',
        lastName: 'B',
        roleId: role.id,
        locale: 'en',
        verifiedMs: TEST_START,
        createdMs: clock.now() - ageMs,
      });
      await limits.grantDefaults(tx, userId);
    });
    if (credits > 0) await grant(userId, credits);
    return login(userId, username);
  }
  /** One more login of a user, as the context of its requests. */
  async function login(userId: string, username: string, device = 'Firefox · Linux'): Promise<SignedIn> {
    const sessionId = ids.uuid();
    const now = clock.now();
    const facts = {
      device,
      userAgent: 'test',
      address: '203.0.113.1',
      createdMs: now,
      seenMs: now,
      expiresMs: now + 365 * DAY,
    };
    await db.uow.run((tx) => tx.identity.addSession({ id: sessionId, userId, tokenHash: ids.token(), ...facts }));
    const actor = { userId, sessionId, username, permissions: [], verified: true };
    return {
      actor,
      requestId: 'r',
      locale: 'en',
      address: facts.address,
      userAgent: facts.userAgent,
      idempotency: null,
    };
  }
  /** Credits out of nowhere, as an adjustment. */
  async function grant(userId: string, credits: number): Promise<void> {
    const postings = [
      { source: 'system:adjustment', destination: `user:${userId}`, amount: toCredits(credits) },
    ] as const;
    await db.uow.run((tx) => ledger.transfer(tx, { kind: 'adjustment', reference: `grant:${ids.uuid()}`, postings }));
  }
  return { person, login, grant };
}

/** Adds a redeem code as an admin makes it: 50 credits, ten uses, unless told otherwise. Gives its id. */
export async function addCode(db: TestDb, ids: Ids, now: number, text: string, facts: CodeFacts = {}): Promise<string> {
  const id = ids.uuid();
  await db.sql(
    `INSERT INTO redeem_codes (id, code, code_key, note, credits, uses_total, uses_count, min_age_days, starts_ms, ends_ms, enabled, created_by, created_ms, updated_ms)
     VALUES (?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?)`,
    [
      id,
      text,
      normaliseCode(text),
      facts.credits ?? 50,
      facts.uses ?? 10,
      facts.usesCount ?? 0,
      facts.minAgeDays ?? 0,
      facts.startsMs ?? null,
      facts.endsMs ?? null,
      facts.enabled === false ? 0 : 1,
      now,
      now,
    ],
  );
  return id;
}

/** The same caller with rights of staff. */
export function withRights(ctx: SignedIn, ...permissions: readonly Permission[]): SignedIn {
  return { ...ctx, actor: { ...ctx.actor, permissions } };
}

/** The same caller with an Idempotency-Key. */
export function keyed(ctx: SignedIn, key: string, hash = 'same'): SignedIn {
  return { ...ctx, idempotency: { key, hash } };
}

/** The code of the error a call ends with, or `null` where it goes well. Faults that are not ours are thrown on. */
export async function codeOf(call: Promise<unknown>): Promise<string | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (error instanceof DomainError || error instanceof ApiError) return error.code;
    throw error;
  }
}

/** Makes `count` calls at once. Gives how often each code came, `ok` for those that went well. */
export async function atOnce(
  count: number,
  call: (index: number) => Promise<unknown>,
): Promise<Record<string, number>> {
  const codes = await Promise.all(Array.from({ length: count }, (_, index) => codeOf(call(index))));
  const tally: Record<string, number> = {};
  for (const code of codes) tally[code ?? 'ok'] = (tally[code ?? 'ok'] ?? 0) + 1;
  return tally;
}

/** An element that must be there. */
export function nth<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`nothing at ${index}`);
  return found;
}

/** Credits of all users, and what system accounts ever gave out and took in. */
export function totalsOf(uow: UnitOfWork): Promise<{ circulation: number; minted: number; burnt: number }> {
  return uow.read(async (tx) => {
    const sums = (await tx.economy.days('0000-00-00')).filter(({ account }) => account.startsWith('system:'));
    const sumOf = (column: 'minted' | 'burnt') => sums.reduce((all, row) => all + row[column], 0);
    return { circulation: await tx.economy.circulation(), minted: sumOf('minted'), burnt: sumOf('burnt') };
  });
}
