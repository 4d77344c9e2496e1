import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { MINUTE } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

let world: ServersWorld;
let staff: SignedIn;
let owner: SignedIn;
beforeEach(async () => {
  world = await serversWorld();
  const permissions = ['admin.server.queue.create', 'admin.server.queue.delete', 'admin.servers.edit'];
  staff = await world.person({ permissions });
  owner = await world.person();
});
afterEach(() => world.close());

const create = (name = 'Lanternwood') => world.servers.create(owner, world.serverInput({ name }));
const entry = (id: string) => world.servers.staff.entry(id);
/** The rows of the audit log, as they were written. */
const audit = async () =>
  (
    await world.db.sql<{ action: string; target: string; before: string | null; after: string | null }>(
      'SELECT action, target, before, after FROM audit ORDER BY at_ms, id',
    )
  ).map(({ action, target, before, after }) => ({
    action,
    target,
    before: before === null ? null : (JSON.parse(before) as unknown),
    after: after === null ? null : (JSON.parse(after) as unknown),
  }));

describe('an entry as staff see it', () => {
  test('an entry that waits has its place in line and when it is done, and may be cancelled and deleted', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 6; at += 1) {
      ids.push((await create(`Server ${at}`)).queueId);
      world.clock.advance(1000);
    }
    const seen = await Promise.all(ids.map(entry));
    expect(seen.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6]);
    // Four are built at a time; without experience each takes a minute.
    const [first, , , , fifth] = seen.map(({ estimateS }) => estimateS);
    expect([Number(first) > 0, Number(fifth) > Number(first), Number.isInteger(first)]).toEqual([true, true, true]);
    expect(first).toBeLessThanOrEqual(60);
    expect(fifth).toBeLessThanOrEqual(120);
    expect(seen[0]).toMatchObject({
      can: { cancel: true, retry: false, delete: true },
      egg: 'Paper',
      resources: { memory: 512 },
      entry: { state: 'queued', waiting: null },
    });
    await world.buildStep();
    expect(await entry(ids[0] ?? '')).toMatchObject({
      position: null,
      estimateS: null,
      can: { cancel: false, retry: false, delete: false },
    });
    expect((await entry(ids[1] ?? '')).position).toBe(1);
  });

  test('only the last entry of a failed server that left nothing in the panel may be tried again', async () => {
    world.failing.add('Lanternwood');
    const { id, queueId } = await create();
    const can = async (of = queueId) => (await entry(of)).can;
    await world.pass(2 * MINUTE);
    expect(await can()).toEqual({ cancel: false, retry: true, delete: true });
    await world.db.sql("UPDATE servers SET desired = 'deleted' WHERE id = ?", [id]);
    expect((await can()).retry).toBe(false);
    await world.db.sql("UPDATE servers SET desired = 'nothing' WHERE id = ?", [id]);
    const next = await world.servers.staff.retry(staff, queueId);
    expect([(await can()).retry, await can(next.id)]).toEqual([false, { cancel: true, retry: false, delete: true }]);
    await world.pass(2 * MINUTE);
    expect([(await can()).retry, (await can(next.id)).retry]).toEqual([false, true]);
    expect(await audit()).toEqual([
      {
        action: 'serverQueue.retry',
        target: id,
        before: null,
        after: { name: 'Lanternwood', user: owner.actor.userId },
      },
    ]);
  });

  test('an entry whose panel is away says what it waits for, in the list and by itself', async () => {
    const panel = await world.addPanel({ nodes: [{ id: 'a', ports: 4 }] });
    const { queueId } = await world.servers.create(owner, world.serverInput({ locationId: panel.location }));
    panel.panel.fail('unavailable', undefined, 100);
    await world.buildStep();
    const waiting = expect.objectContaining({ cause: 'panel' }) as unknown;
    expect((await entry(queueId)).entry).toMatchObject({ state: 'queued', waiting });
    // It has no place in the line while nothing of that panel is begun.
    expect(await entry(queueId)).toMatchObject({ position: null, estimateS: null, can: { cancel: true } });
    const { rows } = await world.servers.staff.queue({ dir: 'desc', offset: 0, limit: 10 });
    expect(rows.map((row) => row.waiting)).toEqual([waiting] as never);
  });
});

describe('what staff do with an entry', () => {
  test('the options of a user are the user’s own, with whether their address is confirmed', async () => {
    const vip = await world.addEgg({ vipOnly: true });
    await world.db.sql('UPDATE users SET verified_ms = NULL WHERE id = ?', [owner.actor.userId]);
    const root = await world.person({ permissions: ['admin.root', 'user.permission.vip'] });
    const found = await world.servers.staff.options(root, owner.actor.username);
    expect(found.owner).toEqual({ id: owner.actor.userId, username: owner.actor.username, verified: false });
    expect(JSON.stringify(found.options)).toContain(vip);
    expect(await world.servers.staff.options(root, staff.actor.username)).toMatchObject({ owner: { verified: true } });
    expect(await codeOf(world.servers.staff.options(root, 'nobody'))).toBe('VALIDATION_FAILED');
  });

  test('what staff create, cancel and delete is written down with what it was', async () => {
    const root = await world.person({ permissions: ['admin.root'] });
    const create = (who: SignedIn, withoutLimits: boolean, verifiedOnly: boolean) =>
      world.servers.staff.createFor(who, {
        owner: owner.actor.username,
        input: world.serverInput(),
        withoutLimits,
        verifiedOnly,
      });
    expect(await codeOf(create(staff, true, false))).toBe('FORBIDDEN');
    const [first, second] = [await create(staff, false, true), await create(root, true, false)];
    await world.servers.staff.cancel(staff, first.queueId);
    await world.servers.staff.deleteEntry(staff, second.queueId);
    const { userId: user, username } = owner.actor;
    const made = { name: 'Lanternwood', user, username, ...world.serverInput().resources };
    const facts = { name: 'Lanternwood', user };
    expect(await audit()).toEqual([
      { action: 'serverQueue.create', target: first.id, before: null, after: made },
      { action: 'serverQueue.create', target: second.id, before: null, after: { ...made, without_limits: true } },
      { action: 'serverQueue.cancel', target: first.id, before: facts, after: null },
      {
        action: 'serverQueue.delete',
        target: second.id,
        before: { ...facts, state: 'queued', attempts: 0 },
        after: null,
      },
    ]);
  });

  test('an entry whose server is gone cannot be cancelled, and none that is over is tried again by another’s', async () => {
    const { id, queueId } = await create();
    await world.servers.cancel(owner, id);
    expect(await codeOf(world.servers.staff.cancel(staff, queueId))).toBe('NOT_CANCELLABLE');
    expect(await codeOf(world.servers.staff.cancel(staff, 'none'))).toBe('NOT_FOUND');
    expect(await codeOf(world.servers.staff.deleteEntry(staff, 'none'))).toBe('NOT_FOUND');
    await world.servers.staff.deleteEntry(staff, queueId);
    expect(await codeOf(entry(queueId))).toBe('NOT_FOUND');
  });

  test('an entry that a worker has, or has begun, is neither cancelled nor deleted', async () => {
    const { queueId } = await create();
    const refusals = async () => [
      await codeOf(world.servers.staff.cancel(staff, queueId)),
      await codeOf(world.servers.staff.deleteEntry(staff, queueId)),
    ];
    await world.db.sql("UPDATE jobs SET lease_token = 'worker', lease_until_ms = ? WHERE id = ?", [
      world.clock.now() + MINUTE,
      queueId,
    ]);
    expect(await refusals()).toEqual(['NOT_CANCELLABLE', 'SERVER_BUSY']);
    await world.db.sql('UPDATE jobs SET lease_token = NULL, lease_until_ms = 0 WHERE id = ?', [queueId]);
    await world.buildStep();
    expect(await refusals()).toEqual(['NOT_CANCELLABLE', 'SERVER_BUSY']);
    expect(await audit()).toEqual([]);
  });

  test('nothing is done with an entry that cannot be written down', async () => {
    world.failing.add('Failing');
    const bad = await create('Failing');
    await world.pass(2 * MINUTE);
    const { id, queueId } = await create();
    await world.db.sql(
      "CREATE TRIGGER no_audit BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    );
    const before = await world.db.sql('SELECT id, server_id, state FROM server_queue ORDER BY id');
    for (const work of [
      () => world.servers.staff.cancel(staff, queueId),
      () => world.servers.staff.deleteEntry(staff, queueId),
      () => world.servers.staff.retry(staff, bad.queueId),
      () =>
        world.servers.staff.createFor(staff, {
          owner: owner.actor.username,
          input: world.serverInput(),
          withoutLimits: false,
          verifiedOnly: false,
        }),
    ])
      expect(await work().then(() => 'done', String)).toContain('the disk is full');
    expect(await world.db.sql('SELECT id, server_id, state FROM server_queue ORDER BY id')).toEqual(before);
    expect((await world.row(id)).state).toBe('queued');
    await world.db.sql('DROP TRIGGER no_audit');
  });
});
