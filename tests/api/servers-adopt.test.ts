import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { codeOf, keyed } from '#tests/support/coins.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

type TestPanel = Awaited<ReturnType<ServersWorld['addPanel']>>;
const SMALL = { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 };
let world: ServersWorld;
let panel: TestPanel;
let staff: SignedIn;
let owner: SignedIn;
beforeEach(async () => {
  world = await serversWorld();
  panel = await world.addPanel({ nodes: [{ id: 'a', ports: 8 }] });
  staff = await world.person();
  owner = await world.person({ credits: 500 });
});
afterEach(() => world.close());

/** A server that the host made at the panel by hand. */
async function foreign(
  facts: {
    name?: string;
    description?: string;
    resources?: Partial<typeof SMALL>;
    externalId?: string;
    environment?: Record<string, string>;
  } = {},
): Promise<string> {
  const account = await panel.inner.ensureUser({
    externalId: 'host',
    username: 'host',
    email: 'host@example.test',
    firstName: 'H',
    lastName: 'H',
  });
  const taken = panel.servers.size;
  const made = await panel.inner.createServer({
    externalId: facts.externalId ?? `foreign-${taken}`,
    userId: account.outcome === 'ok' ? account.value : '',
    name: facts.name ?? 'Old hall',
    description: facts.description ?? '',
    location: { id: '', name: '', address: '' },
    placement: { node: 'a', allocation: `a-${25_565 + taken}`, additional: [] },
    egg: { id: '5', dockerImage: '', startup: '' },
    resources: { ...SMALL, ...facts.resources },
    environment: facts.environment ?? {},
  });
  world.clock.advance(MINUTE);
  if (made.outcome !== 'ok') throw new Error(made.outcome);
  return made.value.panelId;
}
const adopt = (
  panelId: string,
  facts: { userId?: string; expiresMs?: number | null; locationId?: string; eggId?: string; panel?: string } = {},
  who = staff,
) =>
  world.servers.adopt(who, {
    panel: panel.id,
    panelId,
    userId: owner.actor.userId,
    expiresMs: null,
    locationId: null,
    eggId: null,
    ...facts,
  });

describe('taking a server over', () => {
  test('the server becomes its owner’s like any other: listed, counted, paid for, changed and deleted', async () => {
    const panelId = await foreign({ resources: { memory: 1024 } });
    const expiresMs = world.clock.now() + 10 * DAY;
    const { id } = await adopt(panelId, { expiresMs });
    expect(await world.row(id)).toMatchObject({
      state: 'active',
      panel: panel.id,
      panelId,
      panelNode: 'a',
      expiresMs,
      locationId: panel.location,
      eggId: world.egg,
      address: 'a.example.test:25565',
    });
    expect(await world.used(owner)).toMatchObject({ slots: 1, memory: 1024, ports: 1 });
    await world.pass(MINUTE);
    const account = [...panel.users.values()].find((user) => user.externalId === owner.actor.userId);
    expect(panel.servers.get(Number(panelId))).toMatchObject({ externalId: id, userId: account?.id });
    await world.servers.autoRenew(owner, id, true);
    await world.live(11 * DAY, DAY / 4);
    expect([await world.balance(owner), (await world.row(id)).periods]).toEqual([400, 1]);
    await world.servers.update(owner, id, {
      name: 'New hall',
      description: '',
      resources: { ...SMALL, memory: 1024, ports: 2 },
    });
    await world.pass(MINUTE);
    expect(panel.servers.get(Number(panelId))).toMatchObject({ name: 'New hall', ports: ['a-25565', 'a-25566'] });
    await world.servers.delete(owner, id, 'New hall');
    await world.pass(MINUTE);
    expect([
      (await world.row(id)).state,
      panel.servers.size,
      await world.db.sql('SELECT allocation FROM node_allocations WHERE server_id IS NOT NULL'),
    ]).toEqual(['deleted', 0, []]);
  });

  test('T26 a panel that loses the answer, or is down, when it is given our id, has it done later, once', async () => {
    for (const fault of ['lostAfter', 'lostBefore', 'unavailable', 'conflict'] as const) {
      const panelId = await foreign();
      panel.panel.fail(fault, 'setDetails', 2);
      const { id } = await adopt(panelId);
      await world.pass(10 * MINUTE);
      expect(panel.servers.get(Number(panelId))?.externalId).toBe(id);
    }
    expect(await world.servers.reconcile()).toMatchObject({ repaired: [], orphans: [], suspects: [] });
  });

  test('T26 a port reserved for another server meanwhile is replaced by a free one, and both servers have theirs', async () => {
    panel.panel.fail('unavailable', 'findServerByExternalId');
    const { id: other } = await world.servers.create(owner, world.serverInput({ locationId: panel.location }));
    const { id } = await adopt(await foreign());
    await world.pass(10 * MINUTE);
    await world.servers.reconcile();
    await world.pass(MINUTE);
    const ports = (server: string) =>
      world.uow.read(async (tx) => (await tx.capacity.allocationsOf(server)).map((port) => port.allocation));
    expect([await ports(id), await ports(other)]).toEqual([['a-25565'], ['a-25566']]);
    expect(await world.servers.reconcile()).toMatchObject({ repaired: [], orphans: [], suspects: [] });
  });

  test('while its id is not set at the panel, the reconciler takes it for no orphan', async () => {
    const panelId = await foreign();
    panel.panel.fail('unavailable', 'setDetails', 1000);
    await adopt(panelId);
    await world.pass(MINUTE);
    expect(await world.servers.reconcile()).toMatchObject({ complete: true, orphans: [], suspects: [] });
  });

  test('a server that is ours already is refused, by the panel’s id and by our own', async () => {
    const panelId = await foreign();
    const { id } = await adopt(panelId);
    expect(await codeOf(adopt(panelId))).toBe('CONFLICT');
    const mine = await world.upServer(owner, { locationId: panel.location });
    expect(await codeOf(adopt((await world.row(mine)).panelId ?? ''))).toBe('CONFLICT');
    expect(await codeOf(adopt('999'))).toBe('NOT_FOUND');
    panel.panel.fail('unavailable', 'readServer');
    expect(await codeOf(adopt(await foreign()))).toBe('SERVER_UNAVAILABLE');
    expect(await codeOf(adopt(panelId, { panel: 'nowhere' }))).toBe('SERVER_UNAVAILABLE');
    expect((await world.row(id)).state).toBe('active');
  });

  test('the same key takes it over once and says the same again', async () => {
    const panelId = await foreign();
    const first = await adopt(panelId, {}, keyed(staff, 'adopt-key'));
    expect(await adopt(panelId, {}, keyed(staff, 'adopt-key'))).toEqual(first);
  });

  test('T23 the server counts against the limits, and what does not fit is refused like at a creation', async () => {
    const panelId = await foreign({ resources: { memory: 20_000 } });
    expect(await codeOf(adopt(panelId))).toBe('NOT_ENOUGH_MEMORY');
    await world.db.sql('UPDATE user_limits SET memory = 30000 WHERE user_id = ?', [owner.actor.userId]);
    expect(await codeOf(adopt(panelId))).toBeNull();
  });

  test('T22 amounts of zero, which are "unlimited" to the panel, are refused', async () => {
    for (const kind of ['memory', 'disk', 'cpu'] as const)
      expect(await codeOf(adopt(await foreign({ resources: { [kind]: 0 } })))).toBe('VALIDATION_FAILED');
  });

  test('T25 a server without location or software of ours is refused, and one elsewhere cannot be claimed', async () => {
    const panelId = await foreign();
    expect(await codeOf(adopt(panelId, { locationId: world.location }))).toBe('LOCATION_UNAVAILABLE');
    expect(await codeOf(adopt(panelId, { eggId: await world.addEgg() }))).toBe('EGG_UNAVAILABLE');
    await world.db.sql('DELETE FROM egg_bindings');
    expect(await codeOf(adopt(panelId))).toBe('EGG_UNAVAILABLE');
    expect(await codeOf(adopt(panelId, { userId: 'nobody' }))).toBe('NOT_FOUND');
  });

  test('T29 the server’s name and texts are cleaned and cut to ours, and the panel gets them', async () => {
    const panelId = await foreign({ name: `  a\u202eb\n${'x'.repeat(60)}`, description: 'd\u0000e' });
    const { id } = await adopt(panelId);
    const { name, description } = await world.row(id);
    expect([name, description]).toEqual([`a b ${'x'.repeat(28)}`, 'd e']);
    await world.pass(MINUTE);
    expect(panel.servers.get(Number(panelId))?.name).toBe(name);
  });

  test('a server that is suspended there stays so, by the host’s hand, and one that installs is not taken', async () => {
    const panelId = await foreign();
    await panel.inner.suspend(panelId);
    const { id } = await adopt(panelId);
    await world.pass(MINUTE);
    expect(await world.row(id)).toMatchObject({ state: 'suspended', suspendReason: 'admin' });
    expect(panel.servers.get(Number(panelId))?.suspended).toBe(true);
    const other = await foreign();
    await panel.inner.reinstall(other);
    expect(await codeOf(adopt(other))).toBe('SERVER_NOT_READY');
  });
});
