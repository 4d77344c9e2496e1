import { afterEach, beforeEach, expect, test } from 'bun:test';
import { codeOf } from '#tests/support/coins.ts';
import { openJoin } from '#tests/support/join.ts';

let opened: Awaited<ReturnType<typeof openJoin>>;
beforeEach(async () => {
  opened = await openJoin();
});
afterEach(() => opened.world.close());

test('the switch closes page and claim, and pays nothing', async () => {
  const { world, ann, j4r } = opened;
  await world.settings.set(null, { j4r_enabled: false });
  expect([await codeOf(j4r.page(ann)), await codeOf(j4r.claim(ann, 'entry'))]).toEqual([
    'FEATURE_DISABLED',
    'FEATURE_DISABLED',
  ]);
  expect(await world.balance(ann)).toBe(100);
  await world.settings.set(null, { j4r_enabled: true });
  expect(await j4r.claim(ann, 'entry')).toEqual({ state: 'paid', credits: 45, balance: 145 });
});

test('the page says that the budget of the day is spent from its last credit on, and never without a budget', async () => {
  const { world, ann, j4r } = opened;
  await j4r.claim(ann, 'entry');
  for (const [budget, spent] of [
    [0, false],
    [1, true],
    [45, true],
    [46, false],
  ] as const) {
    await world.settings.set(null, { j4r_daily_budget: budget });
    expect([budget, (await j4r.page(ann)).budgetSpent]).toEqual([budget, spent]);
  }
});

test('an entry that is switched off, or leads elsewhere, while Discord is asked pays nothing', async () => {
  const { world, ann, j4r, state } = opened;
  for (const [change, undo] of [
    ['UPDATE j4r_servers SET enabled = 0', 'UPDATE j4r_servers SET enabled = 1'],
    ["UPDATE j4r_servers SET guild_id = 'elsewhere'", "UPDATE j4r_servers SET guild_id = '1186342400000000000'"],
  ] as const) {
    state.meanwhile = () => world.db.sql(change);
    expect(await codeOf(j4r.claim(ann, 'entry'))).toBe('NOT_FOUND');
    await world.db.sql(undo);
  }
  expect(await world.balance(ann)).toBe(100);
  state.meanwhile = async () => undefined;
  expect((await j4r.claim(ann, 'entry')).state).toBe('paid');
});
