import { afterEach, describe, expect, test } from 'bun:test';
import { DAY, HOUR } from '#shared/time.ts';
import { atOnce, codeOf, coinWorld, type CoinWorld } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';

// Shows behaviour 4.

let world: CoinWorld;
afterEach(() => world.close());

const afk = (userId: string, amount: number) => ({ userId, source: 'afk', amount }) as const;

describe.each([...ENGINES])('counters on %s', (engine) => {
  test('a cap holds for fifty at once of one user, and leaves others alone', async () => {
    world = await coinWorld(engine);
    await world.settings.set(null, { afk_daily_cap: 100 });
    const pay = (userId: string) => world.uow.run((tx) => world.counters.count(tx, afk(userId, 15)));
    expect(await atOnce(50, () => pay('ann'))).toEqual({ ok: 6, DAILY_CAP_REACHED: 44 });
    expect(await codeOf(pay('bob'))).toBeNull();
    const state = await world.uow.read((tx) => world.counters.state(tx, 'ann', 'afk'));
    expect(state).toMatchObject({ earnedToday: 90, cap: 100, budgetUsed: 105, budget: 0 });
  });

  test('a budget holds for fifty users at once, and what it refuses is not counted', async () => {
    world = await coinWorld(engine);
    await world.settings.set(null, { afk_daily_budget: 100 });
    const tally = await atOnce(50, (index) => world.uow.run((tx) => world.counters.count(tx, afk(`user${index}`, 15))));
    expect(tally).toEqual({ ok: 6, BUDGET_SPENT: 44 });
    const rows = await world.db.sql<{ credits: number }>("SELECT credits FROM earn_counters WHERE user_id <> '*'");
    expect(rows.reduce((sum, { credits }) => sum + credits, 0)).toBe(90);
  });

  test('what everybody earned before there was a budget counts towards it, and what is returned comes off it whole', async () => {
    world = await coinWorld(engine);
    await world.settings.set(null, { afk_daily_cap: 0 });
    const pay = (index: number) => world.uow.run((tx) => world.counters.count(tx, afk(`user${index % 2}`, 15)));
    const used = async () => (await world.uow.read((tx) => world.counters.state(tx, 'user0', 'afk'))).budgetUsed;
    expect(await atOnce(20, pay)).toEqual({ ok: 20 });
    await world.settings.set(null, { afk_daily_budget: 340 });
    expect(await used()).toBe(300);
    expect(await atOnce(5, pay)).toEqual({ ok: 2, BUDGET_SPENT: 3 });
    const back = (amount: number) =>
      world.uow.run((tx) => world.counters.uncount(tx, afk('user0', amount), world.counters.today()));
    await back(325);
    expect(await used()).toBe(5);
    expect(await codeOf(world.uow.run((tx) => world.counters.count(tx, afk('user1', 336))))).toBe('BUDGET_SPENT');
    expect(await codeOf(world.uow.run((tx) => world.counters.count(tx, afk('user1', 335))))).toBeNull();
    await back(400);
    expect(await used()).toBe(0);
  });

  test('a refusal leaves the transaction usable and nothing counted', async () => {
    world = await coinWorld(engine);
    await world.settings.set(null, { afk_daily_budget: 10 });
    const refusals = await world.uow.run(async (tx) => [
      await world.counters.tryCount(tx, afk('ann', 11)),
      await world.counters.tryCount(tx, afk('ann', 8)),
      await world.counters.tryCount(tx, afk('ann', 3)),
      await world.counters.findRefusal(tx, afk('ann', 3)),
      await world.counters.findRefusal(tx, afk('ann', 2)),
    ]);
    expect(refusals).toEqual(['BUDGET_SPENT', null, 'BUDGET_SPENT', 'BUDGET_SPENT', null]);
    expect(await world.uow.read((tx) => world.counters.earnedToday(tx, 'ann', 'afk'))).toBe(8);
  });
});

test('a cap and a budget are used up to their last credit, a cap of one by one credit', async () => {
  world = await coinWorld();
  const room = (amount: number) => world.uow.read((tx) => world.counters.findRefusal(tx, afk('ann', amount)));
  await world.settings.set(null, { afk_daily_cap: 10 });
  await world.uow.run((tx) => world.counters.count(tx, afk('ann', 4)));
  expect([await room(6), await room(7)]).toEqual([null, 'DAILY_CAP_REACHED']);
  await world.settings.set(null, { afk_daily_cap: 1, afk_daily_budget: 5 });
  expect([await room(1), await codeOf(world.uow.run((tx) => world.counters.count(tx, afk('ann', 1))))]).toEqual([
    'DAILY_CAP_REACHED',
    'DAILY_CAP_REACHED',
  ]);
  await world.settings.set(null, { afk_daily_cap: 0, afk_daily_budget: 5 });
  expect([await room(1), await room(2)]).toEqual([null, 'BUDGET_SPENT']);
  await world.settings.set(null, { afk_daily_budget: 1 });
  expect(await room(1)).toBe('BUDGET_SPENT');
});

test('a reward returned on its own day frees cap and budget, and on another day changes nothing', async () => {
  world = await coinWorld();
  await world.settings.set(null, { afk_daily_cap: 10, afk_daily_budget: 20 });
  const counted = () =>
    world.uow.read(async (tx) => {
      const { earnedToday, budgetUsed } = await world.counters.state(tx, 'ann', 'afk');
      return [earnedToday, budgetUsed, await world.counters.earnedToday(tx, 'bob', 'afk')];
    });
  await world.uow.run(async (tx) => {
    await world.counters.count(tx, afk('ann', 10));
    await world.counters.count(tx, afk('bob', 7));
  });
  const day = world.counters.today();
  const back = (amount: number, of: string) =>
    world.uow.run((tx) => world.counters.uncount(tx, afk('ann', amount), of));
  await back(10, '2026-03-09');
  expect(await counted()).toEqual([10, 17, 7]);
  await back(4, day);
  expect(await counted()).toEqual([6, 13, 7]);
  world.clock.advance(DAY);
  await back(4, day);
  world.clock.advance(-DAY);
  expect(await counted()).toEqual([6, 13, 7]);
});

test('zero means no cap and no budget', async () => {
  world = await coinWorld();
  await world.settings.set(null, { afk_daily_cap: 0, afk_daily_budget: 0 });
  await world.uow.run((tx) => world.counters.count(tx, afk('ann', 1_000_000_000)));
  expect(await world.uow.read((tx) => world.counters.findRefusal(tx, afk('ann', 1_000_000_000)))).toBeNull();
});

test('sources are counted apart, and those without bounds freely', async () => {
  world = await coinWorld();
  await world.settings.set(null, { afk_daily_cap: 10 });
  await world.uow.run(async (tx) => {
    await world.counters.count(tx, { userId: 'ann', source: 'j4r', amount: 5000 });
    await world.counters.count(tx, afk('ann', 10));
  });
  expect(await world.uow.read((tx) => world.counters.earnedToday(tx, 'ann', 'afk'))).toBe(10);
});

test('T12 the day is that of app_timezone, also when clocks change, and the week shows its seven days', async () => {
  world = await coinWorld();
  await world.settings.set(null, { app_timezone: 'Europe/Berlin', afk_daily_cap: 10 });
  const state = () => world.uow.read((tx) => world.counters.state(tx, 'ann', 'afk'));
  const pay = () => codeOf(world.uow.run((tx) => world.counters.count(tx, afk('ann', 10))));
  world.clock.set(Date.parse('2026-03-28T22:30:00Z'));
  expect(await pay()).toBeNull();
  expect(await state()).toMatchObject({
    day: '2026-03-28',
    earnedToday: 10,
    resetsAtMs: Date.parse('2026-03-28T23:00:00Z'),
  });
  world.clock.set(Date.parse('2026-03-28T23:00:00Z'));
  expect(await state()).toMatchObject({
    day: '2026-03-29',
    earnedToday: 0,
    resetsAtMs: Date.parse('2026-03-29T22:00:00Z'),
  });
  expect([await pay(), await pay()]).toEqual([null, 'DAILY_CAP_REACHED']);
  world.clock.advance(23 * HOUR - 1);
  expect(await pay()).toBe('DAILY_CAP_REACHED');
  world.clock.advance(1);
  expect(await pay()).toBeNull();
  expect(await world.uow.read((tx) => world.counters.week(tx, 'ann', 'afk'))).toEqual([
    ...['2026-03-24', '2026-03-25', '2026-03-26', '2026-03-27'].map((day) => ({ day, credits: 0 })),
    ...['2026-03-28', '2026-03-29', '2026-03-30'].map((day) => ({ day, credits: 10 })),
  ]);
});

describe.each([...ENGINES])('housekeeping on %s', (engine) => {
  test('counters go after 35 days; what caps, budgets and the week need stays', async () => {
    world = await coinWorld(engine);
    await world.settings.set(null, { afk_daily_cap: 10 });
    const pay = () => codeOf(world.uow.run((tx) => world.counters.count(tx, afk('ann', 10))));
    const days = async () =>
      (await world.db.sql<{ day: string }>("SELECT day FROM earn_counters WHERE user_id = '*' ORDER BY day")).map(
        ({ day }) => day,
      );
    const week = () => world.uow.read((tx) => world.counters.week(tx, 'ann', 'afk'));
    for (let day = 0; day < 37; day += 1) {
      expect(await pay()).toBeNull();
      if (day < 36) world.clock.advance(DAY);
    }
    const all = await days();
    const before = await week();
    await world.uow.run((tx) => tx.counters.purge(all[1] ?? '', 100));
    expect([all.length, await days()]).toEqual([37, all.slice(1)]);
    expect(await week()).toEqual(before);
    expect(await pay()).toBe('DAILY_CAP_REACHED');
    const rows = await world.db.sql<{ user_id: string }>('SELECT user_id FROM earn_counters');
    expect(rows).toHaveLength(72);
  });
});

test('T12 a clock that goes back to yesterday finds yesterday full', async () => {
  world = await coinWorld();
  await world.settings.set(null, { afk_daily_cap: 10 });
  const pay = () => codeOf(world.uow.run((tx) => world.counters.count(tx, afk('ann', 10))));
  expect(await pay()).toBeNull();
  world.clock.advance(DAY);
  expect(await pay()).toBeNull();
  world.clock.advance(-DAY);
  expect(await pay()).toBe('DAILY_CAP_REACHED');
});
