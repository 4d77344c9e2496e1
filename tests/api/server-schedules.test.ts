import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { serverSchedulesHandlers } from '#server/api/server-schedules.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { Panel, PanelAnswer, PowerSignal, Servers } from '#server/modules/servers/index.ts';
import type { ServerSchedule } from '#shared/contract/server-schedules.ts';
import { MOST_SCHEDULES, type ScheduleInput } from '#shared/schemas/server-schedules.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { mortal } from '#tests/support/kill.ts';
import { asCaller, IDLE, liveServerWorld } from '#tests/support/live-panel.ts';
import type { ServersWorld } from '#tests/support/servers.ts';

// Schedules of a server over a panel that has its console; times by the test's clock.
const SCHEDULE = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c01';
const numbered = (n: number) => `0d9a4c1e-5b7f-4a35-9c58-${String(n).padStart(12, '0')}`;
const restart = { action: 'restart', command: '', pause_s: 0 } as const;
const daily: ScheduleInput = {
  name: 'Nightly',
  enabled: true,
  only_online: false,
  timing: { every: 'day', time: '04:00' },
  steps: [restart],
};

/** What the panel was asked to do, in order, and what it answers next. */
interface Asked {
  readonly calls: string[];
  readonly answers: PanelAnswer<never>[];
}
let world: ServersWorld;
let ctx: SignedIn;
let id: string;
let site: Awaited<ReturnType<typeof liveServerWorld>>['site'];
let live: Awaited<ReturnType<typeof liveServerWorld>>['live'];
let asked: Asked;

/** Makes a test's panel one that runs servers here, as far as schedules go. */
function operate(panel: Panel): Asked {
  const made: Asked = { calls: [], answers: [] };
  const answer = async (call: string) => {
    made.calls.push(call);
    return made.answers.shift() ?? ({ outcome: 'ok', value: null } as const);
  };
  Object.assign(panel, {
    power: (_: string, signal: PowerSignal) => answer(signal),
    console: { read: () => answer('read'), send: (_: string, text: string) => answer(`command ${text}`) },
    backups: (_: string, call: string, input: { backup: string; name: string; rotate: boolean }) =>
      answer(`${call} ${input.name} ${input.rotate} ${input.backup}`),
  });
  return made;
}
async function open(engine: 'sqlite' | 'postgres' = 'sqlite'): Promise<void> {
  const opened = await liveServerWorld(engine);
  ({ world, ctx, id, site, live } = opened);
  asked = operate(site.panel);
}
const inZone = (timeZone: string, who = ctx): SignedIn => ({ ...who, actor: { ...who.actor, timeZone } });
const handlers = () => serverSchedulesHandlers({ servers: world.servers });
const list = async (who = ctx) =>
  (await handlers().list(asCaller(who), { params: { id } } as never)) as { schedules: ServerSchedule[]; limit: number };
const save = async (body: ScheduleInput = daily, who = ctx, schedule = SCHEDULE) =>
  handlers().save(asCaller(who), { params: { id, schedule }, body } as never);
const run = async (who = ctx) => handlers().run(asCaller(who), { params: { id, schedule: SCHEDULE } } as never);
const remove = async (who = ctx) => handlers().remove(asCaller(who), { params: { id, schedule: SCHEDULE } } as never);
const CALLS: Readonly<Record<string, (who?: SignedIn) => Promise<unknown>>> = {
  list,
  save: (who) => save(daily, who),
  run,
  remove,
};
const only = async (): Promise<ServerSchedule> => {
  const [first] = (await list()).schedules;
  if (!first) throw new Error('there is no schedule');
  return first;
};
const outcome = async () => (await only()).last?.outcome ?? null;
/** Lets time pass as the product lives through it: the scheduler each minute, the queue each few seconds. */
async function pass(
  ms: number,
  stepMs = MINUTE,
  servers: Servers = world.servers,
  runner = world.runner,
): Promise<void> {
  const until = world.clock.now() + ms;
  for (;;) {
    await servers.schedules.beginDue();
    await runner.runDue();
    if (world.clock.now() >= until) return;
    world.clock.set(Math.min(until, world.clock.now() + stepMs));
  }
}

describe('schedules of a server', () => {
  beforeEach(() => open());
  afterEach(() => world.close());

  test('T24 schedules of somebody else’s server are not there, whatever is asked', async () => {
    await save();
    const other = await world.person();
    for (const [name, call] of Object.entries(CALLS))
      expect([name, await codeOf(call(other))]).toEqual([name, 'NOT_FOUND']);
    // Nor is one taken over by its id, from a server of one's own.
    const mine = id;
    id = await world.upServer(other, { locationId: site.location });
    expect(await codeOf(save({ ...daily, name: 'Mine' }, other))).toBe('NOT_FOUND');
    expect(await codeOf(run(other))).toBe('SCHEDULE_NOT_FOUND');
    await remove(other);
    id = mine;
    expect((await only()).name).toBe('Nightly');
  });

  test('T27 a suspended server has no schedules here, and one of another panel has them there', async () => {
    Object.assign(site.panel, { console: undefined });
    for (const [name, call] of Object.entries(CALLS))
      expect([name, await codeOf(call())]).toEqual([name, 'SCHEDULES_UNAVAILABLE']);
    await world.suspendForBan(ctx);
    for (const [name, call] of Object.entries(CALLS))
      expect([name, await codeOf(call())]).toEqual([name, 'SERVER_SUSPENDED']);
  });

  test('a schedule is saved under its id, changed by it, turned off, and deleted', async () => {
    await save();
    await save({ ...daily, name: 'Weekly', timing: { every: 'week', days: [3], time: '05:30' } });
    const { limit, schedules } = await list();
    expect([limit, schedules.length]).toEqual([MOST_SCHEDULES, 1]);
    // The next Wednesday, in the zone of the installation.
    expect(schedules[0]).toMatchObject({ name: 'Weekly', enabled: true, running: false, last: null, time_zone: 'UTC' });
    expect(schedules[0]?.next_at).toBe('2026-03-11T05:30:00.000Z');
    await save({ ...daily, enabled: false });
    expect(await only()).toMatchObject({ name: 'Nightly', enabled: false, next_at: null });
    await pass(2 * DAY, HOUR);
    expect(asked.calls).toEqual([]);
    await remove();
    await remove();
    expect((await list()).schedules).toEqual([]);
  });

  test('a server has ten schedules and no more, even when twenty are saved at once', async () => {
    const all = Array.from({ length: 20 }, (_, n) => codeOf(save(daily, ctx, numbered(n))));
    const codes = await Promise.all(all);
    expect(codes.filter((code) => code === 'SCHEDULE_LIMIT').length).toBe(10);
    expect((await list()).schedules.length).toBe(MOST_SCHEDULES);
    // One that is there can still be changed.
    const known = (await list()).schedules[0]?.id ?? '';
    expect(await codeOf(save({ ...daily, name: 'Changed' }, ctx, known))).toBeNull();
  });

  test('steps are carried out in their order, each after its pause', async () => {
    const steps = [
      { action: 'command', command: 'say soon', pause_s: 0 },
      { action: 'stop', command: '', pause_s: 300 },
      { action: 'backup', command: '', pause_s: 10 },
      { action: 'start', command: '', pause_s: 0 },
    ] as const;
    await save({ ...daily, steps: [...steps] });
    await pass(16 * HOUR, HOUR);
    expect(asked.calls).toEqual(['command say soon']);
    expect((await only()).running).toBe(true);
    await pass(5 * MINUTE - SECOND, SECOND * 7);
    expect(asked.calls.length).toBe(1);
    await pass(20 * SECOND, SECOND);
    expect(asked.calls.map((call) => call.replace(/[0-9a-f-]{36}$/, 'ID'))).toEqual([
      'command say soon',
      'stop',
      'make Nightly true ID',
      'start',
    ]);
    expect(await only()).toMatchObject({
      running: false,
      next_at: '2026-03-12T04:00:00.000Z',
      last: { at: '2026-03-11T04:00:00.000Z', outcome: 'done', step: null },
    });
  });

  test.each([
    ['Europe/Bucharest', '03:30', '2026-03-28T00:00Z', ['2026-03-28T01:30Z', '2026-03-29T01:00Z', '2026-03-30T00:30Z']],
    ['Europe/Bucharest', '03:30', '2026-10-24T00:00Z', ['2026-10-24T00:30Z', '2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    ['America/New_York', '02:30', '2026-03-07T12:00Z', ['2026-03-08T07:00Z', '2026-03-09T06:30Z', '2026-03-10T06:30Z']],
  ])('in %s a schedule of %s runs once a day where clocks change, from %s', async (zone, time, from, expected) => {
    world.clock.set(Date.parse(from));
    await save({ ...daily, timing: { every: 'day', time } }, inZone(zone));
    expect((await only()).time_zone).toBe(zone);
    const runs: string[] = [];
    for (let at = 0; at < 72 * 4; at += 1) {
      const before = asked.calls.length;
      await pass(15 * MINUTE, 15 * MINUTE);
      if (asked.calls.length > before) runs.push((await only()).last?.at.replace(':00.000Z', 'Z') ?? '');
    }
    expect(runs).toEqual(expected);
    expect(asked.calls.length).toBe(3);
  });

  test('every hour means every hour where clocks go forward or back', async () => {
    for (const from of ['2026-03-28T12:10Z', '2026-10-24T12:10Z']) {
      world.clock.set(Date.parse(from));
      asked.calls.length = 0;
      await save({ ...daily, timing: { every: 'hours', hours: 1, minute: 5 } }, inZone('Europe/Bucharest'));
      await pass(24 * HOUR, 5 * MINUTE);
      expect([from, asked.calls.length]).toEqual([from, 24]);
    }
  });

  test('what was missed while the product was down is not run afterwards, and the next comes in its time', async () => {
    await save({ ...daily, timing: { every: 'hours', hours: 1, minute: 0 } });
    world.clock.set(TEST_START + 7 * HOUR + 20 * MINUTE);
    await pass(0);
    expect(asked.calls).toEqual([]);
    expect(await only()).toMatchObject({ next_at: '2026-03-10T20:00:00.000Z', last: { outcome: 'missed' } });
    await pass(HOUR);
    expect(asked.calls).toEqual(['restart']);
    // A short break is no reason to leave it out.
    world.clock.set(Date.parse('2026-03-10T21:04:00Z'));
    await pass(0);
    expect(asked.calls).toEqual(['restart', 'restart']);
  });

  test('a pause that ends long before the product is back ends the run', async () => {
    await save({ ...daily, steps: [restart, { ...restart, pause_s: 600 }] });
    await pass(16 * HOUR, HOUR);
    world.clock.advance(50 * MINUTE);
    await pass(0);
    expect(asked.calls).toEqual(['restart']);
    expect(await only()).toMatchObject({ running: false, last: { outcome: 'missed', step: 2 } });
  });

  test('a schedule of a suspended server does nothing, and goes on by itself afterwards', async () => {
    await save();
    await world.suspendForBan(ctx);
    await pass(16 * HOUR, HOUR);
    expect(asked.calls).toEqual([]);
    await world.resumeAfterBan(ctx);
    await world.runner.runDue();
    expect(await only()).toMatchObject({ next_at: '2026-03-12T04:00:00.000Z', last: { outcome: 'inactive' } });
    await pass(DAY, HOUR);
    expect(asked.calls).toEqual(['restart']);
  });

  test('one for a running server is left out while it is off', async () => {
    await save({ ...daily, only_online: true });
    live.state.usage = { outcome: 'ok', value: { ...IDLE, power: 'offline' } };
    await pass(16 * HOUR, HOUR);
    expect([asked.calls, await outcome()]).toEqual([[], 'offline']);
    live.state.usage = { outcome: 'ok', value: IDLE };
    await pass(DAY, HOUR);
    expect([asked.calls, await outcome()]).toEqual([['restart'], 'done']);
  });

  test('what was surely not carried out is tried for five minutes, and ends the run with its reason', async () => {
    const twice = { ...daily, steps: [restart, { action: 'command', command: 'x', pause_s: 0 } as const] };
    await save(twice);
    asked.answers.push({ outcome: 'conflict' }, { outcome: 'unavailable' });
    await run();
    await pass(2 * MINUTE, 5 * SECOND);
    expect(asked.calls).toEqual(['restart', 'restart', 'restart', 'command x']);
    expect(await only()).toMatchObject({ last: { outcome: 'done' } });
    for (const [answer, expected] of [
      [{ outcome: 'conflict' }, 'busy'],
      [{ outcome: 'unavailable' }, 'unreachable'],
    ] as const) {
      asked.answers.push(...Array.from({ length: 30 }, () => answer));
      await run();
      await pass(6 * MINUTE, 5 * SECOND);
      expect(await only()).toMatchObject({ running: false, last: { outcome: expected, step: 1 } });
      asked.answers.length = 0;
    }
  });

  test('a refusal ends the run at its step, and is in the history of the server once', async () => {
    await save({ ...daily, steps: [{ action: 'backup', command: '', pause_s: 0 }, restart] });
    for (let time = 0; time < 2; time += 1) {
      asked.answers.push({ outcome: 'refused', reason: 'limit' });
      await run();
      await pass(0);
      expect(await only()).toMatchObject({ last: { outcome: 'backup_limit', step: 1 } });
    }
    const events = await world.uow.read((tx) => tx.servers.listEvents(id, 50));
    expect(events.filter(({ code }) => code === 'scheduleFailed').length).toBe(1);
    expect(asked.calls.every((call) => call.startsWith('make'))).toBe(true);
  });

  test('an answer that is lost is not repeated: the run goes on, and says that it is not sure', async () => {
    await save({ ...daily, steps: [restart, { action: 'command', command: 'x', pause_s: 0 }] });
    asked.answers.push({ outcome: 'unknown' });
    await run();
    await pass(10 * MINUTE);
    expect(asked.calls).toEqual(['restart', 'command x']);
    expect(await only()).toMatchObject({ last: { outcome: 'unconfirmed', step: 1 } });
  });

  test('a run by hand is one, however often it is asked for, on or off, and leaves the next where it was', async () => {
    await save({ ...daily, enabled: false, steps: [restart, { ...restart, pause_s: 60 }] });
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(run())));
    expect(codes.filter((code) => code === 'SCHEDULE_RUNNING').length).toBe(19);
    await pass(2 * MINUTE, 10 * SECOND);
    expect(asked.calls).toEqual(['restart', 'restart']);
    expect(await only()).toMatchObject({ enabled: false, next_at: null, last: { outcome: 'done' } });
    expect(await codeOf(run())).toBeNull();
  });

  test('whoever changes or deletes a schedule ends its run', async () => {
    const slow = { ...daily, steps: [restart, { ...restart, pause_s: 60 }] };
    await save(slow);
    await run();
    await pass(0);
    await save(slow);
    await pass(5 * MINUTE);
    expect(asked.calls).toEqual(['restart']);
    await run();
    await pass(0);
    await remove();
    await pass(5 * MINUTE);
    expect(asked.calls).toEqual(['restart', 'restart']);
  });

  test('the audit log has what was done with a schedule, and nothing of its commands', async () => {
    await save({ ...daily, steps: [{ action: 'command', command: 'login hunter2', pause_s: 0 }] });
    await run();
    await pass(0);
    await remove();
    const rows = await world.db.sql<{ after: string }>("SELECT after FROM audit WHERE action = 'servers.schedule'");
    expect(rows.map(({ after }) => (JSON.parse(after) as { did: string }).did).toSorted()).toEqual([
      'delete',
      'run',
      'save',
    ]);
    expect(JSON.stringify(rows)).not.toContain('hunter2');
  });

  test('the schedules of a deleted server are deleted with it', async () => {
    await save();
    await world.servers.delete(ctx, id, 'Lanternwood');
    await world.pass(10 * MINUTE);
    expect((await world.row(id)).state).toBe('deleted');
    expect(await world.db.sql('SELECT id FROM server_schedules')).toEqual([]);
  });

  test('the scheduler of the product begins what is due', async () => {
    await save();
    await world.scheduler.tick();
    world.clock.advance(16 * HOUR);
    await world.scheduler.tick();
    await world.runner.runDue();
    expect(asked.calls).toContain('restart');
  });
});

describe('T26 kill -9 at every moment of a run', () => {
  beforeEach(() => open());
  afterEach(() => world.close());

  test('T26 no command and no restart is sent twice, no backup is made twice, and the run ends', async () => {
    const steps = [
      { action: 'command', command: 'a', pause_s: 0 },
      restart,
      { action: 'backup', command: '', pause_s: 0 },
      { action: 'start', command: '', pause_s: 0 },
    ] as const;
    await save({ ...daily, steps: [...steps] });
    const seen = new Set<string>();
    for (let moment = 1; ; moment += 1) {
      asked.calls.length = 0;
      const one = mortal(world.db.uow, site.panel, moment);
      const first = world.instance(one.uow, world.inner, [
        { id: site.id, name: 'real', panel: one.panel, catalogue: site.catalogue },
      ]);
      const life = (async () => {
        world.clock.set(Date.parse((await only()).next_at ?? ''));
        await pass(0, MINUTE, first.servers, first.runner);
      })();
      await Promise.race([life, one.died]);
      await pass(3 * MINUTE, 5 * SECOND);
      const count = (call: string) => asked.calls.filter((each) => each.startsWith(call)).length;
      expect([moment, count('command a') <= 1, count('restart') <= 1]).toEqual([moment, true, true]);
      const backups = new Set(asked.calls.filter((each) => each.startsWith('make')));
      expect([moment, backups.size]).toEqual([moment, 1]);
      const { running, last } = await only();
      expect([moment, running]).toEqual([moment, false]);
      // What is called done was done, each step of it.
      if (last?.outcome === 'done') expect([moment, count('command a'), count('restart')]).toEqual([moment, 1, 1]);
      seen.add(last?.outcome ?? '');
      if (!one.dead()) break;
      expect(moment).toBeLessThan(200);
    }
    expect([...seen].toSorted()).toEqual(['done', 'unconfirmed']);
  });
});

describe.each(ENGINES)('two processes of the product on %s', (engine) => {
  beforeEach(() => open(engine));
  afterEach(() => world.close());

  test('two schedulers and two queues at once carry out each step once', async () => {
    const steps = [restart, { action: 'command', command: 'b', pause_s: 0 } as const];
    for (let n = 0; n < 5; n += 1) await save({ ...daily, name: `n${n}`, steps }, ctx, numbered(n));
    const other = world.instance(world.db.uow, world.inner);
    world.clock.set(Date.parse('2026-03-11T04:00:00Z'));
    for (let round = 0; round < 6; round += 1) {
      await Promise.all([
        world.servers.schedules.beginDue(),
        other.servers.schedules.beginDue(),
        world.runner.runDue(),
        other.runner.runDue(),
      ]);
      world.clock.advance(SECOND);
    }
    const count = (call: string) => asked.calls.filter((each) => each === call).length;
    expect([count('restart'), count('command b')]).toEqual([5, 5]);
    expect((await list()).schedules.every(({ last }) => last?.outcome === 'done')).toBe(true);
  });
});
