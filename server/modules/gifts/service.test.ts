import { afterEach, describe, expect, test } from 'bun:test';
import { MAX_CREDITS } from '#shared/credits.ts';
import { DAY } from '#shared/time.ts';
import { atOnce, codeOf, keyed } from '#tests/support/coins.ts';
import { communityWorld, type CommunityWorld } from '#tests/support/community.ts';
import { Crash, crashing } from '#tests/support/crash.ts';
import { ENGINES } from '#tests/support/db.ts';

// Shows behaviour 5.4.

let world: CommunityWorld;
afterEach(() => world.close());

const feeAccount = () => world.uow.read((tx) => tx.ledger.balance('system:gift.fee'));
const notices = (userId: string) => world.uow.read((tx) => tx.notifications.latest(userId, 10));

describe.each([...ENGINES])('gifts on %s', (engine) => {
  test('T9 the fee is the sender’s, on top, and burnt; both lines and the fee are one transaction', async () => {
    world = await communityWorld(engine);
    const [ann, bob] = [await world.person(500), await world.person(7)];
    expect(await world.gift(ann, bob, 125, 'For the old bridge :)')).toEqual({
      amount: 125,
      fee: 13,
      total: 138,
      balance: 362,
      username: bob.actor.username,
    });
    expect([await world.balance(ann), await world.balance(bob), await feeAccount()]).toEqual([362, 132, 13]);
    const postings = await world.db.sql(
      "SELECT p.source, p.destination, p.amount FROM ledger_postings p JOIN ledger_transactions t ON t.id = p.tx_id WHERE t.kind = 'gift' ORDER BY p.seq",
    );
    expect(postings).toEqual([
      { source: `user:${ann.actor.userId}`, destination: `user:${bob.actor.userId}`, amount: 125 },
      { source: `user:${ann.actor.userId}`, destination: 'system:gift.fee', amount: 13 },
    ]);
    const transactions = await world.db.sql<{ n: number }>(
      "SELECT COUNT(*) AS n FROM ledger_transactions WHERE kind = 'gift'",
    );
    expect(transactions[0]?.n).toBe(1);
    expect(await notices(bob.actor.userId)).toMatchObject([
      { kind: 'giftReceivedNote', data: { name: ann.actor.username, cost: 125, note: 'For the old bridge :)' } },
    ]);
    expect(await notices(ann.actor.userId)).toMatchObject([
      { kind: 'giftSent', data: { name: bob.actor.username, cost: 125 } },
    ]);
  });

  test('T1 one of fifty gifts at once with credits for one arrives', async () => {
    world = await communityWorld(engine);
    const [ann, bob] = [await world.person(120), await world.person()];
    expect(await atOnce(50, () => world.gift(ann, bob, 100))).toEqual({ ok: 1, INSUFFICIENT_CREDITS: 49 });
    expect([await world.balance(ann), await world.balance(bob), await feeAccount()]).toEqual([10, 100, 10]);
  });

  test('T9 fifty at once stop at what one may send in a day; refused ones leave nothing', async () => {
    world = await communityWorld(engine);
    const ann = await world.person(100_000);
    const others = [await world.person(), await world.person()];
    expect(await atOnce(50, (index) => world.gift(ann, others[index % 2] ?? ann, 150))).toEqual({
      ok: 13,
      GIFT_CAP_REACHED: 37,
    });
    expect(await world.balance(ann)).toBe(100_000 - 13 * 165);
    expect((await world.gifts.form(ann, others[0]?.actor.userId ?? '')).leftToday).toBe(50);
    expect(await codeOf(world.gift(ann, others[0] ?? ann, 51))).toBe('GIFT_CAP_REACHED');
    expect(await codeOf(world.gift(ann, others[0] ?? ann, 50))).toBeNull();
    world.clock.advance(DAY);
    expect(await codeOf(world.gift(ann, others[0] ?? ann, 1000))).toBeNull();
  });

  test('T9 a ring of accounts makes nothing: each round burns its fees, whatever crosses', async () => {
    world = await communityWorld(engine);
    const ring = await Promise.all(Array.from({ length: 5 }, () => world.person(400)));
    const tally = await atOnce(50, (index) => {
      const [from, to] = [ring[index % 5], ring[(index + 1 + (index % 4)) % 5]];
      if (!from || !to) throw new Error('nobody');
      return world.gift(from, to, 30);
    });
    const left = await Promise.all(ring.map((who) => world.balance(who)));
    expect(left.reduce((sum, balance) => sum + balance, 0)).toBe(5 * 400 - 3 * (tally.ok ?? 0));
    expect(tally.ok).toBeGreaterThan(30);
    // Gifts are no reward: nobody climbs by them among those who earned.
    await world.leaderboard.refresh();
    expect((await world.leaderboard.view(ring[0]?.actor.userId ?? '', 'month')).places).toEqual([]);
  });

  test('T9 where many feed one, the cap on what one may get holds for fifty at once', async () => {
    world = await communityWorld(engine);
    await world.settings.set(null, { gift_daily_received_cap: 500 });
    const farm = await Promise.all(Array.from({ length: 10 }, () => world.person(2000)));
    const bob = await world.person();
    expect(await atOnce(50, (index) => world.gift(farm[index % 10] ?? bob, bob, 100))).toEqual({
      ok: 5,
      RECIPIENT_CAP_REACHED: 45,
    });
    expect(await world.balance(bob)).toBe(500);
  });

  test('the same request fifty times at once gives once', async () => {
    world = await communityWorld(engine);
    const [ann, bob] = [await world.person(1000), await world.person()];
    expect(await atOnce(50, () => world.gift(keyed(ann, 'key-0001'), bob, 100))).toEqual({ ok: 50 });
    expect([await world.balance(ann), await world.balance(bob)]).toEqual([890, 100]);
    expect(await codeOf(world.gift(keyed(ann, 'key-0001', 'other'), bob, 200))).toBe('IDEMPOTENCY_MISMATCH');
    expect(await notices(bob.actor.userId)).toHaveLength(1);
  });
});

describe('T9 what is refused', () => {
  test('T34 a request that was on its way when its sender was banned sends nothing', async () => {
    world = await communityWorld();
    const [ann, bob] = [await world.person(500), await world.person()];
    await world.status(ann, 'banned');
    expect(await codeOf(world.gift(ann, bob, 100))).toBe('UNAUTHENTICATED');
    expect([await world.balance(ann), await world.balance(bob)]).toEqual([500, 0]);
  });

  test('a gift to oneself is refused, and the unknown, the hidden, the banned and the deleted get the same answer', async () => {
    world = await communityWorld();
    const [ann, bob] = [await world.person(500), await world.person()];
    expect(await codeOf(world.gift(ann, ann, 10))).toBe('GIFT_TO_SELF');
    const answers = async () => [
      await codeOf(world.gift(ann, bob, 10)),
      await codeOf(world.gifts.form(ann, bob.actor.userId)),
    ];
    const refused = ['RECIPIENT_UNAVAILABLE', 'RECIPIENT_UNAVAILABLE'];
    expect(await codeOf(world.gifts.form(ann, world.ids.uuid()))).toBe('RECIPIENT_UNAVAILABLE');
    await world.status(bob, 'banned');
    expect(await answers()).toEqual(refused);
    await world.status(bob, 'deleted');
    expect(await answers()).toEqual(refused);
    await world.status(bob, 'active');
    await world.shows(bob, { profile: false });
    expect(await answers()).toEqual(refused);
    await world.shows(bob, { profile: true });
    expect(await answers()).toEqual([null, null]);
    expect(await world.balance(bob)).toBe(10);
  });

  test('an account that is not older than three days gives nothing, and neither do credits it started with', async () => {
    world = await communityWorld();
    const [fresh, bob] = [await world.person(500, 3 * DAY), await world.person()];
    expect(await codeOf(world.gift(fresh, bob, 10))).toBe('SENDER_TOO_YOUNG');
    expect(await world.gifts.form(fresh, bob.actor.userId)).toMatchObject({ open: false, opensMs: world.clock.now() });
    world.clock.advance(1);
    expect(await codeOf(world.gift(fresh, bob, 10))).toBeNull();
  });

  test('T4 amounts outside the bounds, and what is no amount, are refused', async () => {
    world = await communityWorld();
    const [ann, bob] = [await world.person(5000), await world.person()];
    const send = (amount: number) =>
      codeOf(world.gifts.send(ann, { recipientId: bob.actor.userId, amount, total: 1, note: '' }));
    for (const amount of [
      0,
      -1,
      -1000,
      0.5,
      1001,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1e300,
      Number.MAX_SAFE_INTEGER,
    ])
      expect(await send(amount)).toBe('VALIDATION_FAILED');
    expect(await codeOf(world.gift(ann, bob, 1000))).toBeNull();
    await world.settings.set(null, { gift_min: 50 });
    expect(await codeOf(world.gift(ann, bob, 49))).toBe('VALIDATION_FAILED');
  });

  test('T11 a fee that changed between view and submit is refused', async () => {
    world = await communityWorld();
    const [ann, bob] = [await world.person(500), await world.person()];
    await world.settings.set(null, { gift_fee_percent: 20 });
    expect(
      await codeOf(world.gifts.send(ann, { recipientId: bob.actor.userId, amount: 100, total: 110, note: '' })),
    ).toBe('PRICE_CHANGED');
    expect(
      await codeOf(world.gifts.send(ann, { recipientId: bob.actor.userId, amount: 100, total: 120, note: '' })),
    ).toBeNull();
    await world.settings.set(null, { gift_fee_percent: 0 });
    expect(await world.gift(ann, bob, 100)).toMatchObject({ fee: 0, total: 100, balance: 280 });
  });

  test('what is wrong with a gift is said in one order: the sender’s age, the amount, the price, then the caps', async () => {
    world = await communityWorld();
    await world.settings.set(null, { gift_min: 10, gift_max: 1000, gift_daily_cap: 5, gift_min_account_days: 3 });
    const [young, ann, bob] = [await world.person(500, DAY), await world.person(5000), await world.person()];
    const send = (from: typeof ann, amount: number, total: number) =>
      world.gifts.send(from, { recipientId: bob.actor.userId, amount, total, note: '' });
    expect(await codeOf(send(young, 1, 1))).toBe('SENDER_TOO_YOUNG');
    await expect(send(ann, 9, 1)).rejects.toMatchObject({ fields: { amount: ['TOO_SMALL'] } });
    await expect(send(ann, 1e300, 1)).rejects.toMatchObject({ fields: { amount: ['TOO_SMALL'] } });
    await expect(send(ann, 1001, 1)).rejects.toMatchObject({ fields: { amount: ['TOO_LARGE'] } });
    expect(await codeOf(send(ann, 10, 1))).toBe('PRICE_CHANGED');
    expect(await codeOf(send(ann, 10, 11))).toBe('GIFT_CAP_REACHED');
    await world.settings.set(null, { gift_daily_cap: 10 });
    expect(await codeOf(send(ann, 10, 11))).toBeNull();
  });

  test('a gift of the least amount burns a fee of one credit, and caps of one let one credit through', async () => {
    world = await communityWorld();
    await world.settings.set(null, { gift_min: 1, gift_daily_cap: 1, gift_daily_received_cap: 1 });
    const [ann, bob, cal] = [await world.person(100), await world.person(), await world.person(100)];
    expect(await world.gift(ann, bob, 1)).toMatchObject({ amount: 1, fee: 1, total: 2, balance: 98 });
    expect(await feeAccount()).toBe(1);
    expect(await codeOf(world.gift(ann, cal, 1))).toBe('GIFT_CAP_REACHED');
    expect(await codeOf(world.gift(cal, bob, 1))).toBe('RECIPIENT_CAP_REACHED');
    expect((await world.gifts.form(ann, cal.actor.userId)).leftToday).toBe(0);
  });

  test('the form says what is left of today: nothing once the cap was lowered below what was sent, and no number without a cap', async () => {
    world = await communityWorld();
    await world.settings.set(null, { gift_daily_cap: 100 });
    const [ann, bob] = [await world.person(500), await world.person()];
    await world.gift(ann, bob, 60);
    const left = async () => (await world.gifts.form(ann, bob.actor.userId)).leftToday;
    expect(await left()).toBe(40);
    await world.settings.set(null, { gift_daily_cap: 50 });
    expect(await left()).toBe(0);
    await world.settings.set(null, { gift_daily_cap: 1 });
    expect(await left()).toBe(0);
    await world.settings.set(null, { gift_daily_cap: 0 });
    expect(await left()).toBeNull();
  });

  test('a sender with a debt, and a receiver who could hold no more, are refused', async () => {
    world = await communityWorld();
    const [ann, bob, cal] = [await world.person(10), await world.person(), await world.person(500)];
    const facts = {
      userId: ann.actor.userId,
      amount: 20,
      destination: 'system:payment.stripe',
      kind: 'charge.back',
      reference: 'back:1',
    } as const;
    await world.uow.run((tx) => world.ledger.chargeBack(tx, facts));
    await world.grant(ann.actor.userId, 500);
    expect(await codeOf(world.gift(ann, bob, 10))).toBe('SPENDING_BLOCKED');
    await world.grant(bob.actor.userId, MAX_CREDITS - 5);
    expect(await codeOf(world.gift(cal, bob, 6))).toBe('RECIPIENT_CAP_REACHED');
    expect(await codeOf(world.gift(cal, bob, 5))).toBeNull();
  });
});

test('T10 a gift broken off at any statement leaves nothing behind', async () => {
  let breaker: ReturnType<typeof crashing> | undefined;
  world = await communityWorld('sqlite', (uow) => (breaker = crashing(uow)));
  const [ann, bob] = [await world.person(500), await world.person()];
  let crashes = 0;
  for (let call = 1; ; call++) {
    breaker?.arm(call);
    const outcome = await world.gift(keyed(ann, 'key-0001'), bob, 100).catch((error: unknown) => error);
    if (!breaker?.disarm()) break;
    expect(outcome).toBeInstanceOf(Crash);
    expect([await world.balance(ann), await world.balance(bob)]).toEqual([500, 0]);
    expect((await world.gifts.form(ann, bob.actor.userId)).leftToday).toBe(2000);
    expect(await notices(bob.actor.userId)).toEqual([]);
    crashes += 1;
  }
  expect(crashes).toBeGreaterThan(9);
  expect([await world.balance(ann), await world.balance(bob)]).toEqual([390, 100]);
});
