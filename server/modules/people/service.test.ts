import { afterEach, describe, expect, test } from 'bun:test';
import { createPeople } from './service.ts';
import { atOnce, coinWorld, keyed, withRights, type CoinWorld } from '#tests/support/coins.ts';
import { Crash, crashing } from '#tests/support/crash.ts';
import { ENGINES, type Engine } from '#tests/support/db.ts';

let world: CoinWorld;
afterEach(() => world.close());

/** A world with the staff's commands, and the means to break them off. */
async function open(engine: Engine) {
  let breaker: ReturnType<typeof crashing> | undefined;
  world = await coinWorld(engine, (uow) => (breaker = crashing(uow)));
  if (!breaker) throw new Error('the world was made without its breaker');
  const { clock, ids, ledger, limits, settings } = world;
  const people = createPeople({
    uow: breaker,
    long: world.db.database.long,
    clock,
    findPlaceTrace: () => null,
    ids,
    ledger,
    limits,
    events: world.events,
    settings,
  });
  return { breaker, people, staff: withRights(await world.person(), 'admin.root') };
}

describe.each(ENGINES)('adjustments on %s', (engine) => {
  test('T10 an adjustment that breaks off at any statement leaves nothing behind, and repeated happens once', async () => {
    const { breaker, people, staff } = await open(engine);
    const user = await world.person(100);
    const { userId } = user.actor;
    let crashes = 0;
    for (let call = 1; ; call += 1) {
      breaker.arm(call);
      const outcome = await people
        .adjust(keyed(staff, 'adjust-0001'), userId, { amount: -40, reason: 'taken back' })
        .catch((error: unknown) => error);
      if (!breaker.disarm()) break;
      expect(outcome).toBeInstanceOf(Crash);
      expect(await world.balance(user)).toBe(100);
      expect((await world.notifications.list(userId)).rows).toEqual([]);
      expect(await world.db.sql("SELECT id FROM audit WHERE action = 'users.adjust'")).toEqual([]);
      crashes += 1;
    }
    expect(crashes).toBeGreaterThan(5);
    expect(await world.balance(user)).toBe(60);
    expect(await people.adjust(keyed(staff, 'adjust-0001'), userId, { amount: -40, reason: 'taken back' })).toEqual({
      balance: 60,
    });
    expect(await world.balance(user)).toBe(60);
  }, 300_000);

  test('T1 T10 a reference moves credits once, sent many times at once and again much later', async () => {
    const { people, staff } = await open(engine);
    const [user, other] = [await world.person(30), await world.person(30)];
    const buy = { amount: 25, reason: 'Order 1001', reference: 'order-1001' };
    const take = { amount: -20, reason: 'Order 1002', reference: 'order-1002' };
    await atOnce(40, (index) => people.adjust(staff, user.actor.userId, index % 2 === 0 ? buy : take));
    expect(await world.balance(user)).toBe(35);
    expect((await world.notifications.list(user.actor.userId)).rows).toHaveLength(2);
    world.clock.advance(400 * 24 * 3_600_000);
    expect(await people.adjust(staff, user.actor.userId, buy)).toEqual({ balance: 35, repeated: true });
    // Taken already: there need not be enough left to take it again.
    await people.adjust(staff, user.actor.userId, { amount: -35, reason: 'all of it' });
    expect(await people.adjust(staff, user.actor.userId, take)).toEqual({ balance: 0, repeated: true });
    for (const [userId, changed] of [
      [user.actor.userId, { amount: 26 }],
      [user.actor.userId, { amount: -25 }],
      [other.actor.userId, {}],
    ] as const)
      await expect(people.adjust(staff, userId, { ...buy, ...changed })).rejects.toMatchObject({
        code: 'DUPLICATE_REFERENCE',
      });
    const colleague = withRights(await world.person(), 'admin.root');
    expect(await people.adjust(colleague, user.actor.userId, buy)).toEqual({ balance: 25 });
    expect(await world.db.uow.read((tx) => world.ledger.verify(tx))).toEqual([]);
  }, 300_000);

  test('T1 fifty credits and fifty debits at once end where the sum says, never below zero on the way', async () => {
    const { people, staff } = await open(engine);
    const user = await world.person(30);
    const { userId } = user.actor;
    const ends = await atOnce(100, (index) =>
      people.adjust(staff, userId, { amount: index % 2 === 0 ? 2 : -3, reason: 'back and forth' }),
    );
    const taken = ends.ok === undefined ? 0 : ends.ok - 50;
    expect(ends).toEqual(taken === 50 ? { ok: 100 } : { ok: 50 + taken, INSUFFICIENT_CREDITS: 50 - taken });
    expect(await world.balance(user)).toBe(30 + 100 - 3 * taken);
    const [lowest] = await world.db.sql<{ least: number }>(
      'SELECT MIN(source_after) AS least FROM ledger_postings WHERE source = ?',
      [`user:${userId}`],
    );
    expect(lowest?.least ?? 0).toBeGreaterThanOrEqual(0);
  }, 300_000);

  test('T8 credits that go to somebody with a debt pay the debt first, whole or in part, and then they may spend again', async () => {
    const { people, staff } = await open(engine);
    const user = await world.person(100);
    const { userId } = user.actor;
    await world.uow.run((tx) =>
      world.ledger.chargeBack(tx, {
        userId,
        amount: 130,
        destination: 'system:payment.stripe',
        kind: 'payment.dispute',
        reference: 'back',
      }),
    );
    await world.grant(userId, 7);
    const debt = () => world.uow.read((tx) => world.ledger.balance(tx, `debt:${userId}`));
    expect(await people.adjust(staff, userId, { amount: 20, reason: 'paid at the desk' })).toEqual({ balance: 7 });
    expect(await debt()).toBe(10);
    expect(await people.adjust(staff, userId, { amount: 15, reason: 'the rest, and more' })).toEqual({ balance: 12 });
    expect(await debt()).toBe(0);
    expect(await people.adjust(staff, userId, { amount: -2, reason: 'too much' })).toEqual({ balance: 10 });
    const trail = await world.db.sql<{ before: string; after: string }>(
      "SELECT before, after FROM audit WHERE action = 'users.adjust' ORDER BY id",
    );
    expect(trail.map(({ before, after }) => [JSON.parse(before), JSON.parse(after)])).toMatchObject([
      [
        { credits: 7, debt: 30 },
        { credits: 7, debt: 10, reason: 'paid at the desk' },
      ],
      [
        { credits: 7, debt: 10 },
        { credits: 12, debt: 0 },
      ],
      [{ credits: 12 }, { credits: 10 }],
    ]);
  }, 300_000);

  test('T4 what is no whole amount of credits is a fault of the caller, and moves nothing', async () => {
    const { people, staff } = await open(engine);
    const user = await world.person(10);
    for (const amount of [0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      await expect(people.adjust(staff, user.actor.userId, { amount, reason: 'wrong' })).rejects.toThrow(RangeError);
    }
    expect(await world.balance(user)).toBe(10);
  }, 300_000);
});
