import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { DAY, HOUR, iso, MINUTE } from '#shared/time.ts';
import { codeOf, keyed } from '#tests/support/coins.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

// Shows behaviour 6.4.

let world: ServersWorld;
let ctx: SignedIn;
let id: string;
const SMALL = { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 };
beforeEach(async () => {
  world = await serversWorld();
  ctx = await world.person({ credits: 100 });
  id = await world.upServer(ctx);
});
afterEach(() => world.close());

const update = (facts: { name?: string; resources?: Partial<typeof SMALL> } = {}, who = ctx) =>
  world.servers.update(who, id, {
    name: facts.name ?? 'Lanternwood',
    description: '',
    resources: { ...SMALL, ...facts.resources },
  });
const atPanel = async () => (await world.inPanel())[0];

describe('changing a server', () => {
  test('name and resources reach the panel, and the limits follow', async () => {
    await update({ name: 'Skyhold', resources: { memory: 1024, ports: 3, backups: 1 } });
    expect(await world.used(ctx)).toMatchObject({ memory: 1024, ports: 3, backups: 1 });
    await world.pass(MINUTE);
    expect(await atPanel()).toMatchObject({
      name: 'Skyhold',
      externalId: id,
      resources: { ...SMALL, memory: 1024, ports: 3, backups: 1 },
    });
    expect((await world.row(id)).syncedRevision).toBe((await world.row(id)).revision);
    expect((await world.servers.get(ctx, id)).activity[0]).toMatchObject({
      code: 'updated',
      detail: 'name, memory, ports, backups',
    });
  });

  test('only the difference is checked: somebody at the limit may still save, and shrink', async () => {
    await world.db.sql('UPDATE user_limits SET memory = 300, slots = 0 WHERE user_id = ?', [ctx.actor.userId]);
    expect(await codeOf(update({ name: 'Renamed' }))).toBeNull();
    expect(await codeOf(update({ resources: { memory: 513 } }))).toBe('NOT_ENOUGH_MEMORY');
    expect(await codeOf(update({ resources: { memory: 400 } }))).toBeNull();
    expect(await codeOf(update({ resources: { memory: 256 } }))).toBeNull();
  });

  for (const [kind, amount] of Object.entries({
    memory: 20_000,
    disk: 20_000,
    cpu: 2000,
    ports: 30,
    databases: 30,
    backups: 30,
  })) {
    test(`T23 more ${kind} than the limit is refused here as at creation`, async () => {
      const before = await world.row(id);
      expect(await codeOf(update({ resources: { [kind]: amount } }))).toBe(`NOT_ENOUGH_${kind.toUpperCase()}`);
      expect(await world.row(id)).toEqual(before);
    });
  }

  test('T23 trying a failed server again passes the same guard as a new one', async () => {
    world.failing.add('second');
    const { id: second } = await world.servers.create(ctx, world.serverInput({ name: 'second' }));
    await world.pass(5 * MINUTE);
    await world.db.sql('UPDATE user_limits SET slots = 1 WHERE user_id = ?', [ctx.actor.userId]);
    expect(await codeOf(world.servers.retry(ctx, second))).toBe('NOT_ENOUGH_SLOTS');
    await world.db.sql('UPDATE user_limits SET slots = 5 WHERE user_id = ?', [ctx.actor.userId]);
    await world.db.sql('UPDATE locations SET slots = 1');
    expect(await codeOf(world.servers.retry(ctx, second))).toBe('LOCATION_FULL');
    await world.db.sql('UPDATE locations SET slots = 10, vip_only = 1');
    expect(await codeOf(world.servers.retry(ctx, second))).toBe('VIP_ONLY');
    await world.db.sql('UPDATE locations SET vip_only = 0');
    await world.db.sql('UPDATE eggs SET min_memory = 1024');
    expect(await codeOf(world.servers.retry(ctx, second))).toBe('BELOW_EGG_MINIMUM');
    expect(await codeOf(world.servers.retry(ctx, id))).toBe('CONFLICT');
  });

  test('T22 zero is not unlimited here either', async () => {
    for (const kind of ['memory', 'disk', 'cpu', 'ports'])
      expect(await codeOf(update({ resources: { [kind]: 0 } }))).toBe('VALIDATION_FAILED');
    for (const amount of [null, '1', NaN, -1])
      expect(await codeOf(update({ resources: { databases: amount as never } }))).toBe('VALIDATION_FAILED');
  });

  test('a change below what the egg needs is refused, but an egg that grew does not forbid a new name', async () => {
    await world.db.sql('UPDATE eggs SET min_memory = 1024');
    expect(await codeOf(update({ name: 'Renamed' }))).toBeNull();
    expect(await codeOf(update({ resources: { memory: 600 } }))).toBe('BELOW_EGG_MINIMUM');
    expect(await codeOf(update({ resources: { memory: 1024 } }))).toBeNull();
  });

  test('T26 less than is in use is refused, and nothing is taken away while the panel does not answer', async () => {
    await update({ resources: { databases: 3, disk: 2048 } });
    await world.pass(MINUTE);
    world.panel.fail('unavailable', 'readServer');
    expect(await codeOf(update({ resources: { databases: 1, disk: 2048 } }))).toBe('SERVER_UNAVAILABLE');
    const { readServer } = world.panel;
    const inUse = { databases: 2, backups: 0, disk: 1000, memory: 400 };
    Object.assign(world.panel, {
      readServer: async (panelId: string) => {
        const answer = await readServer(panelId);
        return answer.outcome === 'ok' ? { outcome: 'ok', value: { ...answer.value, usage: inUse } } : answer;
      },
    });
    expect(await codeOf(update({ resources: { databases: 1, disk: 2048 } }))).toBe('BELOW_USAGE');
    expect(await codeOf(update({ resources: { databases: 2, disk: 512 } }))).toBe('BELOW_USAGE');
    expect(await codeOf(update({ resources: { databases: 2, disk: 2048, memory: 256 } }))).toBe('BELOW_USAGE');
    expect(await codeOf(update({ resources: { databases: 2, disk: 1000 } }))).toBeNull();
  });

  test('a suspended, queued or deleted server is not changed', async () => {
    await world.suspendForBan(ctx);
    expect(await codeOf(update({ name: 'x' }))).toBe('SERVER_SUSPENDED');
    const { id: queued } = await world.servers.create(ctx, world.serverInput());
    expect(await codeOf(world.servers.update(ctx, queued, { name: 'x', description: '', resources: SMALL }))).toBe(
      'SERVER_NOT_READY',
    );
    await world.servers.delete(ctx, id, 'Lanternwood');
    expect(await codeOf(update({ name: 'x' }))).toBe('SERVER_BUSY');
  });

  test('T26 a panel that is down keeps the change, which reaches it later', async () => {
    world.panel.fail('unavailable', undefined, 5);
    await update({ resources: { memory: 1024 } });
    await world.pass(30_000);
    expect((await atPanel())?.resources.memory).toBe(512);
    await world.pass(HOUR);
    expect((await atPanel())?.resources.memory).toBe(1024);
  });

  test('T26 a change that comes through late does not undo a newer one', async () => {
    world.panel.fail('late', 'setBuild');
    await update({ resources: { memory: 1024 } });
    await world.runner.runDue();
    await update({ resources: { memory: 2048 } });
    await world.runner.runDue();
    expect((await atPanel())?.resources.memory).toBe(2048);
    await world.panel.release();
    expect((await atPanel())?.resources.memory).toBe(1024);
    await world.servers.reconcile();
    await world.pass(MINUTE);
    expect((await atPanel())?.resources.memory).toBe(2048);
  });

  test('T26 a worker that hangs in an old change notices the newer one when it continues', async () => {
    world.panel.fail('hangs', 'setBuild');
    await update({ resources: { memory: 1024 } });
    const stuck = world.runner.runDue();
    await world.panel.hanging();
    await update({ resources: { memory: 2048 } });
    await world.makeRunner().runDue();
    expect((await atPanel())?.resources.memory).toBe(2048);
    await world.panel.release();
    await stuck;
    await world.pass(MINUTE);
    expect((await atPanel())?.resources.memory).toBe(2048);
    expect((await world.row(id)).syncedRevision).toBe((await world.row(id)).revision);
  });

  test('the same key changes once', async () => {
    await update({ resources: { memory: 1024 } }, keyed(ctx, 'update-key'));
    const { revision } = await world.row(id);
    await update({ resources: { memory: 1024 } }, keyed(ctx, 'update-key'));
    expect((await world.row(id)).revision).toBe(revision);
  });
});

describe('T24 somebody else’s server', () => {
  test('T24 the server answers like one that does not exist, by every call', async () => {
    const other = await world.person({ credits: 1000 });
    for (const target of [id, '00000000-0000-7000-8000-000000000000']) {
      const calls = [
        world.servers.get(other, target),
        world.servers.update(other, target, { name: 'x', description: '', resources: SMALL }),
        world.servers.renew(other, target, { price: 100, expiresAt: iso((await world.row(id)).expiresMs) }),
        world.servers.autoRenew(other, target, true),
        world.servers.delete(other, target, 'Lanternwood'),
        world.servers.cancel(other, target),
        world.servers.retry(other, target),
      ];
      for (const call of calls) expect(await codeOf(call)).toBe('NOT_FOUND');
    }
    expect((await world.servers.list(other)).servers).toEqual([]);
    expect(await world.balance(other)).toBe(1000);
    expect(await world.row(id)).toMatchObject({ state: 'active', name: 'Lanternwood', autoRenew: false });
  });
});

describe('deleting a server', () => {
  test('the panel is deleted from first, then ours: what it used is free when the panel has confirmed', async () => {
    expect(await codeOf(world.servers.delete(ctx, id, 'lanternwood'))).toBe('NAME_MISMATCH');
    await world.servers.delete(ctx, id, ' Lanternwood ');
    expect(await world.used(ctx)).toMatchObject({ slots: 1 });
    expect((await world.servers.get(ctx, id)).server).toMatchObject({
      state: 'deleting',
      can: { update: false, renew: false, delete: false, retry: false },
    });
    await world.pass(MINUTE);
    expect(await world.inPanel()).toEqual([]);
    expect(await world.used(ctx)).toMatchObject({ slots: 0, memory: 0 });
    expect(await world.slotsUsed()).toBe(0);
    expect(await codeOf(world.servers.get(ctx, id))).toBe('NOT_FOUND');
    expect(await world.mails(ctx)).not.toContain('serverDeleted');
  });

  for (const fault of ['unavailable', 'lostBefore', 'lostAfter', 'conflict', 'refused', 'throws'] as const) {
    test(`T26 ${fault}: the deletion keeps trying, and believes only an answer`, async () => {
      world.panel.fail(fault, 'deleteServer', fault === 'lostAfter' ? 1 : 30);
      await world.servers.delete(ctx, id, 'Lanternwood');
      await world.servers.delete(ctx, id, 'Lanternwood');
      await world.runner.runDue();
      expect(await world.row(id)).toMatchObject({ state: 'deleting' });
      await world.pass(6 * HOUR);
      expect(await world.row(id)).toMatchObject({ state: 'deleted', desired: 'nothing', panelId: null });
      expect(await world.inPanel()).toEqual([]);
      expect((await world.row(id)).expiresMs).not.toBeNull();
    });
  }

  test('a job that was lost is enqueued again', async () => {
    await world.servers.delete(ctx, id, 'Lanternwood');
    await world.db.sql('DELETE FROM jobs');
    await world.pass(HOUR);
    expect(await world.servers.requeueStale(HOUR)).toBe(1);
    expect(await world.servers.requeueStale(HOUR)).toBe(1);
    expect(await world.db.sql("SELECT id FROM jobs WHERE state = 'ready'")).toHaveLength(1);
    await world.pass(MINUTE);
    expect((await world.row(id)).state).toBe('deleted');
    expect(await world.servers.requeueStale(0)).toBe(0);
  });

  test('a failed server is removed at once', async () => {
    world.panel.fail('refused', 'createServer');
    const { id: failed } = await world.servers.create(ctx, world.serverInput({ name: 'second' }));
    await world.pass(MINUTE);
    await world.servers.delete(ctx, failed, 'second');
    expect((await world.row(failed)).state).toBe('deleted');
    expect((await world.servers.list(ctx)).servers.map((server) => server.id)).toEqual([id]);
  });

  test('a server that waits in the queue goes at once, too', async () => {
    const { id: queued } = await world.servers.create(ctx, world.serverInput({ name: 'second' }));
    await world.servers.delete(ctx, queued, 'second');
    expect(await world.row(queued)).toMatchObject({ state: 'deleted', desired: 'nothing' });
    await world.pass(MINUTE);
    expect(await world.inPanel()).toHaveLength(1);
  });
});

describe('the reconciler', () => {
  test('a change that was made in the panel behind our back is corrected, and noted', async () => {
    const panelId = (await atPanel())?.panelId ?? '';
    await world.inner.suspend(panelId);
    const owner = (await atPanel())?.userId ?? '';
    await world.inner.setDetails(panelId, { name: 'hacked', description: 'x', externalId: id, userId: owner });
    await world.inner.setBuild(panelId, {
      resources: { ...SMALL, memory: 9999 },
      addAllocations: [],
      removeAllocations: [],
    });
    expect(await world.servers.reconcile()).toEqual({ complete: true, repaired: [id], suspects: [], orphans: [] });
    await world.pass(MINUTE);
    expect(await atPanel()).toMatchObject({ name: 'Lanternwood', description: '', suspended: false, resources: SMALL });
    expect((await world.servers.get(ctx, id)).activity[0]).toMatchObject({
      code: 'repaired',
      detail: 'details, build, unsuspend',
    });
    expect((await world.servers.reconcile()).repaired).toEqual([]);
  });

  test('T27 a suspended server that somebody starts in the panel is suspended again', async () => {
    await world.live(31 * DAY, 6 * HOUR);
    expect(await world.row(id)).toMatchObject({ state: 'suspended' });
    await world.inner.unsuspend((await atPanel())?.panelId ?? '');
    await world.servers.reconcile();
    await world.pass(MINUTE);
    expect(await atPanel()).toMatchObject({ suspended: true });
  });

  test('T26 a ghost fails at the second check, never the first, and its owner is notified', async () => {
    world.clock.advance(DAY);
    await world.inner.deleteServer((await atPanel())?.panelId ?? '');
    expect(await world.servers.reconcile()).toMatchObject({ complete: true, suspects: [id] });
    await world.runner.runDue();
    expect(await world.row(id)).toMatchObject({ state: 'active', panelState: 'missing' });
    await world.pass(2 * MINUTE);
    expect(await world.row(id)).toMatchObject({
      state: 'failed',
      failure: 'panelLost',
      desired: 'nothing',
      panelId: null,
    });
    expect(await world.used(ctx)).toMatchObject({ slots: 0 });
    expect(await world.mails(ctx)).toEqual(['serverReady', 'serverFailed']);
  });

  test('T26 a panel that does not answer is never read as gone', async () => {
    for (const fault of ['unavailable', 'lostBefore', 'throws'] as const) {
      world.panel.fail(fault, undefined, 1000);
      expect(await world.servers.reconcile()).toEqual({ complete: false, repaired: [], suspects: [], orphans: [] });
      await world.pass(HOUR);
      expect(await world.row(id)).toMatchObject({ state: 'active' });
      world.panel.heal();
    }
  });

  test('T26 one slip of the panel makes no ghost', async () => {
    world.clock.advance(DAY);
    const { readServer } = world.panel;
    let slips = 1;
    Object.assign(world.panel, {
      readServer: (panelId: string) =>
        (slips -= 1) >= 0 ? Promise.resolve({ outcome: 'not_found' }) : readServer(panelId),
    });
    await update({ resources: { memory: 1024 } });
    await world.pass(10 * MINUTE);
    expect(await world.row(id)).toMatchObject({ state: 'active', panelState: 'ready' });
    expect((await atPanel())?.resources.memory).toBe(1024);
  });

  test('orphans of the panel are reported and left alone, and remains of what is over for us are removed', async () => {
    const user = await world.inner.ensureUser({
      externalId: 'x',
      username: 'x',
      email: 'x',
      firstName: 'x',
      lastName: 'x',
    });
    const base = {
      userId: user.outcome === 'ok' ? user.value : '',
      description: '',
      location: { id: 'l', name: 'l', address: 'l' },
      egg: { id: 'e', dockerImage: '', startup: '' },
      resources: SMALL,
      environment: {},
      placement: null,
    };
    await world.inner.createServer({ ...base, externalId: 'foreign', name: 'foreign' });
    await world.servers.delete(ctx, id, 'Lanternwood');
    await world.pass(MINUTE);
    await world.inner.createServer({ ...base, externalId: id, name: 'ours' });
    const drift = await world.servers.reconcile();
    expect(drift.orphans).toEqual([{ panelId: expect.any(String), externalId: 'foreign', name: 'foreign' }]);
    await world.pass(2 * MINUTE);
    expect((await world.inPanel()).map((server) => server.name)).toEqual(['foreign']);
    expect(world.log.events()).toContain('servers.orphans');
  });
});
