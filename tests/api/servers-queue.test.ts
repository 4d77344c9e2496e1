import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { SERVER_JOBS } from '#server/modules/servers/index.ts';
import { QUEUE } from '#server/modules/servers/core/policy.ts';
import { MINUTE } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { FAULTS, type Fault, type PanelCall } from '#tests/support/faulty-panel.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

// Shows behaviour 6.2.

let world: ServersWorld;
let ctx: SignedIn;
beforeEach(async () => {
  world = await serversWorld();
  ctx = await world.person();
});
afterEach(() => world.close());

/** Nothing is held of the user's limits and of the place's slots, and the panel has nothing. */
async function expectNothingHeld(): Promise<void> {
  expect(await world.used(ctx)).toEqual({ memory: 0, disk: 0, cpu: 0, slots: 0, ports: 0, databases: 0, backups: 0 });
  expect(await world.slotsUsed()).toBe(0);
  expect(await world.inPanel()).toEqual([]);
}
/** One server here, the same one in the panel, and counted once. */
async function expectOneServer(id: string): Promise<void> {
  expect((await world.row(id)).state).toBe('active');
  expect((await world.inPanel()).map((server) => server.externalId)).toEqual([id]);
  expect(await world.used(ctx)).toMatchObject({ slots: 1, memory: 512 });
}

/**
 * Hanging calls never end by themselves: the worker is left to itself, its lease runs out, and the call is answered
 * later.
 */
async function passHanging(ms: number): Promise<void> {
  const stuck = world.runner.runDue();
  await world.panel.hanging();
  world.clock.advance(3 * MINUTE);
  const second = world.makeRunner();
  await second.runDue();
  await world.panel.release();
  await stuck;
  await world.pass(ms);
}

describe('T26 the panel fails at one call, once', () => {
  const CALLS: readonly PanelCall[] = ['ensureUser', 'findServerByExternalId', 'createServer', 'readServer'];
  for (const call of CALLS) {
    for (const fault of FAULTS.filter((each) => each !== 'refused' && each !== 'hangs')) {
      test(`T26 ${call}: ${fault}; it ends in one server`, async () => {
        world.panel.fail(fault, call);
        const { id } = await world.servers.create(ctx, world.serverInput());
        await world.pass(20_000);
        await world.panel.release();
        await world.pass(10 * MINUTE);
        await expectOneServer(id);
      });
    }
    test(`T26 ${call}: no answer comes until long after; it ends in one server`, async () => {
      world.panel.fail('hangs', call);
      const { id } = await world.servers.create(ctx, world.serverInput());
      if (call === 'readServer') await world.pass(0);
      if (call === 'readServer') world.clock.advance(5000);
      await passHanging(10 * MINUTE);
      await expectOneServer(id);
    });
  }
});

describe('T26 the panel fails at one call for good', () => {
  const CASES: readonly [PanelCall, Fault, string][] = [
    ['ensureUser', 'refused', 'panelRefused'],
    ['findServerByExternalId', 'lostAfter', 'panelUnavailable'],
    ['createServer', 'lostBefore', 'panelUnavailable'],
    ['createServer', 'conflict', 'panelUnavailable'],
    ['createServer', 'refused', 'panelRefused'],
    ['createServer', 'throws', 'panelUnavailable'],
  ];
  for (const [call, fault, failure] of CASES) {
    test(`T26 ${call}: always ${fault}; everything is released and the owner is notified`, async () => {
      world.panel.fail(fault, call, 1000);
      const { id } = await world.servers.create(ctx, world.serverInput());
      await world.pass(3 * MINUTE);
      expect(await world.row(id)).toMatchObject({ state: 'failed', failure });
      expect(await world.used(ctx)).toMatchObject({ slots: 0, memory: 0 });
      expect(await world.mails(ctx)).toEqual(['serverFailed']);
      expect(await world.steps(id)).toEqual(expect.arrayContaining(['failed', 'released']));
      world.panel.heal();
      await world.pass(30 * MINUTE);
      await expectNothingHeld();
      expect((await world.servers.get(ctx, id)).server.can.retry).toBe(true);
      await world.servers.retry(ctx, id);
      await world.pass(MINUTE);
      await expectOneServer(id);
    });
  }

  test('T26 three tries are made with growing pauses, each after a look-up', async () => {
    world.panel.fail('lostBefore', 'createServer', 1000);
    const { id } = await world.servers.create(ctx, world.serverInput());
    await world.pass(200_000);
    const tries = await world.db.sql<{ at: number }>(
      "SELECT at_ms AS at FROM server_queue_log WHERE server_id = ? AND code = 'lookedUp' ORDER BY at_ms",
      [id],
    );
    expect(tries.map(({ at }) => (at - (tries[0]?.at ?? 0)) / 1000)).toEqual([0, 30, 150]);
    const made = world.panel.calls.filter((call) => call === 'createServer' || call === 'findServerByExternalId');
    expect(made.slice(0, 6)).toEqual([
      'findServerByExternalId',
      'createServer',
      'findServerByExternalId',
      'createServer',
      'findServerByExternalId',
      'createServer',
    ]);
    expect(made.filter((call) => call === 'createServer')).toHaveLength(3);
    expect((await world.steps(id)).filter((code) => code === 'retry')).toHaveLength(2);
  });

  test('T63 a panel that has too much to do is left alone for a quarter of a minute each time, which costs no try', async () => {
    world.panel.fail('busy', 'createServer', 5);
    const { id } = await world.servers.create(ctx, world.serverInput());
    await world.pass(2 * MINUTE);
    const looked = await world.db.sql<{ at: number }>(
      "SELECT at_ms AS at FROM server_queue_log WHERE server_id = ? AND code = 'lookedUp' ORDER BY at_ms",
      [id],
    );
    const pauses = looked.slice(1).map(({ at }, index) => at - (looked[index]?.at ?? 0));
    expect(pauses).toHaveLength(5);
    for (const pause of pauses) {
      expect(pause).toBeGreaterThanOrEqual(15_000);
      expect(pause).toBeLessThan(18_000);
    }
    // That it waits is noted once, however often it is asked for.
    expect((await world.steps(id)).filter((code) => code === 'postponed' || code === 'retry')).toEqual(['postponed']);
    await expectOneServer(id);
    expect(await world.db.sql('SELECT state, attempts, last_error FROM server_queue')).toEqual([
      { state: 'completed', attempts: 1, last_error: null },
    ]);
  });

  test('T26 a server that the panel makes after we have given up is found and removed again', async () => {
    world.panel.fail('late', 'createServer', 3);
    const { id } = await world.servers.create(ctx, world.serverInput());
    await world.pass(3 * MINUTE);
    expect((await world.row(id)).state).toBe('failed');
    await world.panel.release();
    expect(await world.inPanel()).toHaveLength(1);
    await world.pass(10 * MINUTE);
    await expectNothingHeld();
  });

  test('T26 a server that comes through even later is removed by the reconciler', async () => {
    world.panel.fail('late', 'createServer', 3);
    const { id } = await world.servers.create(ctx, world.serverInput());
    await world.pass(30 * MINUTE);
    expect(await world.row(id)).toMatchObject({ state: 'failed', desired: 'nothing' });
    await world.panel.release();
    expect(await world.inPanel()).toHaveLength(1);
    await world.servers.reconcile();
    await world.pass(MINUTE);
    await expectNothingHeld();
  });

  test('T26 a worker that continues when the build has failed long ago removes what it made', async () => {
    world.panel.fail('hangs', 'createServer');
    const { id } = await world.servers.create(ctx, world.serverInput());
    const stuck = world.runner.runDue();
    await world.panel.hanging();
    world.clock.advance(5 * MINUTE);
    world.panel.fail('refused', 'createServer');
    const other = world.makeRunner();
    await world.buildStep();
    for (let at = 0; at < 10; at += 1) {
      await other.runDue();
      world.clock.advance(MINUTE);
    }
    expect(await world.row(id)).toMatchObject({ state: 'failed', failure: 'panelRefused', desired: 'nothing' });
    await world.panel.release();
    await stuck;
    await world.pass(5 * MINUTE);
    await expectNothingHeld();
  });

  test('T26 a worker that continues when another has finished its build changes nothing', async () => {
    world.panel.fail('hangs', 'createServer');
    const { id } = await world.servers.create(ctx, world.serverInput());
    const stuck = world.runner.runDue();
    await world.panel.hanging();
    world.clock.advance(5 * MINUTE);
    const other = world.makeRunner();
    for (let at = 0; at < 20; at += 1) {
      await world.buildStep();
      await other.runDue();
      world.clock.advance(2000);
    }
    expect((await world.row(id)).state).toBe('active');
    const before = [await world.row(id), await world.steps(id), await world.db.sql('SELECT * FROM server_queue')];
    await world.panel.release();
    await stuck;
    expect([await world.row(id), await world.steps(id), await world.db.sql('SELECT * FROM server_queue')]).toEqual(
      before,
    );
    await expectOneServer(id);
  });

  test('T26 while its remains may still be in the panel a server cannot be tried again', async () => {
    world.panel.fail('late', 'createServer', 3);
    const { id } = await world.servers.create(ctx, world.serverInput());
    await world.pass(151_000);
    expect(await world.row(id)).toMatchObject({ state: 'failed', desired: 'deleted' });
    expect((await world.servers.get(ctx, id)).server.can.retry).toBe(false);
    expect(await codeOf(world.servers.retry(ctx, id))).toBe('CONFLICT');
  });

  test('T26 an installation that fails leaves nothing in the panel, and it can be tried again', async () => {
    world.failing.add('Lanternwood');
    const { id } = await world.servers.create(ctx, world.serverInput());
    await world.pass(5 * MINUTE);
    expect(await world.row(id)).toMatchObject({
      state: 'failed',
      failure: 'installFailed',
      desired: 'nothing',
      panelId: null,
    });
    await expectNothingHeld();
    world.failing.clear();
    await world.servers.retry(ctx, id);
    await world.pass(MINUTE);
    await expectOneServer(id);
  });

  test('T26 an installation that never ends fails after half an hour', async () => {
    await world.settings.set(null, { embedded_install_seconds: 3600 });
    const { id } = await world.servers.create(ctx, world.serverInput());
    await world.pass(29 * MINUTE);
    expect((await world.row(id)).state).toBe('installing');
    await world.pass(5 * MINUTE);
    expect(await world.row(id)).toMatchObject({ state: 'failed', failure: 'installTimeout' });
    await expectNothingHeld();
  });

  test('T26 a server that vanishes while it installs is believed gone at the second check only', async () => {
    const { id } = await world.servers.create(ctx, world.serverInput());
    await world.pass(2000);
    const [made] = await world.inPanel();
    await world.inner.deleteServer(made?.panelId ?? '');
    await world.pass(30_000);
    expect(await world.row(id)).toMatchObject({ state: 'installing', panelState: 'missing' });
    await world.pass(5 * MINUTE);
    expect(await world.row(id)).toMatchObject({ state: 'failed', failure: 'panelLost' });
    await expectNothingHeld();
  });

  test('an egg or a location that was removed meanwhile fails the build without asking the panel', async () => {
    const { id } = await world.servers.create(ctx, world.serverInput());
    await world.db.sql('DELETE FROM eggs');
    await world.pass(MINUTE);
    expect(await world.row(id)).toMatchObject({ state: 'failed', failure: 'catalogGone', desired: 'nothing' });
    expect(world.panel.calls).toEqual([]);
  });

  test('a worker works on several entries at once: one whose call hangs keeps none of the others waiting', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) ids.push((await world.servers.create(ctx, world.serverInput())).id);
    world.panel.fail('hangs', 'createServer');
    const run = world.buildAll();
    await world.panel.hanging();
    const made = async () => (await world.inPanel()).length;
    while ((await made()) < 2) await new Promise((resolve) => setImmediate(resolve));
    await world.panel.release();
    // Each was begun once.
    expect(await run).toBe(3);
    expect(await made()).toBe(3);
    await world.pass(MINUTE);
    for (const id of ids) expect((await world.row(id)).state).toBe('active');
  });

  test('workers that ask at once are given no more than may be under construction together; the rest follow', async () => {
    const ids: string[] = [];
    for (let at = 0; at < QUEUE.width + 2; at += 1)
      ids.push((await world.servers.create(await world.person(), world.serverInput())).id);
    world.panel.fail('hangs', 'createServer', ids.length);
    const run = world.buildAll();
    const begun = () => world.panel.calls.filter((call) => call === 'createServer').length;
    while (begun() < QUEUE.width) await new Promise((resolve) => setImmediate(resolve));
    // Nobody begins another one, nor would a worker that comes along.
    expect(await world.buildStep()).toBe(false);
    expect(begun()).toBe(QUEUE.width);
    const states = async () =>
      (await world.db.sql<{ state: string }>('SELECT state FROM server_queue ORDER BY state')).map(
        ({ state }) => state,
      );
    expect(await states()).toEqual([...Array<string>(QUEUE.width).fill('building'), 'queued', 'queued']);
    world.panel.heal();
    await world.panel.release();
    await run;
    await world.pass(MINUTE);
    for (const id of ids) expect((await world.row(id)).state).toBe('active');
  });

  test('a fault of ours in an attempt costs a pause; the build goes on afterwards', async () => {
    const { id } = await world.servers.create(ctx, world.serverInput());
    let writes = 0;
    const full = () => Promise.reject(new Error('the disk is full'));
    // The lease is written, the beginning of the attempt is not.
    const { runner } = world.instance(
      { read: world.uow.read, run: (work) => ((writes += 1) === 2 ? full() : world.uow.run(work)) },
      world.inner,
    );
    expect(await runner.runDue({ kind: SERVER_JOBS.build })).toBe(1);
    expect(
      await world.db.sql('SELECT state, attempts, last_error FROM jobs WHERE kind = ?', [SERVER_JOBS.build]),
    ).toEqual([{ state: 'ready', attempts: 1, last_error: 'the disk is full' }]);
    expect(world.log.events()).toEqual(['job.failed']);
    expect(await world.buildAll()).toBe(0);
    await world.pass(MINUTE);
    await expectOneServer(id);
  });
});
