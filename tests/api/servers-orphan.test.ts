import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { ApiError } from '#shared/contract/client.ts';
import { MINUTE } from '#shared/time.ts';
import { codeOf, keyed } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import type { Fault } from '#tests/support/faulty-panel.ts';
import { openHarness } from '#tests/support/harness.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

/** Deleting, at its panel, a server that only the panel has. */
describe.each(ENGINES.map((engine) => [engine] as const))('an orphan on %s', (engine) => {
  let world: ServersWorld;
  let panel: Awaited<ReturnType<ServersWorld['addPanel']>>;
  let owner: SignedIn;
  let staff: SignedIn;
  beforeEach(async () => {
    world = await serversWorld(engine);
    [owner, staff] = [
      await world.person(),
      await world.person({ permissions: ['admin.servers.delete', 'admin.servers.edit'] }),
    ];
    panel = await world.addPanel({ nodes: [{ id: 'a', ports: 8 }] });
  });
  afterEach(() => world.close());

  /** A server that the host made at the panel by hand, found by a look. Out: the panel's id of it. */
  async function orphan(externalId = 'by-hand'): Promise<string> {
    const account = await panel.inner.ensureUser({
      externalId: 'host',
      username: 'host',
      email: 'host@example.test',
      firstName: 'H',
      lastName: 'H',
    });
    const made = await panel.inner.createServer({
      externalId,
      userId: account.outcome === 'ok' ? account.value : '',
      name: 'Old hall',
      description: '',
      location: { id: '', name: '', address: '' },
      placement: { node: 'a', allocation: 'a-25570', additional: [] },
      egg: { id: '5', dockerImage: '', startup: '' },
      resources: { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 },
      environment: {},
    });
    world.clock.advance(MINUTE);
    await world.servers.reconcile();
    panel.panel.calls.length = 0;
    if (made.outcome !== 'ok') throw new Error(made.outcome);
    return made.value.panelId;
  }
  const drop = (ref: string, name = 'Old hall') =>
    codeOf(world.servers.staff.deleteOrphan(staff, { panel: panel.id, ref, name }));
  const adopt = (ref: string, at = 0) =>
    codeOf(
      world.servers.staff.adopt(keyed(staff, `adopt-${at}`), {
        panel: panel.id,
        ref,
        owner: owner.actor.userId,
        days: null,
        locationId: null,
        eggId: null,
      }),
    );
  const there = (ref: string) => panel.servers.has(Number(ref));
  const listed = async () =>
    (await world.servers.staff.drift({ sort: 'first', dir: 'desc', offset: 0, limit: 50 })).rows.map((row) => row.ref);
  const deletions = () => panel.panel.calls.filter((call) => call === 'deleteServer').length;
  const audit = async () =>
    (
      await world.db.sql<{ target: string; before: string; after: string }>(
        "SELECT target, before, after FROM audit WHERE action = 'servers.orphanDelete' ORDER BY at_ms, id",
      )
    ).map((row) => [row.target, JSON.parse(row.before), JSON.parse(row.after)]);

  test('an orphan goes once its name was typed, with a row of the audit log, and its port is free', async () => {
    const ref = await orphan();
    await panel.read('a');
    expect(await world.servers.staff.orphan(panel.id, ref)).toMatchObject({
      drift: { name: 'Old hall' },
      name: 'Old hall',
      ours: false,
    });
    expect([await drop(ref, 'old hall'), there(ref), await audit()]).toEqual(['NAME_MISMATCH', true, []]);
    expect(await drop(ref, ' Old  hall ')).toBeNull();
    expect([there(ref), await listed(), deletions()]).toEqual([false, [], 1]);
    expect(await audit()).toEqual([[ref, { panel: panel.id, name: 'Old hall' }, { outcome: 'asked' }]]);
    expect(await drop(ref)).toBe('NOT_FOUND');
    const taken = () =>
      world.db.sql<{ allocation: string }>(
        "SELECT allocation FROM node_allocations WHERE allocation = 'a-25570' AND assigned = 1",
      );
    expect(await taken()).toHaveLength(1);
    await world.pass(5 * MINUTE);
    expect(await taken()).toEqual([]);
  });

  test('T24 what is not on the list is not there, whatever the panel has, and the built-in panel has none', async () => {
    const mine = await world.upServer(owner, { locationId: panel.location });
    const ref = await orphan();
    const { panelId } = await world.row(mine);
    for (const [at, what] of [
      [panel.id, panelId ?? ''],
      [panel.id, '999'],
      ['', ref],
      [world.ids.uuid(), ref],
    ] as const) {
      expect(await codeOf(world.servers.staff.orphan(at, what))).toBe('NOT_FOUND');
      expect(await codeOf(world.servers.staff.deleteOrphan(staff, { panel: at, ref: what, name: 'Lanternwood' }))).toBe(
        'NOT_FOUND',
      );
    }
    expect([deletions(), panel.servers.size]).toEqual([0, 2]);
  });

  test('a server of ours stays: by an id of ours that it carries, or taken over after the list was made', async () => {
    // A second server with the id of one that is built elsewhere: the list calls it an orphan.
    const mine = await world.upServer(owner);
    const twin = await orphan(mine);
    expect((await world.servers.staff.orphan(panel.id, twin)).ours).toBe(true);
    expect([await drop(twin), there(twin)]).toEqual(['CONFLICT', true]);
    await panel.inner.deleteServer(twin);
    const ref = await orphan('other');
    await world.servers.adopt(staff, {
      panel: panel.id,
      panelId: ref,
      userId: owner.actor.userId,
      expiresMs: null,
      locationId: null,
      eggId: null,
    });
    expect(await listed()).toContain(ref);
    expect([await drop(ref), there(ref), deletions()]).toEqual(['CONFLICT', true, 0]);
    expect(await audit()).toEqual([]);
  });

  test('fifty deletions at once ask the panel once, and nobody reads otherwise', async () => {
    const ref = await orphan();
    const codes = await Promise.all(Array.from({ length: 50 }, () => drop(ref)));
    expect(codes.filter((code) => code === null)).toHaveLength(1);
    expect(codes.filter((code) => code !== null && code !== 'CONFLICT' && code !== 'NOT_FOUND')).toEqual([]);
    expect([deletions(), there(ref), (await audit()).length]).toEqual([1, false, 1]);
  });

  test('an orphan taken over and deleted at once is either somebody’s and there, or nobody’s and gone', async () => {
    const ref = await orphan();
    const codes = await Promise.all(Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? adopt(ref, at) : drop(ref))));
    expect(codes.filter((code) => code === null)).toHaveLength(1);
    expect((await world.servers.list(owner)).servers.length).toBe(there(ref) ? 1 : 0);
    await world.pass(5 * MINUTE);
    await world.servers.reconcile();
    expect((await world.servers.list(owner)).servers.map(({ state }) => state)).toEqual(there(ref) ? ['active'] : []);
  });

  test('an orphan cannot be taken over while the panel is at it, however stale what was read before', async () => {
    const ref = await orphan();
    panel.panel.fail('hangs', 'deleteServer');
    const dropping = drop(ref);
    await panel.panel.hanging();
    // A look that comes in between lists it again.
    await world.servers.reconcile();
    expect([await adopt(ref), await drop(ref)]).toEqual(['CONFLICT', 'CONFLICT']);
    await panel.panel.release();
    expect([await dropping, there(ref)]).toEqual([null, false]);
    expect((await world.servers.list(owner)).servers).toEqual([]);
  });

  for (const [fault, code] of [
    ['unavailable', 'PANEL_UNREACHABLE'],
    ['refused', 'PANEL_REFUSED'],
    ['conflict', 'SERVER_BUSY'],
  ] as const satisfies [Fault, string][]) {
    test(`T26 ${fault}: ${code}, nothing is gone, and it can be tried again at once`, async () => {
      const ref = await orphan();
      panel.panel.fail(fault, 'deleteServer');
      expect([await drop(ref), there(ref), await listed()]).toEqual([code, true, [ref]]);
      expect((await audit()).map(([, , after]) => after)).toEqual([{ outcome: 'asked' }, { outcome: fault }]);
      expect([await drop(ref), there(ref)]).toEqual([null, false]);
    });
  }

  for (const fault of ['lostAfter', 'lostBefore', 'throws', 'late'] as const) {
    test(`T26 ${fault}: nobody says that it is gone, others keep away until it is clear, then the list says the truth`, async () => {
      const ref = await orphan();
      panel.panel.fail(fault, 'deleteServer');
      expect([await drop(ref), await listed()]).toEqual(['PANEL_UNREACHABLE', [ref]]);
      if (fault !== 'lostAfter') expect([await drop(ref), await adopt(ref)]).toEqual(['CONFLICT', 'CONFLICT']);
      await panel.panel.release();
      await world.pass(5 * MINUTE);
      await world.servers.reconcile();
      expect(await listed()).toEqual(there(ref) ? [ref] : []);
      expect([await drop(ref), there(ref)]).toEqual([
        fault === 'lostBefore' || fault === 'throws' ? null : 'NOT_FOUND',
        false,
      ]);
    });
  }

  test('T26 a panel that says nothing of it is not asked to delete, and one that is disabled neither', async () => {
    const ref = await orphan();
    panel.panel.fail('lostBefore', 'readServer', 2);
    expect(await world.servers.staff.orphan(panel.id, ref)).toMatchObject({ name: null, ours: false });
    expect([await drop(ref), deletions(), await audit()]).toEqual(['PANEL_UNREACHABLE', 0, []]);
    panel.remove();
    expect([await drop(ref), there(ref)]).toEqual(['PANEL_UNREACHABLE', true]);
    panel.restore();
  });
});

const refusal = (call: Promise<unknown>): Promise<string | null> =>
  call.then(
    () => null,
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );

test('T24 deletions over the wire go by permission alone, and ids of nothing are not found', async () => {
  const h = await openHarness();
  try {
    const panel = '01890000-0000-7000-8000-000000000000';
    const [editor, cleaner] = [
      await h.person('editor', { permissions: ['admin.servers.edit', 'admin.servers.list'] }),
      await h.person('cleaner', { permissions: ['admin.servers.delete'] }),
    ];
    const body = { panel, ref: '7', name: 'x' };
    for (const call of [
      () => editor.api.adminServers.orphan({ query: { panel, ref: '7' } }),
      () => editor.api.adminServers.deleteOrphan({ body }),
    ])
      expect(await refusal(call())).toBe('FORBIDDEN');
    for (const call of [
      () => cleaner.api.adminServers.orphan({ query: { panel, ref: '7' } }),
      () => cleaner.api.adminServers.deleteOrphan({ body }),
    ])
      expect(await refusal(call())).toBe('NOT_FOUND');
    expect(await refusal(cleaner.api.adminServers.orphan({ query: { panel: 'embedded', ref: '7' } }))).toBe(
      'NOT_FOUND',
    );
  } finally {
    await h.close();
  }
});
