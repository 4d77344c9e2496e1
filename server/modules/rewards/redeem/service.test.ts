import { afterEach, describe, expect, test } from 'bun:test';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { atOnce, codeOf, coinWorld, keyed, nth, withRights, type CoinWorld } from '#tests/support/coins.ts';
import { Crash, crashing } from '#tests/support/crash.ts';
import { ENGINES } from '#tests/support/db.ts';

let world: CoinWorld;
afterEach(() => world.close());

describe.each([...ENGINES])('redeem on %s', (engine) => {
  test('a code pays once, is counted and stands in the history', async () => {
    world = await coinWorld(engine);
    const ann = await world.person(7);
    await world.code('WELCOME-2026', { credits: 50, uses: 3 });
    expect(await world.redeem.redeem(ann, ' welcome_2026 ')).toEqual({ credits: 50, balance: 57, state: 'paid' });
    const page = await world.redeem.page(ann);
    expect(page.history.map(({ code, credits, atMs }) => ({ code, credits, atMs }))).toEqual([
      { code: 'WELCOME-2026', credits: 50, atMs: world.clock.now() },
    ]);
    expect(page).toMatchObject({ triesLeft: 10, earnedToday: 50, cap: 0, budgetSpent: false });
    const [row] = await world.db.sql('SELECT kind, reference, subject FROM ledger_transactions WHERE kind = ?', [
      'reward.redeem',
    ]);
    expect(row).toMatchObject({ subject: 'WELCOME-2026' });
    expect(await world.db.sql('SELECT uses_count FROM redeem_codes')).toEqual([{ uses_count: 1 }]);
    expect(await codeOf(world.redeem.redeem(ann, 'WELCOME2026'))).toBe('CODE_ALREADY_USED');
  });

  test('T2 a hundred tries of one user at once pay once', async () => {
    world = await coinWorld(engine);
    const ann = await world.person();
    await world.code('ONE', { credits: 5, uses: 100 });
    const tally = await atOnce(100, () => world.redeem.redeem(ann, 'ONE'));
    expect(tally.ok).toBe(1);
    expect(Object.keys(tally).every((code) => ['ok', 'CODE_ALREADY_USED', 'RATE_LIMITED'].includes(code))).toBe(true);
    expect(await world.balance(ann)).toBe(5);
    expect(await world.db.sql('SELECT uses_count FROM redeem_codes')).toEqual([{ uses_count: 1 }]);
  });

  test('T2 a hundred users for the last use leave one who gets it', async () => {
    world = await coinWorld(engine);
    const people = await Promise.all(Array.from({ length: 100 }, () => world.person()));
    await world.code('LAST', { credits: 9, uses: 3, usesCount: 2 });
    expect(await atOnce(100, (index) => world.redeem.redeem(nth(people, index), 'last'))).toEqual({
      ok: 1,
      CODE_EXHAUSTED: 99,
    });
    const balances = await Promise.all(people.map(world.balance));
    expect(balances.reduce((sum, balance) => sum + balance, 0)).toBe(9);
  });

  test('the same request fifty times at once pays once and answers all alike', async () => {
    world = await coinWorld(engine);
    const ann = await world.person();
    await world.code('TWICE', { credits: 5 });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => world.redeem.redeem(keyed(ann, 'key-0001'), 'TWICE')),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set(['{"credits":5,"balance":5,"state":"paid"}']),
    );
    expect(await world.balance(ann)).toBe(5);
    expect(await codeOf(world.redeem.redeem(keyed(ann, 'key-0001', 'other'), 'OTHER'))).toBe('IDEMPOTENCY_MISMATCH');
    expect((await world.redeem.page(ann)).triesLeft).toBe(10);
  });

  test('ten of fifty guesses at once are checked', async () => {
    world = await coinWorld(engine);
    const ann = await world.person();
    await world.code('GUESSED');
    expect(await atOnce(50, (index) => world.redeem.redeem(ann, `guess ${index}`))).toEqual({
      CODE_UNKNOWN: 10,
      RATE_LIMITED: 40,
    });
    expect(await codeOf(world.redeem.redeem(ann, 'GUESSED'))).toBe('RATE_LIMITED');
  });

  test('caps and budgets hold for fifty users at once', async () => {
    world = await coinWorld(engine);
    await world.settings.set(null, { redeem_daily_budget: 100 });
    const people = await Promise.all(Array.from({ length: 50 }, () => world.person()));
    await world.code('BUDGET', { credits: 30, uses: 100 });
    expect(await atOnce(50, (index) => world.redeem.redeem(nth(people, index), 'BUDGET'))).toEqual({
      ok: 3,
      BUDGET_SPENT: 47,
    });
    expect(await world.db.sql('SELECT uses_count FROM redeem_codes')).toEqual([{ uses_count: 3 }]);
  });
});

describe('refusals of a code', () => {
  test('T3 a code that is disabled, deleted, expired, not started, used up or none is refused', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const now = world.clock.now();
    const gone = await world.code('DELETED');
    await world.db.sql('DELETE FROM redeem_codes WHERE id = ?', [gone]);
    await world.code('DISABLED', { enabled: false });
    await world.code('EARLY', { startsMs: now + 1 });
    await world.code('LATE', { endsMs: now });
    await world.code('USED', { uses: 2, usesCount: 2 });
    await world.code('NOUSES', { uses: 0 });
    const refusals = ['DELETED', 'DISABLED', 'EARLY', 'LATE', 'USED', 'NOUSES', ' -_- '].map((text) =>
      codeOf(world.redeem.redeem(ann, text)),
    );
    expect(await Promise.all(refusals)).toEqual([
      'CODE_UNKNOWN',
      'CODE_DISABLED',
      'CODE_NOT_STARTED',
      'CODE_EXPIRED',
      'CODE_EXHAUSTED',
      'CODE_EXHAUSTED',
      'CODE_UNKNOWN',
    ]);
    expect(await world.balance(ann)).toBe(0);
    expect((await world.redeem.page(ann)).triesLeft).toBe(3);
  });

  test('a young account waits to redeem', async () => {
    world = await coinWorld();
    const young = await world.person(0, HOUR);
    await world.code('OLDER', { minAgeDays: 1 });
    expect(await codeOf(world.redeem.redeem(young, 'OLDER'))).toBe('ACCOUNT_TOO_YOUNG');
    world.pass(DAY);
    expect(await codeOf(world.redeem.redeem(young, 'OLDER'))).toBeNull();
  });

  test('the cap of a day is counted in the time zone of the installation', async () => {
    world = await coinWorld();
    await world.settings.set(null, { redeem_daily_cap: 80, app_timezone: 'Asia/Tokyo' });
    const ann = await world.person();
    for (const text of ['A', 'B', 'C']) await world.code(text, { credits: 40 });
    await world.redeem.redeem(ann, 'A');
    await world.redeem.redeem(ann, 'B');
    expect(await codeOf(world.redeem.redeem(ann, 'C'))).toBe('DAILY_CAP_REACHED');
    // 12:00 UTC is 21:00 in Tokyo: the day ends three hours later.
    world.pass(3 * HOUR - 1);
    expect(await codeOf(world.redeem.redeem(ann, 'C'))).toBe('DAILY_CAP_REACHED');
    world.pass(1);
    expect(await codeOf(world.redeem.redeem(ann, 'C'))).toBeNull();
    expect(await world.redeem.page(ann)).toMatchObject({ earnedToday: 40, cap: 80 });
  });

  test('E11 somebody at their cap is refused as often as they try and is not locked out for an hour', async () => {
    world = await coinWorld();
    await world.settings.set(null, { redeem_daily_cap: 50 });
    const ann = await world.person();
    for (const text of ['A', 'B']) await world.code(text, { credits: 40 });
    await world.redeem.redeem(ann, 'A');
    for (let index = 0; index < 15; index += 1)
      expect(await codeOf(world.redeem.redeem(ann, 'B'))).toBe('DAILY_CAP_REACHED');
    expect((await world.redeem.page(ann)).triesLeft).toBe(10);
    world.pass(DAY);
    expect(await codeOf(world.redeem.redeem(ann, 'B'))).toBeNull();
  });

  test('E11 what is wrong with the day, the account or a code one has already is no wrong try', async () => {
    world = await coinWorld();
    const young = await world.person(0, HOUR);
    await world.code('OLDER', { minAgeDays: 1 });
    await world.code('MINE');
    await world.code('DEAR', { credits: 500 });
    await world.redeem.redeem(young, 'MINE');
    await world.settings.set(null, { redeem_daily_budget: 300 });
    for (let index = 0; index < 12; index += 1) {
      expect(await codeOf(world.redeem.redeem(young, 'OLDER'))).toBe('ACCOUNT_TOO_YOUNG');
      expect(await codeOf(world.redeem.redeem(young, 'MINE'))).toBe('CODE_ALREADY_USED');
      expect(await codeOf(world.redeem.redeem(young, 'DEAR'))).toBe('BUDGET_SPENT');
    }
    expect((await world.redeem.page(young)).triesLeft).toBe(10);
  });

  test('E11 whoever is at the cap learns nothing of any code, and a guess that misses counts as before', async () => {
    world = await coinWorld();
    await world.settings.set(null, { redeem_daily_cap: 50 });
    const ann = await world.person();
    await world.code('FULL', { credits: 50 });
    await world.code('REAL', { credits: 5 });
    await world.code('OFF', { enabled: false });
    for (let index = 0; index < 4; index += 1)
      expect(await codeOf(world.redeem.redeem(ann, `GUESS${index}`))).toBe('CODE_UNKNOWN');
    await world.redeem.redeem(ann, 'FULL');
    for (const text of ['REAL', 'OFF', 'NOBODYS', 'FULL', ''])
      expect(await codeOf(world.redeem.redeem(ann, text))).toBe('DAILY_CAP_REACHED');
    expect((await world.redeem.page(ann)).triesLeft).toBe(6);
    const bob = await world.person();
    await world.settings.set(null, { redeem_daily_budget: 50 });
    for (const text of ['REAL', 'OFF', 'NOBODYS'])
      expect(await codeOf(world.redeem.redeem(bob, text))).toBe('BUDGET_SPENT');
    await world.settings.set(null, { redeem_daily_budget: 0 });
    expect(await atOnce(50, (index) => world.redeem.redeem(bob, `guess ${index}`))).toEqual({
      CODE_UNKNOWN: 10,
      RATE_LIMITED: 40,
    });
  });

  test('ten wrong tries an hour are allowed, kept over a restart, and good ones do not count', async () => {
    world = await coinWorld();
    const ann = await world.person();
    await world.code('GOOD');
    for (let index = 0; index < 9; index++)
      expect(await codeOf(world.redeem.redeem(ann, `NO${index}`))).toBe('CODE_UNKNOWN');
    expect(await codeOf(world.redeem.redeem(ann, 'GOOD'))).toBeNull();
    expect((await world.redeem.page(ann)).triesLeft).toBe(1);
    expect(await codeOf(world.redeem.redeem(ann, 'NO'))).toBe('CODE_UNKNOWN');
    world.pass(HOUR - 5 * MINUTE);
    const refused = await world.redeem.redeem(ann, 'NO').catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'RATE_LIMITED', retryAfterS: 300 });
    expect(await world.db.sql('SELECT count FROM attempts WHERE key = ?', [`redeem:${ann.actor.userId}`])).toEqual([
      { count: 10 },
    ]);
    world.pass(5 * MINUTE);
    expect(await codeOf(world.redeem.redeem(ann, 'NO'))).toBe('CODE_UNKNOWN');
    expect((await world.redeem.page(ann)).triesLeft).toBe(9);
  });

  test('a refused key may be used again for another code', async () => {
    world = await coinWorld();
    const ann = await world.person();
    await world.code('RIGHT', { credits: 5 });
    expect(await codeOf(world.redeem.redeem(keyed(ann, 'key-0001', 'a'), 'WRONG'))).toBe('CODE_UNKNOWN');
    expect(await world.redeem.redeem(keyed(ann, 'key-0001', 'b'), 'RIGHT')).toEqual({
      credits: 5,
      balance: 5,
      state: 'paid',
    });
  });

  test('an answer is repeated also when the tries are used up', async () => {
    world = await coinWorld();
    const ann = await world.person();
    await world.code('RIGHT', { credits: 5 });
    await world.redeem.redeem(keyed(ann, 'key-0001'), 'RIGHT');
    for (let index = 0; index < 10; index++) await codeOf(world.redeem.redeem(ann, `NO${index}`));
    expect(await world.redeem.redeem(keyed(ann, 'key-0001'), 'RIGHT')).toEqual({
      credits: 5,
      balance: 5,
      state: 'paid',
    });
  });

  test('T10 a redemption broken off at any statement pays, uses and counts nothing', async () => {
    let breaker: ReturnType<typeof crashing> | undefined;
    world = await coinWorld('sqlite', (uow) => (breaker = crashing(uow)));
    const ann = await world.person();
    await world.code('BREAK', { credits: 5 });
    let crashes = 0;
    for (let call = 1; ; call++) {
      breaker?.arm(call);
      const outcome = await world.redeem.redeem(keyed(ann, 'key-0001'), 'BREAK').catch((error: unknown) => error);
      if (!breaker?.disarm()) break;
      expect(outcome).toBeInstanceOf(Crash);
      expect(await world.balance(ann)).toBe(0);
      expect(await world.redeem.page(ann)).toMatchObject({ history: [], triesLeft: 10, earnedToday: 0 });
      expect(await world.db.sql('SELECT uses_count FROM redeem_codes')).toEqual([{ uses_count: 0 }]);
      crashes += 1;
    }
    expect(crashes).toBeGreaterThan(10);
    expect(await world.balance(ann)).toBe(5);
  });
});

test('a budget spent to its last credit is shown as spent and pays no code, and costs no tries', async () => {
  world = await coinWorld();
  const [ann, ben] = [await world.person(), await world.person()];
  await world.code('FIFTY', { credits: 50 });
  await world.code('ONE', { credits: 1 });
  await world.settings.set(null, { redeem_daily_budget: 51 });
  await world.redeem.redeem(ann, 'FIFTY');
  expect((await world.redeem.page(ben)).budgetSpent).toBe(false);
  expect(await codeOf(world.redeem.redeem(ben, 'FIFTY'))).toBe('BUDGET_SPENT');
  await world.redeem.redeem(ann, 'ONE');
  expect(await world.redeem.page(ben)).toMatchObject({ budgetSpent: true, triesLeft: 10 });
  expect(await codeOf(world.redeem.redeem(ben, 'no such code'))).toBe('BUDGET_SPENT');
  await world.settings.set(null, { redeem_daily_budget: 1 });
  expect((await world.redeem.page(ben)).budgetSpent).toBe(true);
  expect(await codeOf(world.redeem.redeem(ben, 'no such code'))).toBe('BUDGET_SPENT');
});

test('a cap of one credit is reached by one credit, and then no code is even looked for', async () => {
  world = await coinWorld();
  const ann = await world.person();
  await world.code('ONE', { credits: 1 });
  await world.settings.set(null, { redeem_daily_cap: 1 });
  await world.redeem.redeem(ann, 'ONE');
  expect(await codeOf(world.redeem.redeem(ann, 'no such code'))).toBe('DAILY_CAP_REACHED');
  expect(await world.redeem.page(ann)).toMatchObject({ triesLeft: 10, earnedToday: 1, cap: 1 });
});

test('the last wrong try leaves none, also where fewer were allowed since', async () => {
  world = await coinWorld();
  const ann = await world.person();
  await world.settings.set(null, { redeem_wrong_tries: 2 });
  for (const left of [1, 0]) {
    expect(await codeOf(world.redeem.redeem(ann, 'nothing'))).toBe('CODE_UNKNOWN');
    expect((await world.redeem.page(ann)).triesLeft).toBe(left);
  }
  await world.settings.set(null, { redeem_wrong_tries: 1 });
  expect((await world.redeem.page(ann)).triesLeft).toBe(0);
  await expect(world.redeem.redeem(ann, 'nothing')).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterS: 3600 });
  world.clock.advance(HOUR - 1);
  await expect(world.redeem.redeem(ann, 'nothing')).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterS: 1 });
  world.clock.advance(1);
  expect(await codeOf(world.redeem.redeem(ann, 'nothing'))).toBe('CODE_UNKNOWN');
});

test('who made or changed a code does not redeem it, whatever else they may do as staff, but who may do everything', async () => {
  world = await coinWorld();
  const [ann, ben] = [await world.person(), await world.person()];
  const [made, changed] = [await world.code('MADE'), await world.code('CHANGED')];
  await world.db.sql('UPDATE redeem_codes SET created_by = ? WHERE id = ?', [ann.actor.userId, made]);
  await world.db.sql('UPDATE redeem_codes SET changed_by = ? WHERE id = ?', [ann.actor.userId, changed]);
  const staff = withRights(ann, 'admin.dashboard.view', 'admin.redeem.codes.edit');
  for (const code of ['MADE', 'CHANGED']) expect(await codeOf(world.redeem.redeem(staff, code))).toBe('CODE_OWN');
  expect(await world.balance(ann)).toBe(0);
  expect(await codeOf(world.redeem.redeem(ben, 'MADE'))).toBeNull();
  expect(await codeOf(world.redeem.redeem(withRights(ann, 'admin.root'), 'MADE'))).toBeNull();
  expect([await world.balance(ann), await world.balance(ben)]).toEqual([50, 50]);
});
