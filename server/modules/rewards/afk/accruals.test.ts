import { afterEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { openTab, sit, type Tab } from '#tests/support/afk-tab.ts';
import { atOnce, codeOf, coinWorld, type CoinWorld } from '#tests/support/coins.ts';
import { ENGINES, proveLedger } from '#tests/support/db.ts';
import { MAX_CREDITS } from '#shared/credits.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';

let world: CoinWorld;
afterEach(() => world.close());

const NOON = Date.UTC(2026, 2, 10, 12);
const hourOf = (ms: number) => Math.floor(ms / HOUR);

/** What was posted for presence, in the order of its postings. */
const posted = () =>
  world.db.sql<{ reference: string; amount: number; created_ms: number }>(
    `SELECT t.reference, p.amount, t.created_ms FROM ledger_transactions t JOIN ledger_postings p ON p.tx_id = t.id
     WHERE t.kind = 'reward.afk' ORDER BY t.created_ms, t.id`,
  );
/** What is not posted yet. */
const open = async () =>
  (await world.db.sql<{ amount: number }>('SELECT amount FROM ledger_accruals ORDER BY account')).map(
    ({ amount }) => amount,
  );
/** The statement's lines, oldest first: what moved, and what the wallet had then. */
const lines = async ({ actor }: SignedIn) =>
  (await world.uow.read((tx) => tx.ledger.history(`user:${actor.userId}`, { limit: 100 }))).rows
    .map(({ amount, balanceAfter }) => ({ amount, balanceAfter }))
    .toReversed();

async function tabAt(ms: number, perMinute = 1): Promise<Tab> {
  world.clock.set(ms);
  await world.settings.set(null, { afk_per_minute: perMinute });
  return openTab(world, await world.person());
}

describe.each([...ENGINES])('minutes that are posted once an hour, on %s', (engine) => {
  test('T13 the balance moves with each minute, and the minutes of an hour are one transaction', async () => {
    world = await coinWorld(engine);
    const tab = await tabAt(NOON + 52 * MINUTE);
    const accrued = () => world.uow.read((tx) => world.ledger.accrued(tx, tab.ctx.actor.userId));
    expect(await accrued()).toBe(0);
    let heard = 0;
    world.bus.subscribe(`user:${tab.ctx.actor.userId}`, () => void (heard += 1));
    await sit(tab, 3);
    // Who keeps the balance hears that it moved, as after every posting.
    expect(heard).toBeGreaterThanOrEqual(3);
    expect([await accrued(), await world.balance(tab.ctx)]).toEqual([3, 3]);
    expect([await posted(), await open()]).toEqual([[], [3]]);
    for (let beat = 0; beat < 3 * 7; beat += 1) await tab.live();
    // The minute whose follower would count for the next hour closes this one.
    const [first, ...more] = await posted();
    expect(first).toMatchObject({ reference: `afk:${tab.id}:${hourOf(NOON)}`, amount: 7 });
    expect(hourOf(first?.created_ms ?? 0)).toBe(hourOf(NOON));
    expect([more, await open()]).toEqual([[], [3]]);
    expect(await world.balance(tab.ctx)).toBe(10);
    await world.afk.stop(tab.ctx);
    expect((await posted())[1]).toMatchObject({ reference: `afk:${tab.id}:${hourOf(NOON) + 1}`, amount: 3 });
    expect(await open()).toEqual([]);
    expect(await world.balance(tab.ctx)).toBe(10);
  });

  test('T1 fifty purchases at once spend what this hour earned exactly once', async () => {
    world = await coinWorld(engine);
    const memory = await world.item('memory');
    const tab = await tabAt(NOON, memory.price / 2);
    await sit(tab, 2);
    expect(await open()).toEqual([memory.price]);
    const buy = () => world.store.buy(tab.ctx, { itemId: memory.id, units: 1, price: memory.price });
    expect(await atOnce(50, buy)).toEqual({ ok: 1, INSUFFICIENT_CREDITS: 49 });
    expect([await world.balance(tab.ctx), await open()]).toEqual([0, []]);
    expect(await lines(tab.ctx)).toEqual([
      { amount: memory.price, balanceAfter: memory.price },
      { amount: -memory.price, balanceAfter: 0 },
    ]);
  });

  test('an hour in which credits are spent has several transactions, and a statement whose balances follow', async () => {
    world = await coinWorld(engine);
    const memory = await world.item('memory');
    const tab = await tabAt(NOON, memory.price);
    await sit(tab, 2);
    await world.store.buy(tab.ctx, { itemId: memory.id, units: 1, price: memory.price });
    for (let beat = 0; beat < 3; beat += 1) await tab.live();
    await world.afk.stop(tab.ctx);
    const first = `afk:${tab.id}:${hourOf(NOON)}`;
    expect((await posted()).map(({ reference }) => reference)).toEqual([first, `${first}:${NOON + 3 * MINUTE}`]);
    let balance = 0;
    for (const { amount, balanceAfter } of await lines(tab.ctx)) {
      balance += amount;
      expect(balanceAfter).toBe(balance);
    }
    expect(balance).toBe(2 * memory.price);
  });

  test('T13 beats and purchases of many at once lose and double nothing', async () => {
    world = await coinWorld(engine);
    const memory = await world.item('memory');
    world.clock.set(NOON);
    await world.settings.set(null, { afk_per_minute: memory.price, afk_daily_cap: 100 * memory.price });
    const tabs = await Promise.all(Array.from({ length: 12 }, async () => openTab(world, await world.person())));
    for (const tab of tabs) await sit(tab, 0);
    let bought = 0;
    for (let beat = 0; beat < 12; beat += 1) {
      world.pass(20 * SECOND);
      const challenges = await Promise.all(tabs.map((tab) => tab.challenge()));
      const buys = tabs.map((tab) => world.store.buy(tab.ctx, { itemId: memory.id, units: 1, price: memory.price }));
      const [, results] = await Promise.all([
        Promise.all(tabs.map((tab, index) => tab.answer(challenges[index] ?? ''))),
        Promise.allSettled(buys),
      ]);
      bought += results.filter(({ status }) => status === 'fulfilled').length;
    }
    const balances = await Promise.all(tabs.map(({ ctx }) => world.balance(ctx)));
    const sum = balances.reduce((all, one) => all + one, 0);
    expect(bought).toBeGreaterThan(0);
    expect(sum + bought * memory.price).toBe(12 * 4 * memory.price);
    await proveLedger(world.uow);
  });

  test('who goes away without a word has their minutes posted when the hour is over, once', async () => {
    world = await coinWorld(engine);
    const tab = await tabAt(NOON);
    await sit(tab, 5);
    await tab.leave();
    expect(await world.afk.postDue()).toBe(0);
    world.clock.set(NOON + HOUR);
    await atOnce(50, () => world.afk.postDue());
    expect(await posted()).toMatchObject([{ reference: `afk:${tab.id}:${hourOf(NOON)}`, amount: 5 }]);
    expect([await open(), await world.balance(tab.ctx)]).toEqual([[], 5]);
  });

  test('another session begins another transaction, even within the hour', async () => {
    world = await coinWorld(engine);
    const first = await tabAt(NOON);
    await sit(first, 2);
    const second = await openTab(world, first.ctx);
    await sit(second, 1);
    expect(await posted()).toMatchObject([{ reference: `afk:${first.id}:${hourOf(NOON)}`, amount: 2 }]);
    expect([await open(), await world.balance(first.ctx)]).toEqual([[1], 3]);
  });
});

describe('days and bounds', () => {
  test('the minutes before midnight count for the day they were earned on', async () => {
    world = await coinWorld();
    const tab = await tabAt(NOON + 12 * HOUR - 10 * MINUTE);
    await sit(tab, 12);
    await world.afk.stop(tab.ctx);
    expect(
      await world.db.sql(
        "SELECT day, CAST(SUM(minted) AS BIGINT) AS minted FROM ledger_days WHERE account = 'system:reward.afk' GROUP BY day ORDER BY day",
      ),
    ).toEqual([
      { day: '2026-03-10', minted: 9 },
      { day: '2026-03-11', minted: 3 },
    ]);
  });

  test('a minute that the wallet cannot hold is refused, and what was earned before stays', async () => {
    world = await coinWorld();
    const tab = await tabAt(NOON);
    await world.grant(tab.ctx.actor.userId, MAX_CREDITS - 1);
    await sit(tab, 1);
    expect(await world.balance(tab.ctx)).toBe(MAX_CREDITS);
    await tab.live();
    await tab.live();
    expect(await codeOf(tab.live())).toBe('WALLET_FULL');
    expect(await world.balance(tab.ctx)).toBe(MAX_CREDITS);
  });

  test('what was earned today and the balance of days know the minutes that are not posted yet', async () => {
    world = await coinWorld();
    const tab = await tabAt(NOON);
    await sit(tab, 4);
    const account = `user:${tab.ctx.actor.userId}` as const;
    const read = await world.uow.read(async (tx) => ({
      today: await tx.ledger.earnedSince(account, NOON - 12 * HOUR),
      later: await tx.ledger.earnedSince(account, NOON + HOUR),
      days: await tx.ledger.balanceAt(account, [NOON - HOUR, NOON + HOUR]),
    }));
    expect(read).toEqual({ today: 4, later: 0, days: [0, 4] });
  });
});
