import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { SERVER_JOBS } from '#server/modules/servers/index.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import { buildsWorld, type BuildsWorld } from '#tests/support/builds.ts';

// Shows behaviour 6.2.

let world: BuildsWorld['world'];
let panel: BuildsWorld['panel'];
let ctx: BuildsWorld['ctx'];
let create: BuildsWorld['create'];
let entryOf: BuildsWorld['entryOf'];
let attempt: BuildsWorld['attempt'];
let dueIn: BuildsWorld['dueIn'];
let interrupted: BuildsWorld['interrupted'];
beforeEach(async () => {
  ({ world, panel, ctx, create, entryOf, attempt, dueIn, interrupted } = await buildsWorld());
});
afterEach(() => world.close());

describe('the beginning of an attempt', () => {
  const jobs = () => world.db.sql('SELECT state, lease_token, run_at_ms FROM jobs WHERE kind = ?', [SERVER_JOBS.build]);

  test('an entry whose panel went away since it was leased goes back into the line, and has not begun', async () => {
    const id = await create();
    const outage = { panel: panel.id, node: '', cause: 'panel', reason: null, sinceMs: 0, tries: 1 } as const;
    const nextMs = world.clock.now() + MINUTE;
    const worker = interrupted((write) =>
      write === 1 ? world.uow.run((tx) => tx.outages.save({ ...outage, nextMs, notifiedMs: null })) : undefined,
    );
    const entry = await entryOf(id);
    expect(await worker.attempt()).toBe(1);
    expect(await jobs()).toEqual([{ state: 'ready', lease_token: null, run_at_ms: world.clock.now() + 1500 }]);
    expect([await entryOf(id), panel.panel.calls]).toEqual([entry, []]);
  });

  test('a worker whose lease was lost before it began begins nothing', async () => {
    const id = await create();
    const entry = await entryOf(id);
    const worker = interrupted((write) =>
      write === 1 ? world.db.sql("UPDATE jobs SET lease_token = 'another'") : undefined,
    );
    expect(await worker.attempt()).toBe(1);
    expect([await entryOf(id), (await world.row(id)).state, panel.panel.calls]).toEqual([entry, 'queued', []]);
  });

  test('an entry whose server was deleted meanwhile is over, and so is its job', async () => {
    const id = await create();
    const worker = interrupted((write) =>
      write === 1 ? world.db.sql("UPDATE servers SET state = 'deleted'") : undefined,
    );
    expect(await worker.attempt()).toBe(1);
    expect(await entryOf(id)).toMatchObject({ state: 'cancelled', doneMs: world.clock.now() });
    expect([await dueIn(), panel.panel.calls]).toEqual([null, []]);
  });

  test('each step of an attempt brings the page of its owner up to date, and a place that is given back the line of all', async () => {
    await create();
    const published: string[] = [];
    for (const topic of ['jobs', `servers:${ctx.actor.userId}`] as const)
      world.bus.subscribe(topic, () => published.push(topic === 'jobs' ? 'line' : 'page'));
    panel.panel.fail('lostBefore', 'createServer');
    await attempt();
    // It began, had an account, was sent, and is to be tried again.
    expect(published).toEqual(['page', 'page', 'page', 'page']);
    published.length = 0;
    panel.panel.fail('busy', 'findServerByExternalId');
    await attempt();
    expect(published.toSorted()).toEqual(['line', 'page']);
    published.length = 0;
    await attempt();
    // It began again, was sent, and is being installed.
    expect(published).toEqual(['page', 'page', 'page']);
  });

  test('everybody in the line sees it move, and a poll writes once', async () => {
    const other = await world.person();
    const [id] = [await create(), await create(other)];
    const seen: string[] = [];
    for (const who of [ctx, other])
      world.bus.subscribe(`servers:${who.actor.userId}`, () => seen.push(who.actor.userId));
    const stopped = interrupted((write) => (write > 1 ? Promise.reject(new Error('stopped')) : undefined));
    expect(await stopped.attempt()).toBe(1);
    expect(seen.toSorted()).toEqual([ctx.actor.userId, other.actor.userId].toSorted());
    await world.pass(MINUTE);
    expect((await world.row(id)).state).toBe('active');
    const third = await create();
    await attempt(third);
    world.clock.advance(5 * SECOND);
    const worker = interrupted(() => undefined);
    expect(await worker.attempt()).toBe(1);
    expect(worker.writes()).toBe(1);
  });
});

describe('the end of a build', () => {
  const activity = async (id: string) => (await world.servers.get(ctx, id)).activity.map(({ code }) => code);
  let seen: string[];
  beforeEach(() => {
    seen = [];
    for (const topic of ['jobs', `user:${ctx.actor.userId}`] as const)
      world.bus.subscribe(topic, () => seen.push(topic));
  });

  test('a server that is ready is announced to its owner, and its place in the line is free', async () => {
    const id = await create();
    await attempt();
    world.clock.advance(8 * SECOND);
    seen = [];
    await attempt();
    expect(seen.toSorted()).toEqual(['jobs', `user:${ctx.actor.userId}`]);
    expect([(await world.steps(id)).at(-1), await world.mails(ctx)]).toEqual(['installed', ['serverReady']]);
    expect(await activity(id)).toContain('ready');
    const entry = await entryOf(id);
    expect(entry).toMatchObject({ state: 'completed', doneMs: world.clock.now(), lastError: null });
    // What was wanted when the attempt began was made: nothing is left to send.
    expect(await world.db.sql("SELECT kind FROM jobs WHERE kind = 'servers.sync'")).toEqual([]);
  });

  test('a server that failed is announced, and what the panel has of it is removed before its room is free', async () => {
    const id = await create();
    panel.panel.fail('lostBefore', 'createServer');
    await attempt();
    panel.panel.fail('refused', 'findServerByExternalId');
    const { revision } = await world.row(id);
    seen = [];
    await attempt();
    expect(seen.toSorted()).toEqual(['jobs', `user:${ctx.actor.userId}`]);
    expect([(await world.steps(id)).slice(-2), await world.mails(ctx), await activity(id)]).toEqual([
      ['failed', 'released'],
      ['serverFailed'],
      expect.arrayContaining(['failed']),
    ]);
    expect(await world.row(id)).toMatchObject({ desired: 'deleted', revision: revision + 1, expiresMs: null });
    const ports = () => world.db.sql('SELECT allocation FROM node_allocations WHERE server_id IS NOT NULL');
    expect(await ports()).toHaveLength(1);
    await world.pass(10 * MINUTE);
    expect([await ports(), (await world.row(id)).desired]).toEqual([[], 'nothing']);
  });

  test('a server of which nothing was sent gives its ports back at once', async () => {
    await create();
    panel.panel.fail('refused', 'findServerByExternalId');
    seen = [];
    await attempt();
    // Its place in the line is free as well.
    expect(seen).toContain('jobs');
    expect(await world.db.sql('SELECT allocation FROM node_allocations WHERE server_id IS NOT NULL')).toEqual([]);
    expect(await world.db.sql('SELECT * FROM capacity_reservations')).toEqual([]);
    // The panel never had it: its sums are as they were.
    expect(await world.db.sql('SELECT id FROM jobs WHERE kind = ?', [SERVER_JOBS.capacity])).toEqual([]);
  });
});
