import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { serversStatement } from '#server/data/repos/staff-servers.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

let world: ServersWorld;
const STAFF_RIGHTS = [
  'admin.servers.edit',
  'admin.servers.delete',
  'admin.server.queue.create',
  'admin.server.queue.delete',
];
let staff: SignedIn;
let owner: SignedIn;
beforeEach(async () => {
  world = await serversWorld();
  staff = await world.person({ permissions: STAFF_RIGHTS });
  owner = await world.person({ credits: 500 });
});
afterEach(() => world.close());

const audit = async () =>
  (await world.db.sql<{ action: string }>('SELECT action FROM audit ORDER BY at_ms, id')).map((row) => row.action);
const every = { sort: 'created', dir: 'desc', offset: 0, limit: 100 } as const;
const entryOf = async (serverId: string) =>
  (
    await world.db.sql<{ id: string }>(
      'SELECT id FROM server_queue WHERE server_id = ? ORDER BY created_ms DESC, id DESC',
      [serverId],
    )
  )[0]?.id ?? '';
const queueState = async (id: string) =>
  (await world.db.sql<{ state: string }>('SELECT state FROM server_queue WHERE id = ?', [id]))[0]?.state;
const inPanel = async (id: string) => (await world.inPanel()).find((each) => each.externalId === id);
/** A server whose installation fails. */
async function failed(who = owner): Promise<string> {
  world.failing.add('Lanternwood');
  const { id } = await world.servers.create(who, world.serverInput());
  await world.pass(2 * MINUTE);
  world.failing.clear();
  expect((await world.row(id)).state).toBe('failed');
  return id;
}

describe('a suspension by staff', () => {
  test('a suspension by staff stops the server at the panel, is notified with its reason, and is lifted by staff alone', async () => {
    const id = await world.upServer(owner);
    await world.servers.staff.suspend(staff, id, 'Mining');
    await world.pass(MINUTE);
    expect([(await world.row(id)).state, (await inPanel(id))?.suspended]).toEqual(['suspended', true]);
    expect((await world.servers.staff.view(id)).server).toMatchObject({
      suspendReason: 'admin',
      suspendNote: 'Mining',
    });
    expect(await world.notices(owner)).toContain('serverHalted');
    await world.servers.staff.suspend(staff, id, 'Mining coins');
    expect((await world.servers.staff.view(id)).server.suspendNote).toBe('Mining coins');
    await world.servers.staff.unsuspend(staff, id);
    await world.pass(MINUTE);
    expect([
      (await world.row(id)).state,
      (await inPanel(id))?.suspended,
      (await world.servers.staff.view(id)).server.suspendNote,
    ]).toEqual(['active', false, null]);
    expect(await audit()).toEqual(['servers.suspend', 'servers.suspend', 'servers.unsuspend']);
    expect(await codeOf(world.servers.staff.unsuspend(staff, id))).toBe('CONFLICT');
  });

  test('T27 no renewal lifts a suspension, by hand or by itself, and the server neither expires nor is deleted meanwhile', async () => {
    const id = await world.upServer(owner, { autoRenew: true });
    await world.servers.staff.suspend(staff, id, 'Mining');
    const { expiresMs } = await world.row(id);
    const shown = {
      price: world.settings.current().server_renew_cost,
      expiresAt: new Date(expiresMs ?? 0).toISOString(),
    };
    expect(await codeOf(world.servers.renew(owner, id, shown))).toBe('SERVER_SUSPENDED');
    await world.live(60 * DAY, DAY);
    expect(await world.row(id)).toMatchObject({ state: 'suspended', suspendReason: 'admin', periods: 0 });
    expect(await world.balance(owner)).toBe(500);
    // Lifted after it ran out: it is paid for as any other.
    await world.servers.staff.unsuspend(staff, id);
    await world.live(HOUR, HOUR);
    expect(await world.row(id)).toMatchObject({ state: 'active', periods: 1 });
  });

  test('a server that expired meanwhile is reminded of again before it is suspended for that', async () => {
    const id = await world.upServer(owner);
    await world.live(29 * DAY, DAY);
    await world.servers.staff.suspend(staff, id, 'Mining');
    await world.live(10 * DAY, DAY);
    await world.servers.staff.unsuspend(staff, id);
    await world.live(2 * HOUR, HOUR);
    expect((await world.row(id)).state).toBe('active');
    await world.live(2 * DAY, HOUR);
    expect(await world.row(id)).toMatchObject({ state: 'suspended', suspendReason: 'expired' });
  });

  test('T34 the end of a ban does not lift it, and lifting it does not lift a ban', async () => {
    const [first, second] = [await world.upServer(owner), await world.upServer(owner)];
    await world.servers.staff.suspend(staff, first, 'Mining');
    await world.setStatus(owner, 'banned');
    await world.servers.syncWithOwnerStatus(owner.actor.userId);
    await world.servers.staff.suspend(staff, second, 'Mining too');
    await world.servers.staff.unsuspend(staff, first);
    expect(await world.row(first)).toMatchObject({ state: 'suspended', suspendReason: 'ban' });
    await world.setStatus(owner, 'active');
    await world.servers.syncWithOwnerStatus(owner.actor.userId);
    expect([(await world.row(first)).state, (await world.row(second)).state]).toEqual(['active', 'suspended']);
  });

  test('a server that is not there yet, is going or is gone cannot be suspended', async () => {
    const { id } = await world.servers.create(owner, world.serverInput());
    expect(await codeOf(world.servers.staff.suspend(staff, id, 'x'))).toBe('SERVER_NOT_READY');
    await world.pass(MINUTE);
    await world.servers.delete(owner, id, 'Lanternwood');
    expect(await codeOf(world.servers.staff.suspend(staff, id, 'x'))).toBe('SERVER_BUSY');
    await world.pass(MINUTE);
    for (const action of [
      world.servers.staff.suspend(staff, id, 'x'),
      world.servers.staff.unsuspend(staff, id),
      world.servers.staff.remove(staff, id, { name: 'Lanternwood', force: true }),
    ]) {
      expect(await codeOf(action)).toBe('NOT_FOUND');
    }
    expect(await codeOf(world.servers.staff.view(id))).toBe('NOT_FOUND');
  });
});

describe('a deletion by staff', () => {
  test('a deletion needs the name, goes through the panel, and frees the limits only then', async () => {
    const id = await world.upServer(owner);
    expect(await codeOf(world.servers.staff.remove(staff, id, { name: 'lanternwood', force: false }))).toBe(
      'NAME_MISMATCH',
    );
    world.panel.fail('unavailable', 'deleteServer', 2);
    await world.servers.staff.remove(staff, id, { name: 'Lanternwood', force: false });
    expect([(await world.row(id)).state, (await world.used(owner)).slots]).toEqual(['deleting', 1]);
    await world.pass(10 * MINUTE);
    expect([(await world.row(id)).state, (await world.used(owner)).slots, await world.inPanel()]).toEqual([
      'deleted',
      0,
      [],
    ]);
    expect(await audit()).toEqual(['servers.delete']);
  });

  test('a deletion with a dead machine waits, and only `force` ends that', async () => {
    const panel = await world.addPanel({ nodes: [{ id: 'a', ports: 8 }] });
    const id = await world.upServer(owner, { locationId: panel.location });
    const asked: boolean[] = [];
    panel.panel.deleteServer = (panelId, force) => {
      asked.push(force ?? false);
      return force ? panel.inner.deleteServer(panelId, true) : Promise.resolve({ outcome: 'unavailable' });
    };
    await world.servers.staff.remove(staff, id, { name: 'Lanternwood', force: false });
    await world.pass(HOUR);
    expect([(await world.row(id)).state, asked.includes(true)]).toEqual(['deleting', false]);
    await world.servers.staff.remove(staff, id, { name: 'Lanternwood', force: false });
    expect(await codeOf(world.servers.staff.remove(staff, id, { name: 'nope', force: true }))).toBe('NAME_MISMATCH');
    await world.servers.staff.remove(staff, id, { name: 'Lanternwood', force: true });
    await world.pass(MINUTE);
    expect([(await world.row(id)).state, panel.servers.size]).toEqual(['deleted', 0]);
    expect(await audit()).toEqual(['servers.delete', 'servers.delete']);
  });

  test('a queued server leaves the queue, one that is being built is busy, and a failed one is forgotten', async () => {
    const { id } = await world.servers.create(owner, world.serverInput());
    await world.servers.staff.remove(staff, id, { name: 'Lanternwood', force: false });
    expect([(await world.row(id)).state, await queueState(await entryOf(id))]).toEqual(['deleted', 'cancelled']);
    const other = await world.servers.create(owner, world.serverInput());
    await world.buildStep();
    expect(await codeOf(world.servers.staff.remove(staff, other.id, { name: 'Lanternwood', force: false }))).toBe(
      'SERVER_BUSY',
    );
    await world.pass(MINUTE);
    const bad = await failed();
    await world.servers.staff.remove(staff, bad, { name: 'Lanternwood', force: false });
    expect((await world.row(bad)).state).toBe('deleted');
  });
});

describe('the lists', () => {
  test('the lists have search, filters, orders and pages, and deleted servers are not among them', async () => {
    const other = await world.person();
    const ids: string[] = [];
    for (const [who, name] of [
      [owner, 'Alpha'],
      [owner, 'beta'],
      [other, 'Gamma'],
    ] as const)
      ids.push(await world.upServer(who, { name }));
    const gone = await world.upServer(other, { name: 'Delta' });
    await world.servers.delete(other, gone, 'Delta');
    await world.pass(MINUTE);
    const names = async (facts: object) =>
      (await world.servers.staff.list({ ...every, ...facts })).rows.map((row) => row.name);
    expect(await names({})).toEqual(['Gamma', 'beta', 'Alpha']);
    expect(await names({ sort: 'name', dir: 'asc' })).toEqual(['Alpha', 'beta', 'Gamma']);
    expect((await names({ sort: 'owner', dir: 'asc' })).at(-1)).toBe(
      owner.actor.username < other.actor.username ? 'Gamma' : 'Alpha',
    );
    expect(await names({ sort: 'expires', dir: 'asc' })).toEqual(['Alpha', 'beta', 'Gamma']);
    expect(await names({ search: 'BET' })).toEqual(['beta']);
    expect(await names({ search: ids[0] })).toEqual(['Alpha']);
    expect(await names({ search: other.actor.username })).toEqual(['Gamma']);
    expect(await names({ search: (await world.row(ids[1] ?? '')).address })).toEqual(['beta']);
    expect(await names({ search: "%' OR 1=1 --" })).toEqual([]);
    expect(await names({ ownerId: owner.actor.userId })).toEqual(['beta', 'Alpha']);
    expect(await names({ state: 'suspended' })).toEqual([]);
    expect(await names({ locationId: world.location, panel: '' })).toEqual(['Gamma', 'beta', 'Alpha']);
    const page = await world.servers.staff.list({ ...every, offset: 1, limit: 1 });
    expect([page.rows.map((row) => row.name), page.total, page.states.get('active')]).toEqual([['beta'], 3, 3]);
  });

  test('an index serves every order', async () => {
    for (const sort of ['name', 'owner', 'created', 'expires'] as const) {
      for (const dir of ['asc', 'desc'] as const) {
        const { sql, values } = serversStatement({ ...every, sort, dir });
        const plan = (await world.db.sql<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values))
          .map((row) => row.detail)
          .join('\n');
        expect(plan).not.toMatch(/TEMP B-TREE FOR ORDER BY/);
        expect(plan).not.toMatch(/SCAN s$/m);
      }
    }
  });

  test('the queue is shown with its counts, one entry with its steps, and the log', async () => {
    const up = await world.upServer(owner);
    const bad = await failed();
    const { id } = await world.servers.create(owner, world.serverInput({ name: 'Waiting' }));
    const query = { dir: 'desc', offset: 0, limit: 50 } as const;
    const listed = await world.servers.staff.queue(query);
    expect(listed.rows.map((row) => [row.server.name, row.state])).toEqual([
      ['Waiting', 'queued'],
      ['Lanternwood', 'failed'],
      ['Lanternwood', 'completed'],
    ]);
    expect([listed.states.get('queued'), listed.states.get('failed'), listed.states.get('completed')]).toEqual([
      1, 1, 1,
    ]);
    expect((await world.servers.staff.queue({ ...query, state: 'failed' })).rows.map((row) => row.server.id)).toEqual([
      bad,
    ]);
    expect((await world.servers.staff.queue({ ...query, search: up })).rows.map((row) => row.server.id)).toEqual([up]);
    expect(await world.servers.staff.entry(await entryOf(id))).toMatchObject({
      position: 1,
      can: { cancel: true, retry: false, delete: true },
    });
    const done = await world.servers.staff.entry(await entryOf(up));
    expect([done.position, done.steps.map((step) => step.code)]).toEqual([null, await world.steps(up)]);
    const log = await world.servers.staff.logs({ offset: 0, limit: 3 });
    expect([log.rows[0]?.server, log.rows[0]?.code, log.total]).toEqual([
      'Waiting',
      'queued',
      (await world.steps(up)).length + (await world.steps(bad)).length + 1,
    ]);
    expect(
      (await world.servers.staff.logs({ offset: 0, limit: 50, code: 'failed' })).rows.map((row) => row.serverId),
    ).toEqual([bad]);
    expect((await world.servers.staff.logs({ offset: 0, limit: 50, search: up })).rows.map((row) => row.code)).toEqual(
      (await world.steps(up)).toReversed(),
    );
  });
});

describe('the queue', () => {
  const createFor = (
    facts: {
      who?: SignedIn;
      owner?: string;
      withoutLimits?: boolean;
      verifiedOnly?: boolean;
      memory?: number;
      eggId?: string;
    } = {},
  ) =>
    world.servers.staff.createFor(facts.who ?? staff, {
      owner: facts.owner ?? owner.actor.username,
      withoutLimits: facts.withoutLimits ?? false,
      verifiedOnly: facts.verifiedOnly ?? false,
      input: world.serverInput({
        ...(facts.eggId ? { eggId: facts.eggId } : {}),
        resources: { memory: facts.memory ?? 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 },
      }),
    });

  test('a server for a user is the user’s, by name, address or id, and nobody else is a field error', async () => {
    for (const text of [owner.actor.username, `${owner.actor.username}@example.test`, owner.actor.userId]) {
      const { id } = await createFor({ owner: text });
      expect(await world.row(id)).toMatchObject({ userId: owner.actor.userId, state: 'queued' });
    }
    expect(await world.used(owner)).toMatchObject({ slots: 3, memory: 1536 });
    expect((await world.used(staff)).slots).toBe(0);
    expect(await codeOf(createFor({ owner: 'nobody' }))).toBe('VALIDATION_FAILED');
    expect(await audit()).toEqual(['serverQueue.create', 'serverQueue.create', 'serverQueue.create']);
  });

  test('T23 a server for a user stands under the user’s limits, which only admin.root may leave out', async () => {
    expect(await codeOf(createFor({ memory: 20_000 }))).toBe('NOT_ENOUGH_MEMORY');
    expect(await codeOf(createFor({ memory: 20_000, withoutLimits: true }))).toBe('FORBIDDEN');
    const root = await world.person({ permissions: ['admin.root'] });
    expect(await codeOf(createFor({ who: root, memory: 20_000 }))).toBe('NOT_ENOUGH_MEMORY');
    expect(await codeOf(createFor({ who: root, memory: 20_000, withoutLimits: true }))).toBeNull();
    expect((await world.used(owner)).memory).toBe(20_000);
    // The user stands above the limit now: nothing more fits.
    expect(await codeOf(createFor())).toBe('NOT_ENOUGH_MEMORY');
  });

  test('T25 staff lend nobody their own permissions: VIP is the owner’s matter, also for admin.root', async () => {
    const vip = await world.addEgg({ vipOnly: true });
    const root = await world.person({ permissions: ['admin.root', 'user.permission.vip'] });
    expect(await codeOf(createFor({ who: root, eggId: vip, withoutLimits: true }))).toBe('VIP_ONLY');
    expect(
      await codeOf(createFor({ who: root, eggId: await world.addEgg({ enabled: false }), withoutLimits: true })),
    ).toBe('EGG_UNAVAILABLE');
    expect(await codeOf(createFor({ who: root, memory: 0, withoutLimits: true }))).toBe('VALIDATION_FAILED');
    await world.db.sql('UPDATE users SET verified_ms = NULL WHERE id = ?', [owner.actor.userId]);
    expect(await codeOf(createFor({ verifiedOnly: true }))).toBe('ACCOUNT_UNVERIFIED');
    await world.setStatus(owner, 'banned');
    expect(await codeOf(createFor())).toBe('ACCOUNT_BANNED');
  });

  test('T23 a retry stands under the limits of the owner, and only the last entry of a failed server has one', async () => {
    const id = await failed();
    const entry = await entryOf(id);
    await world.db.sql('UPDATE user_limits SET memory = 256 WHERE user_id = ?', [owner.actor.userId]);
    expect(await codeOf(world.servers.staff.retry(staff, entry))).toBe('NOT_ENOUGH_MEMORY');
    await world.db.sql('UPDATE user_limits SET memory = 10240 WHERE user_id = ?', [owner.actor.userId]);
    const next = await world.servers.staff.retry(staff, entry);
    expect(next.id).not.toBe(entry);
    await world.pass(MINUTE);
    expect((await world.row(id)).state).toBe('active');
    expect([
      await codeOf(world.servers.staff.retry(staff, entry)),
      await codeOf(world.servers.staff.retry(staff, next.id)),
      await codeOf(world.servers.staff.retry(staff, 'none')),
    ]).toEqual(['CONFLICT', 'CONFLICT', 'NOT_FOUND']);
  });

  test('a waiting entry is cancelled or deleted and frees all, a finished one goes with its log, and one being built stays', async () => {
    const first = await world.servers.create(owner, world.serverInput());
    await world.servers.staff.cancel(staff, first.queueId);
    expect([
      (await world.row(first.id)).state,
      (await world.used(owner)).slots,
      await queueState(first.queueId),
    ]).toEqual(['deleted', 0, 'cancelled']);
    expect(await codeOf(world.servers.staff.cancel(staff, first.queueId))).toBe('NOT_CANCELLABLE');
    const second = await world.servers.create(owner, world.serverInput());
    await world.servers.staff.deleteEntry(staff, second.queueId);
    expect([
      (await world.row(second.id)).state,
      await queueState(second.queueId),
      await world.steps(second.id),
    ]).toEqual(['deleted', undefined, []]);
    const third = await world.servers.create(owner, world.serverInput());
    await world.buildStep();
    expect([
      await codeOf(world.servers.staff.deleteEntry(staff, third.queueId)),
      await codeOf(world.servers.staff.cancel(staff, third.queueId)),
    ]).toEqual(['SERVER_BUSY', 'NOT_CANCELLABLE']);
    await world.pass(MINUTE);
    await world.servers.staff.deleteEntry(staff, third.queueId);
    expect([(await world.row(third.id)).state, await queueState(third.queueId)]).toEqual(['active', undefined]);
    expect(await codeOf(world.servers.staff.entry(third.queueId))).toBe('NOT_FOUND');
    expect(await audit()).toEqual(['serverQueue.cancel', 'serverQueue.delete', 'serverQueue.delete']);
  });
});

describe('drift', () => {
  type TestPanel = Awaited<ReturnType<ServersWorld['addPanel']>>;
  let panel: TestPanel;
  beforeEach(async () => {
    panel = await world.addPanel({ nodes: [{ id: 'a', ports: 60 }] });
  });
  /** A server that the host made at the panel by hand. */
  async function foreign(): Promise<string> {
    const taken = panel.servers.size;
    const account = await panel.inner.ensureUser({
      externalId: 'host',
      username: 'host',
      email: 'host@example.test',
      firstName: 'H',
      lastName: 'H',
    });
    const made = await panel.inner.createServer({
      externalId: `foreign-${taken}`,
      userId: account.outcome === 'ok' ? account.value : '',
      name: 'Old hall',
      description: '',
      location: { id: '', name: '', address: '' },
      placement: { node: 'a', allocation: `a-${25_565 + taken}`, additional: [] },
      egg: { id: '5', dockerImage: '', startup: '' },
      resources: { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 },
      environment: {},
    });
    world.clock.advance(MINUTE);
    if (made.outcome !== 'ok') throw new Error(made.outcome);
    return made.value.panelId;
  }
  const drift = () => world.servers.staff.drift({ sort: 'first', dir: 'desc', offset: 0, limit: 50 });

  test('drift that a comparison finds stands in the list with its first and its last moment, and goes with it', async () => {
    const ref = await foreign();
    const lost = await world.upServer(owner, { locationId: panel.location });
    panel.servers.delete(Number((await world.row(lost)).panelId));
    const begun = world.clock.now();
    expect((await drift()).rows).toEqual([]);
    await world.servers.staff.requestReconcile(staff);
    await world.servers.staff.requestReconcile(staff);
    expect((await drift()).reconciling).toBe(true);
    await world.runner.runDue();
    const found = await drift();
    expect(found.reconciling).toBe(false);
    expect(
      found.rows.map(({ kind, panelName, server }) => [kind, panelName?.startsWith('panel '), server?.name]).sort(),
    ).toEqual([
      ['ghost', true, 'Lanternwood'],
      ['orphan', true, undefined],
    ]);
    expect([found.kinds.get('orphan'), found.kinds.get('ghost'), found.kinds.get('differs')]).toEqual([
      1,
      1,
      undefined,
    ]);
    expect((await world.servers.staff.view(lost)).drift).toMatchObject([{ kind: 'ghost', firstMs: begun }]);
    await world.pass(5 * MINUTE);
    await world.servers.reconcile();
    expect((await drift()).rows).toMatchObject([{ kind: 'orphan', ref, firstMs: begun, seenMs: world.clock.now() }]);
    expect(await audit()).toEqual(['servers.reconcile']);
  });

  test('T23 an orphan becomes a user’s within the user’s limits and leaves the list', async () => {
    const ref = await foreign();
    expect(await codeOf(world.servers.staff.adoptable(panel.id, ref))).toBe('NOT_FOUND');
    await world.servers.reconcile();
    expect(await world.servers.staff.adoptable(panel.id, ref)).toMatchObject({
      egg: world.egg,
      locations: [{ id: panel.location }],
      eggs: [{ id: world.egg }],
      found: { name: 'Old hall' },
    });
    const adopt = (days: number | null = 10, who = owner.actor.username) =>
      world.servers.staff.adopt(staff, { panel: panel.id, ref, owner: who, days, locationId: null, eggId: null });
    expect(await codeOf(adopt(10, 'nobody'))).toBe('VALIDATION_FAILED');
    await world.db.sql('UPDATE user_limits SET slots = 0 WHERE user_id = ?', [owner.actor.userId]);
    expect(await codeOf(adopt())).toBe('NOT_ENOUGH_SLOTS');
    await world.db.sql('UPDATE user_limits SET slots = 5 WHERE user_id = ?', [owner.actor.userId]);
    const { id } = await adopt();
    expect(await world.row(id)).toMatchObject({ userId: owner.actor.userId, expiresMs: world.clock.now() + 10 * DAY });
    expect((await drift()).rows).toEqual([]);
    expect(await codeOf(world.servers.staff.adoptable('', ref))).toBe('NOT_FOUND');
  });

  test('a panel that does not say anything still shows what is on the list', async () => {
    const ref = await foreign();
    await world.servers.reconcile();
    panel.remove();
    expect(await world.servers.staff.adoptable(panel.id, ref)).toMatchObject({
      found: null,
      egg: null,
      drift: { name: 'Old hall' },
    });
  });
});
