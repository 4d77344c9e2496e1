import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { MINUTE } from '#shared/time.ts';
import { codeOf, keyed } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

const every = { sort: 'created', dir: 'desc', offset: 0, limit: 100 } as const;
const STAFF_RIGHTS = [
  'admin.servers.edit',
  'admin.servers.delete',
  'admin.server.queue.create',
  'admin.server.queue.delete',
];

describe.each(ENGINES.map((engine) => [engine] as const))('50 at once on %s', (engine) => {
  let many: ServersWorld;
  let staff: SignedIn;
  let owner: SignedIn;
  beforeEach(async () => {
    many = await serversWorld(engine);
    [staff, owner] = [await many.person({ permissions: STAFF_RIGHTS }), await many.person()];
  });
  afterEach(() => many.close());
  const MANY = 50;
  const all = async (action: (at: number) => Promise<unknown>) => {
    const codes = await Promise.all(Array.from({ length: MANY }, (_, at) => codeOf(action(at))));
    return Object.fromEntries(
      [...Map.groupBy(codes, (code) => code ?? 'done')].map(([code, list]) => [code, list.length]),
    );
  };
  const count = async (sql: string) => (await many.db.sql<{ n: number }>(`SELECT COUNT(*) AS n FROM ${sql}`))[0]?.n;

  test('the lists answer alike', async () => {
    const id = await many.upServer(owner, { name: 'Beta' });
    const { staff: lists } = many.servers;
    for (const sort of ['name', 'owner', 'created', 'expires'] as const) {
      for (const search of [undefined, 'be', id, owner.actor.username])
        expect((await lists.list({ ...every, sort, search, state: 'active' })).rows.map((row) => row.id)).toEqual([id]);
    }
    const page = { dir: 'asc', offset: 0, limit: 10 } as const;
    expect((await lists.queue({ ...page, search: 'BE', state: 'completed' })).rows.map((row) => row.server.id)).toEqual(
      [id],
    );
    expect(
      (await lists.logs({ offset: 0, limit: 10, search: 'Be', code: 'queued' })).rows.map((row) => row.server),
    ).toEqual(['Beta']);
    expect((await lists.drift({ ...page, sort: 'name', kind: 'ghost', panel: '' })).rows).toEqual([]);
  });

  test('fifty retries at once make one', async () => {
    many.failing.add('Lanternwood');
    const { id, queueId } = await many.servers.create(owner, many.serverInput());
    await many.pass(2 * MINUTE);
    many.failing.clear();
    expect(await all((at) => many.servers.staff.retry(keyed(staff, `retry-${at}`), queueId))).toEqual({
      done: 1,
      CONFLICT: MANY - 1,
    });
    expect([
      await count("server_queue WHERE state = 'queued'"),
      (await many.used(owner)).slots,
      (await many.row(id)).state,
    ]).toEqual([1, 1, 'queued']);
  });

  test('fifty cancellations and deletions at once make one each, and nothing stays reserved', async () => {
    const [first, second] = [
      await many.servers.create(owner, many.serverInput()),
      await many.servers.create(owner, many.serverInput()),
    ];
    expect(await all(() => many.servers.staff.cancel(staff, first.queueId))).toEqual({
      done: 1,
      NOT_CANCELLABLE: MANY - 1,
    });
    expect(await all(() => many.servers.staff.deleteEntry(staff, second.queueId))).toEqual({
      done: 1,
      NOT_FOUND: MANY - 1,
    });
    expect([await count('server_queue'), (await many.used(owner)).slots]).toEqual([1, 0]);
  });

  test('a server is deleted once, and suspended once', async () => {
    const id = await many.upServer(owner);
    expect(await all(() => many.servers.staff.suspend(staff, id, 'Mining'))).toEqual({ done: MANY });
    expect([
      await count("server_events WHERE code = 'suspended'"),
      await count("notifications WHERE kind = 'serverHalted'"),
      await count("audit WHERE action = 'servers.suspend'"),
    ]).toEqual([1, 1, 1]);
    expect(await all(() => many.servers.staff.unsuspend(staff, id))).toEqual({ done: 1, CONFLICT: MANY - 1 });
    expect(await all(() => many.servers.staff.remove(staff, id, { name: 'Lanternwood', force: false }))).toEqual({
      done: MANY,
    });
    expect([
      await count("server_events WHERE code = 'deleting'"),
      await count("audit WHERE action = 'servers.delete'"),
    ]).toEqual([1, 1]);
    await many.pass(MINUTE);
    expect([(await many.row(id)).state, await many.inPanel()]).toEqual(['deleted', []]);
  });

  test('an orphan is taken over once', async () => {
    const panel = await many.addPanel({ nodes: [{ id: 'a', ports: 4 }] });
    const account = await panel.inner.ensureUser({
      externalId: 'host',
      username: 'host',
      email: 'host@example.test',
      firstName: 'H',
      lastName: 'H',
    });
    await panel.inner.createServer({
      externalId: 'foreign',
      userId: account.outcome === 'ok' ? account.value : '',
      name: 'Old hall',
      description: '',
      location: { id: '', name: '', address: '' },
      placement: { node: 'a', allocation: 'a-25565', additional: [] },
      egg: { id: '5', dockerImage: '', startup: '' },
      resources: { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 },
      environment: {},
    });
    many.clock.advance(MINUTE);
    await many.servers.reconcile();
    const ref = String([...panel.servers.keys()][0]);
    const adopt = (at: number) =>
      many.servers.staff.adopt(keyed(staff, `adopt-${at}`), {
        panel: panel.id,
        ref,
        owner: owner.actor.userId,
        days: null,
        locationId: null,
        eggId: null,
      });
    expect(await all(adopt)).toEqual({ done: 1, CONFLICT: MANY - 1 });
    expect([await count('servers'), (await many.used(owner)).slots]).toEqual([1, 1]);
  });

  test('T23 creations for a user fit the limits together', async () => {
    await many.db.sql('UPDATE user_limits SET slots = 3 WHERE user_id = ?', [owner.actor.userId]);
    const create = (at: number) =>
      many.servers.staff.createFor(keyed(staff, `create-${at}`), {
        owner: owner.actor.userId,
        input: many.serverInput(),
        withoutLimits: false,
        verifiedOnly: false,
      });
    expect(await all(create)).toEqual({ done: 3, NOT_ENOUGH_SLOTS: MANY - 3 });
    expect(await count('servers')).toBe(3);
  });
});
