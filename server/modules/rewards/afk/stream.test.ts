import { afterEach, describe, expect, spyOn, test } from 'bun:test';
import { createBus } from '#server/data/bus.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { openTab, reopen, sit, type Tab } from '#tests/support/afk-tab.ts';
import { codeOf, coinWorld, type CoinWorld } from '#tests/support/coins.ts';
import { Crash, crashing } from '#tests/support/crash.ts';
import { ENGINES } from '#tests/support/db.ts';
import { fakeTimer } from '#tests/support/timer.ts';
import type { EndReason } from './ports.ts';
import { createAfk } from './service.ts';

let world: CoinWorld;
afterEach(() => world.close());

describe('a line that breaks', () => {
  test('T13 a reconnect in time loses nothing, and the state is all in the database', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const tab = await openTab(world, ann);
    await sit(tab, 0);
    await tab.live();
    await tab.leave();
    expect(world.timer.waiting).toBe(0);
    world.pass(25 * SECOND);
    const again = await reopen(world, ann, tab.id);
    expect(await again.answer((await again.challenge()) ?? '')).toMatchObject({ countedMs: 45 * SECOND });
    expect(await again.live()).toMatchObject({ countedMs: 65 * SECOND, nextPayoutMs: 55 * SECOND, earned: 1 });
  });

  test('T13 a restart of the server loses nothing and invents nothing', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const tab = await openTab(world, ann);
    await sit(tab, 1);
    await tab.live();
    const { db, clock } = world;
    const bus = createBus(db.log);
    const timer = fakeTimer(clock);
    const restarted = {
      ...world,
      timer,
      afk: createAfk({ ...world, bus, timer }),
      pass: (ms: number) => (clock.advance(ms), timer.run()),
    };
    clock.advance(20 * SECOND);
    const again = await reopen(restarted, ann, tab.id);
    expect(await again.answer((await again.challenge()) ?? '')).toMatchObject({
      countedMs: MINUTE + 40 * SECOND,
      earned: 1,
    });
    expect(await again.live()).toMatchObject({ countedMs: 2 * MINUTE, earned: 2 });
    expect(await world.balance(ann)).toBe(2);
  });

  test.each(ENGINES)(
    'T13 two processes over one database share one session a user, pay each minute once, and the loser learns so, on %s',
    async (engine) => {
      world = await coinWorld(engine);
      const ann = await world.person();
      const phone = await world.login(ann.actor.userId, ann.actor.username, 'Safari · iPhone');
      // The other process hears nothing of this one's bus and has its own timers.
      const { db, clock } = world;
      const [bus, timer] = [createBus(db.log), fakeTimer(clock)];
      const other = {
        ...world,
        timer,
        afk: createAfk({ ...world, bus, timer }),
        pass: (ms: number) => (clock.advance(ms), timer.run()),
      };
      const first = await openTab(world, ann);
      await sit(first, 1);
      expect(await first.nextEvent()).toEqual({ event: 'paid', data: { earned: 1, balance: 1 } });
      const second = await openTab(other, phone);
      const challenge = (await second.challenge()) ?? '';
      const [lost, ...won] = await Promise.all([
        codeOf(first.answer(challenge)),
        codeOf(second.answer(challenge)),
        codeOf(second.answer(challenge)),
      ]);
      expect(lost).toBe('AFK_TAKEN_OVER');
      // Either of the two may be the first.
      expect(new Set(won)).toEqual(new Set([null, 'AFK_CHALLENGE_WRONG']));
      world.pass(20 * SECOND);
      expect(await first.nextEvent()).toEqual({
        event: 'ended',
        data: { reason: 'taken_over', device: 'Safari · iPhone' },
      });
      timer.run();
      await second.answer((await second.challenge()) ?? '');
      await second.live();
      expect(await second.live()).toMatchObject({ countedMs: MINUTE, earned: 1, earnedToday: 2 });
      expect(await world.balance(ann)).toBe(2);
    },
  );

  test('one lost challenge is forgiven', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const tab = await openTab(world, ann);
    await sit(tab, 0);
    world.pass(20 * SECOND);
    await tab.challenge();
    expect(await tab.live()).toMatchObject({ countedMs: 40 * SECOND });
  });

  test('a session that ends before its stream is read is found over by the first look, not by the next challenge', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const tab = await openTab(world, ann);
    await world.afk.stop(ann);
    expect(await tab.nextEvent()).toMatchObject({ event: 'challenge' });
    expect(await tab.nextEvent()).toEqual({ event: 'ended', data: { reason: 'stopped', device: null } });
  });

  test('a reader who stops while the stream waits does not wait for the next challenge', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const { sessionId } = await world.afk.start(ann);
    const events = (await world.afk.stream(ann, sessionId, new AbortController().signal))[Symbol.asyncIterator]();
    await events.next();
    const waiting = events.next();
    await events.return?.();
    expect([(await waiting).done, world.timer.waiting]).toEqual([true, 0]);
  });

  test('a caller who goes away while the stream waits ends it and its timer', async () => {
    world = await coinWorld();
    const tab = await openTab(world, await world.person());
    await tab.challenge();
    const waiting = tab.nextEvent();
    await tab.leave();
    expect(await waiting).toBeNull();
    expect(world.timer.waiting).toBe(0);
  });

  test.each(ENGINES)('T10 a beat broken off at any statement changes nothing, on %s', async (engine) => {
    let breaker: ReturnType<typeof crashing> | undefined;
    world = await coinWorld(engine, (uow) => (breaker = crashing(uow)));
    const ann = await world.person();
    const tab = await openTab(world, ann);
    await sit(tab, 0);
    await tab.live();
    await tab.live();
    world.pass(20 * SECOND);
    const challenge = (await tab.challenge()) ?? '';
    let crashes = 0;
    for (let call = 1; ; call++) {
      breaker?.arm(call);
      const outcome = await tab.answer(challenge).catch((error: unknown) => error);
      if (!breaker?.disarm()) break;
      expect(outcome).toBeInstanceOf(Crash);
      expect(await world.afk.state(ann)).toMatchObject({
        earnedToday: 0,
        session: { countedMs: 40 * SECOND, minutes: 0 },
      });
      crashes += 1;
    }
    expect(crashes).toBeGreaterThan(6);
    expect(await world.balance(ann)).toBe(1);
  });
});

describe('how a session ends', () => {
  test('a session ends at the cap, at once, and a new one is refused until the next day', async () => {
    world = await coinWorld();
    await world.settings.set(null, { afk_daily_cap: 5, afk_per_minute: 2 });
    const ann = await world.person();
    const tab = await openTab(world, ann);
    await sit(tab, 1);
    expect(await tab.nextEvent()).toEqual({ event: 'paid', data: { earned: 2, balance: 2 } });
    for (let beat = 0; beat < 3; beat++) await tab.live();
    expect(await tab.nextEvent()).toEqual({ event: 'paid', data: { earned: 4, balance: 4 } });
    expect(await tab.nextEvent()).toEqual({ event: 'ended', data: { reason: 'cap', device: null } });
    expect(await codeOf(tab.answer('x'))).toBe('AFK_SESSION_ENDED');
    expect(await codeOf(world.afk.start(ann))).toBe('DAILY_CAP_REACHED');
    world.pass(12 * HOUR);
    expect(await codeOf(world.afk.start(ann))).toBeNull();
  });

  test('a session ends at the cap also where the price of a minute rose meanwhile', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const tab = await openTab(world, ann);
    await sit(tab, 0);
    await world.settings.set(null, { afk_daily_cap: 5, afk_per_minute: 6 });
    for (let beat = 0; beat < 3; beat++) await tab.live();
    expect(await tab.nextEvent()).toEqual({ event: 'ended', data: { reason: 'cap', device: null } });
    expect(await world.balance(ann)).toBe(0);
  });

  test('a session ends when the feature is turned off', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const tab = await openTab(world, ann);
    await sit(tab, 0);
    await world.settings.set(null, { afk_enabled: false });
    expect(await tab.nextEvent()).toEqual({ event: 'ended', data: { reason: 'disabled', device: null } });
    expect((await world.afk.state(ann)).session).toBeNull();
  });

  test('a session ends when the feature is turned off and no stream is there to notice', async () => {
    world = await coinWorld();
    const tab = await openTab(world, await world.person());
    const challenge = (await tab.challenge()) ?? '';
    await tab.leave();
    await world.settings.set(null, { afk_enabled: false });
    expect(await codeOf(tab.answer(challenge))).toBe('AFK_SESSION_ENDED');
    expect(await codeOf(reopen(world, tab.ctx, tab.id))).toBe('AFK_SESSION_ENDED');
  });

  test('T34 a session ends at once when the login ends, or the user is banned', async () => {
    world = await coinWorld();
    const [ann, bob] = [await world.person(), await world.person()];
    const tabs = [await openTab(world, ann), await openTab(world, bob)] as const;
    for (const tab of tabs) await sit(tab, 0);
    await world.uow.run(async (tx) => {
      await tx.identity.endSession(ann.actor.sessionId, ann.actor.userId);
      tx.touch(`session:${ann.actor.sessionId}`);
      await tx.identity.setStatus(bob.actor.userId, 'banned', { reason: 'x', untilMs: null }, world.clock.now());
      tx.touch(`user:${bob.actor.userId}`);
    });
    for (const tab of tabs) {
      expect(await tab.nextEvent()).toEqual({ event: 'ended', data: { reason: 'stopped', device: null } });
      expect((await world.afk.state(tab.ctx)).session).toBeNull();
    }
    expect(await codeOf(world.afk.start(bob))).toBe('UNAUTHENTICATED');
  });

  test.each<[string, (tab: Tab) => Promise<unknown>, EndReason]>([
    [
      'its user is banned',
      ({ ctx }) =>
        world.uow.run(async (tx) => {
          await tx.identity.setStatus(ctx.actor.userId, 'banned', { reason: 'x', untilMs: null }, world.clock.now());
          tx.touch(`user:${ctx.actor.userId}`);
        }),
      'stopped',
    ],
    [
      'its login ends',
      ({ ctx }) =>
        world.uow.run(async (tx) => {
          await tx.identity.endSession(ctx.actor.sessionId, ctx.actor.userId);
          tx.touch(`session:${ctx.actor.sessionId}`);
        }),
      'stopped',
    ],
    ['the feature is turned off', () => world.settings.set(null, { afk_enabled: false }), 'disabled'],
    ['a newer stream of it is opened', ({ id, ctx }) => reopen(world, ctx, id), 'taken_over'],
  ])('T34 a stream that waits in silence ends at once when %s', async (_, happens, reason) => {
    world = await coinWorld();
    const tab = await openTab(world, await world.person());
    await tab.challenge();
    const waiting = tab.nextEvent();
    // It has read what happened while it was opened, and found nothing.
    await Bun.sleep(20);
    await happens(tab);
    expect(await waiting).toEqual({ event: 'ended', data: { reason, device: null } });
  });

  test('a session ends when the user stops it, from any device', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const phone = await world.login(ann.actor.userId, ann.actor.username, 'Safari · iPhone');
    const tab = await openTab(world, ann);
    await sit(tab, 0);
    await world.afk.stop(phone);
    expect(await tab.nextEvent()).toEqual({ event: 'ended', data: { reason: 'stopped', device: null } });
    await world.afk.stop(phone);
    expect((await world.afk.state(ann)).session).toBeNull();
  });

  test('an answer makes the five minutes of silence begin again', async () => {
    world = await coinWorld();
    const tab = await openTab(world, await world.person());
    let challenge = await tab.challenge();
    for (let issued = 0; issued < 3; issued++) {
      world.pass(20 * SECOND);
      challenge = await tab.challenge();
    }
    await tab.answer(challenge ?? '');
    // The first after the answer, and fourteen that nobody answers.
    for (let issued = 0; issued < 15; issued++) {
      world.pass(20 * SECOND);
      expect((await tab.nextEvent())?.event).toBe('challenge');
    }
    world.pass(20 * SECOND);
    expect(await tab.nextEvent()).toEqual({ event: 'ended', data: { reason: 'idle', device: null } });
  });

  test('a session ends when nobody answers for five minutes, with and without a stream', async () => {
    world = await coinWorld();
    const [ann, bob] = [await world.person(), await world.person()];
    const [deaf, gone] = [await openTab(world, ann), await openTab(world, bob)];
    await gone.leave();
    await deaf.challenge();
    for (let issued = 0; issued < 14; issued++) {
      world.pass(20 * SECOND);
      expect((await deaf.nextEvent())?.event).toBe('challenge');
    }
    world.pass(20 * SECOND);
    expect(await deaf.nextEvent()).toEqual({ event: 'ended', data: { reason: 'idle', device: null } });
    expect(await world.afk.endSilent()).toBe(0);
    world.pass(1);
    expect(await world.afk.endSilent()).toBe(1);
    expect((await world.afk.state(bob)).session).toBeNull();
    expect(await world.afk.endSilent()).toBe(0);
  });

  test('a stream that reads its session often counts only the challenges that nobody answered', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const tab = await openTab(world, ann);
    await tab.challenge();
    const waiting = tab.nextEvent();
    for (let change = 0; change < 30; change++) {
      world.bus.publish([`afk:${ann.actor.userId}`]);
      await Bun.sleep(1);
    }
    world.pass(20 * SECOND);
    expect((await waiting)?.event).toBe('challenge');
    expect((await world.afk.state(ann)).session).not.toBeNull();
  });

  test('a session that lives is not swept away', async () => {
    world = await coinWorld();
    const tab = await openTab(world, await world.person());
    await sit(tab, 6);
    expect(await world.afk.endSilent()).toBe(0);
    expect(await tab.live()).toMatchObject({ earned: 6 });
  });
});

describe('what a stream says and leaves behind', () => {
  test('what was earned is said before the next challenge, also where both are found at once', async () => {
    world = await coinWorld();
    const tab = await openTab(world, await world.person());
    await sit(tab, 1);
    world.pass(20 * SECOND);
    expect(await tab.nextEvent()).toEqual({ event: 'paid', data: { earned: 1, balance: 1 } });
    expect((await tab.nextEvent())?.event).toBe('challenge');
  });

  test('T34 what was earned is said before the end, also where both are found at once', async () => {
    world = await coinWorld();
    const tab = await openTab(world, await world.person());
    await sit(tab, 1);
    await world.settings.set(null, { afk_enabled: false });
    expect(await tab.nextEvent()).toEqual({ event: 'paid', data: { earned: 1, balance: 1 } });
    expect(await tab.nextEvent()).toEqual({ event: 'ended', data: { reason: 'disabled', device: null } });
  });

  test('a stream that ends a session says so to the other tabs and devices of its user', async () => {
    world = await coinWorld();
    const ann = await world.person();
    const tab = await openTab(world, ann);
    await sit(tab, 0);
    let heard = 0;
    const stop = world.bus.subscribe(`afk:${ann.actor.userId}`, () => (heard += 1));
    await world.settings.set(null, { afk_enabled: false });
    expect((await tab.nextEvent())?.event).toBe('ended');
    expect(heard).toBeGreaterThan(0);
    stop();
  });

  test('a stream that only looks writes nothing', async () => {
    let writes = 0;
    world = await coinWorld('sqlite', (uow) => ({ ...uow, run: (work) => ((writes += 1), uow.run(work)) }));
    const ann = await world.person();
    const tab = await openTab(world, ann);
    await tab.challenge();
    const waiting = tab.nextEvent();
    await Bun.sleep(20);
    const before = writes;
    for (let change = 0; change < 10; change++) {
      world.bus.publish([`afk:${ann.actor.userId}`]);
      await Bun.sleep(1);
    }
    expect(writes).toBe(before);
    await tab.leave();
    expect(await waiting).toBeNull();
  });

  test('T52 a stream that is over leaves no listener behind, on the bus and at its caller', async () => {
    world = await coinWorld();
    let listening = 0;
    const bus: typeof world.bus = {
      ...world.bus,
      subscribe(topic, listener) {
        const stop = world.bus.subscribe(topic, listener);
        listening += 1;
        return () => {
          listening -= 1;
          stop();
        };
      },
    };
    const afk = createAfk({ ...world, bus });
    const ann = await world.person();
    const { sessionId } = await afk.start(ann);
    const { signal } = new AbortController();
    const [added, removed] = [spyOn(signal, 'addEventListener'), spyOn(signal, 'removeEventListener')];
    const events = await afk.stream(ann, sessionId, signal);
    const said: string[] = [];
    for await (const { event } of events) {
      said.push(event);
      expect(listening).toBeGreaterThan(3);
      if (event === 'challenge') await afk.stop(ann);
    }
    expect(said).toEqual(['challenge', 'ended']);
    expect([listening, world.timer.waiting, added.mock.calls.length]).toEqual([0, 0, 1]);
    expect(removed.mock.calls.length).toBeGreaterThan(0);
  });
});
