import { afterEach, describe, expect, test } from 'bun:test';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { subscriber } from '#server/modules/events/index.ts';
import { openTab, reopen, sit } from '#tests/support/afk-tab.ts';
import { atOnce, codeOf, coinWorld, keyed, type CoinWorld } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';

let world: CoinWorld;
afterEach(() => world.close());

describe.each([...ENGINES])('presence on %s', (engine) => {
  test('a minute that beats span pays a credit, and the stream says so', async () => {
    world = await coinWorld(engine);
    const ann = await world.person(10);
    const tab = await openTab(world, ann);
    expect(await tab.answer((await tab.challenge()) ?? '')).toEqual({
      countedMs: 0,
      nextPayoutMs: MINUTE,
      earned: 0,
      earnedToday: 0,
    });
    expect(await tab.live()).toEqual({ countedMs: 20 * SECOND, nextPayoutMs: 40 * SECOND, earned: 0, earnedToday: 0 });
    await tab.live();
    expect(await tab.live()).toEqual({ countedMs: MINUTE, nextPayoutMs: MINUTE, earned: 1, earnedToday: 1 });
    expect(await tab.nextEvent()).toEqual({ event: 'paid', data: { earned: 1, balance: 11 } });
    const state = await world.afk.state(ann);
    expect(state).toMatchObject({
      earnedToday: 1,
      cap: 480,
      budgetUsed: 1,
      budget: 0,
      perMinute: 1,
      nextPayoutMs: MINUTE,
    });
    expect(state.session).toMatchObject({ id: tab.id, device: 'Firefox · Linux', earned: 1, minutes: 1 });
    expect(state.week.at(-1)).toEqual({ day: '2026-03-10', credits: 1 });
  });

  test('T13 one challenge answered fifty times at once counts once', async () => {
    world = await coinWorld(engine);
    const ann = await world.person();
    const tab = await openTab(world, ann);
    await sit(tab, 0);
    for (let minute = 1; minute <= 2; minute++) {
      await tab.live();
      await tab.live();
      world.pass(20 * SECOND);
      const challenge = (await tab.challenge()) ?? '';
      expect(await atOnce(50, () => tab.answer(challenge))).toEqual({ ok: 1, AFK_CHALLENGE_WRONG: 49 });
      expect(await world.balance(ann)).toBe(minute);
    }
  });

  test('T13 fifty starts at once leave one session, and each of the others is notified', async () => {
    world = await coinWorld(engine);
    const ann = await world.person();
    expect(await atOnce(50, () => world.afk.start(ann))).toEqual({ ok: 50 });
    const rows = await world.db.sql<{ end_reason: string | null }>('SELECT end_reason FROM afk_sessions ORDER BY id');
    expect(rows.filter(({ end_reason: reason }) => reason === null)).toHaveLength(1);
    expect(rows.filter(({ end_reason: reason }) => reason === 'taken_over')).toHaveLength(49);
  });

  test('a start that is sent once more with its key has the answer of the first time, and ends no session', async () => {
    world = await coinWorld(engine);
    const ann = keyed(await world.person(), 'the-start');
    const first = await world.afk.start(ann);
    expect(await world.afk.start(ann)).toEqual(first);
    expect((await world.afk.state(ann)).session).toMatchObject({ id: first.sessionId });
    expect((await world.afk.start({ ...ann, idempotency: null })).tookOver).not.toBeNull();
  });

  test('T52 sessions that paid nothing are forgotten with the first start a day later, those that paid are kept', async () => {
    world = await coinWorld(engine);
    const ann = await world.person();
    const tab = await openTab(world, ann);
    await sit(tab, 1);
    for (let turn = 0; turn < 20; turn += 1) await world.afk.start(ann);
    const count = async () => (await world.db.sql('SELECT id FROM afk_sessions')).length;
    expect(await count()).toBe(21);
    world.pass(DAY + 1);
    await world.afk.start(ann);
    expect(await count()).toBe(3);
    expect(await world.balance(ann)).toBe(1);
  });

  test('T13 a stream that was replaced cannot put its challenge over the new one', async () => {
    world = await coinWorld(engine);
    const { sessionId: id } = await world.afk.start(await world.person());
    const now = world.clock.now();
    const issue = (after: string | null, challenge: string) =>
      world.uow.run((tx) => tx.afk.issue(id, after, challenge, now));
    expect([await issue(null, 'old 1'), await issue('old 1', 'old 2'), await issue(null, 'new 1')]).toEqual([
      true,
      true,
      true,
    ]);
    expect([await issue('old 2', 'old 3'), await issue('new 1', 'new 2')]).toEqual([false, true]);
    expect((await world.uow.read((tx) => tx.afk.find(id)))?.challenge).toBe('new 2');
    await world.uow.run((tx) => tx.afk.end(id, 'stopped', now));
    expect(await issue('new 2', 'new 3')).toBe(false);
  });

  test('the budget of the installation holds for many at once', async () => {
    world = await coinWorld(engine);
    await world.settings.set(null, { afk_daily_budget: 5 });
    const tabs = await Promise.all(Array.from({ length: 20 }, async () => openTab(world, await world.person())));
    for (const tab of tabs) await sit(tab, 0);
    for (let beat = 0; beat < 3; beat++) {
      world.pass(20 * SECOND);
      const challenges = await Promise.all(tabs.map((tab) => tab.challenge()));
      await Promise.all(tabs.map((tab, index) => tab.answer(challenges[index] ?? '')));
    }
    const balances = await Promise.all(tabs.map((tab) => world.balance(tab.ctx)));
    expect(balances.reduce((sum, balance) => sum + balance, 0)).toBe(5);
    const ended = await world.db.sql<{ end_reason: string | null }>(
      'SELECT end_reason FROM afk_sessions WHERE end_reason IS NOT NULL',
    );
    // The one who took the last credit is told at once as well: no further minute would be paid.
    expect(ended).toHaveLength(16);
    expect(ended.every(({ end_reason: reason }) => reason === 'budget')).toBe(true);
    expect(await codeOf(world.afk.start(await world.person()))).toBe('BUDGET_SPENT');
  });
});

describe('taking over', () => {
  test('a second device takes over, and the first is notified by whom', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const phone = await world.login(ann.actor.userId, ann.actor.username, 'Safari · iPhone');
    const first = await openTab(world, ann);
    await sit(first, 1);
    const started = await world.afk.start(phone);
    expect(started.tookOver).toBe('Firefox · Linux');
    expect(started.state.session).toMatchObject({ id: started.sessionId, device: 'Safari · iPhone', earned: 0 });
    expect(await first.nextEvent()).toEqual({ event: 'paid', data: { earned: 1, balance: 1 } });
    expect(await first.nextEvent()).toEqual({
      event: 'ended',
      data: { reason: 'taken_over', device: 'Safari · iPhone' },
    });
    expect(await first.nextEvent()).toBeNull();
    expect(await codeOf(first.answer('anything'))).toBe('AFK_TAKEN_OVER');
    expect(await codeOf(reopen(world, ann, first.id))).toBe('AFK_SESSION_ENDED');
  });

  test('T13 many tabs and devices earn no more than one', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const phone = await world.login(ann.actor.userId, ann.actor.username, 'Safari · iPhone');
    for (let round = 0; round < 12; round++) {
      const tab = await openTab(world, round % 2 ? phone : ann);
      await sit(tab, 0);
      await tab.live();
      await tab.leave();
    }
    // Each session was present for 20 seconds only: no minute got full in any.
    expect(await world.balance(ann)).toBe(0);
  });

  test('T13 only the newest of two streams of one session counts', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const old = await openTab(world, ann);
    const stale = (await old.challenge()) ?? '';
    const renewed = await reopen(world, ann, old.id);
    expect(await codeOf(old.answer(stale))).toBe('AFK_CHALLENGE_WRONG');
    expect(await old.nextEvent()).toEqual({ event: 'ended', data: { reason: 'taken_over', device: null } });
    await sit(renewed, 1);
    expect(await world.balance(ann)).toBe(1);
  });

  test('T24 nobody sees, feeds or takes the session of another', async () => {
    world = await coinWorld();
    const [ann, eve] = [await world.person(), await world.person()];
    const tab = await openTab(world, ann);
    const challenge = (await tab.challenge()) ?? '';
    expect(await codeOf(world.afk.beat(eve, tab.id, challenge))).toBe('NOT_FOUND');
    expect(await codeOf(reopen(world, eve, tab.id))).toBe('NOT_FOUND');
    expect(await codeOf(world.afk.beat(eve, world.ids.uuid(), challenge))).toBe('NOT_FOUND');
    await world.afk.stop(eve);
    expect(await codeOf(tab.answer(challenge))).toBeNull();
    const other = await world.login(ann.actor.userId, ann.actor.username, 'Chrome · Windows');
    expect(await codeOf(reopen(world, other, tab.id))).toBe('AFK_SESSION_ENDED');
    expect((await world.afk.state(eve)).session).toBeNull();
  });
});

describe('T13 absence is never paid', () => {
  test('beats without a stream earn nothing', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const { sessionId } = await world.afk.start(ann);
    for (let minute = 0; minute < 10; minute++) {
      for (const guess of ['', 'token', sessionId])
        expect(await codeOf(world.afk.beat(ann, sessionId, guess))).toBe('AFK_CHALLENGE_WRONG');
      world.pass(MINUTE);
    }
    expect(await world.balance(ann)).toBe(0);
  });

  test('one call after a long absence earns nothing', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const tab = await openTab(world, ann);
    await sit(tab, 0);
    await tab.live();
    await tab.live();
    world.pass(8 * HOUR);
    const beat = await tab.answer((await tab.challenge()) ?? '');
    expect(beat).toMatchObject({ countedMs: 0, nextPayoutMs: MINUTE, earned: 0 });
    await tab.live();
    await tab.live();
    expect((await tab.live()).earned).toBe(1);
  });

  test('a challenge of long ago, one of before, and one answered already earn nothing', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const tab = await openTab(world, ann);
    const first = (await tab.challenge()) ?? '';
    await tab.answer(first);
    expect(await codeOf(tab.answer(first))).toBe('AFK_CHALLENGE_WRONG');
    world.pass(20 * SECOND);
    const second = (await tab.challenge()) ?? '';
    expect(await codeOf(tab.answer(first))).toBe('AFK_CHALLENGE_WRONG');
    world.clock.advance(30 * SECOND + 1);
    expect(await codeOf(tab.answer(second))).toBe('AFK_CHALLENGE_WRONG');
    expect((await world.afk.state(ann)).session).toMatchObject({ countedMs: 0, minutes: 0 });
  });

  test('a challenge asked for again every second earns no faster', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const { sessionId } = await world.afk.start(ann);
    for (let second = 0; second <= 59; second++) {
      const tab = await reopen(world, ann, sessionId);
      await tab.answer((await tab.challenge()) ?? '');
      await tab.leave();
      world.pass(SECOND);
    }
    expect(await world.balance(ann)).toBe(0);
    expect((await world.afk.state(ann)).session).toMatchObject({ countedMs: 59 * SECOND });
    expect(world.timer.waiting).toBe(0);
  });

  test('T12 a clock that jumps forward or back neither pays nor takes', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const tab = await openTab(world, ann);
    await sit(tab, 1);
    await tab.live();
    for (const jump of [3 * HOUR, -3 * HOUR, -HOUR, 50 * SECOND]) {
      world.pass(jump);
      const line = await reopen(world, ann, tab.id);
      expect(await line.answer((await line.challenge()) ?? '')).toMatchObject({ countedMs: MINUTE, earned: 1 });
      expect(await line.live()).toMatchObject({ countedMs: MINUTE + 20 * SECOND, earned: 1 });
      await line.leave();
    }
    const line = await reopen(world, ann, tab.id);
    await sit(line, 1);
    expect(await world.balance(ann)).toBe(2);
  });
});

test('a beat that comes after presence was switched off pays nothing and ends the session', async () => {
  world = await coinWorld();
  const ann = await world.person();
  const tab = await openTab(world, ann);
  await tab.answer((await tab.challenge()) ?? '');
  await tab.live();
  await tab.live();
  world.pass(20 * SECOND);
  const challenge = (await tab.challenge()) ?? '';
  await world.settings.set(null, { afk_enabled: false });
  expect(await codeOf(tab.answer(challenge))).toBe('AFK_SESSION_ENDED');
  expect([await world.balance(ann), (await world.afk.state(ann)).session]).toEqual([0, null]);
  expect(await world.db.sql('SELECT end_reason, minutes, earned FROM afk_sessions')).toEqual([
    { end_reason: 'disabled', minutes: 0, earned: 0 },
  ]);
});

test('a minute that meets a cap which was lowered meanwhile ends the session and is not shown as earned', async () => {
  world = await coinWorld();
  const ann = await world.person();
  const tab = await openTab(world, ann);
  await sit(tab, 1);
  await world.settings.set(null, { afk_daily_cap: 1 });
  await tab.live();
  await tab.live();
  expect(await tab.live()).toMatchObject({ earned: 1, earnedToday: 1 });
  expect(await world.balance(ann)).toBe(1);
  expect(await world.db.sql('SELECT end_reason, minutes, earned FROM afk_sessions')).toEqual([
    { end_reason: 'cap', minutes: 1, earned: 1 },
  ]);
});

test('every tenth paid minute is an event for those who wait for it', async () => {
  world = await coinWorld();
  const heard: number[] = [];
  world.events.subscribe([subscriber('afk.minutes_paid', async (_, { minutes }) => void heard.push(minutes))]);
  await sit(await openTab(world, await world.person()), 21);
  expect(heard).toEqual([10, 20]);
});
