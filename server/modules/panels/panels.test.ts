import { afterEach, describe, expect, test } from 'bun:test';
import { ENGINES } from '#tests/support/db.ts';
import { aNode, somePorts, standInPanel } from '#tests/support/panel-standin.ts';
import { iso } from '#shared/time.ts';
import { closePanels, CTX, openPanels, refusal, URL_A } from '#tests/support/panels-service.ts';

afterEach(closePanels);

const states = (offers: readonly { kind: string; ref: string; state: string }[]) =>
  Object.fromEntries(offers.map(({ kind, ref, state }) => [`${kind} ${ref}`, state]));

describe.each(ENGINES)('rows of panels on %s', (engine) => {
  test('a panel is asked before it is written down, and its keys are sealed and only their end is ever shown', async () => {
    const { service, db, add, panel, audit } = await openPanels(engine);
    panel.missing = [{ right: 'users', level: 'write' }];
    const id = await add({ client_key: 'ptlc_0123456789abcdef' });
    const view = await service.get(id);
    expect(view).toMatchObject({
      name: 'Main',
      dialect: 'pterodactyl',
      url: URL_A,
      insecure: false,
      key: { state: 'set', last4: '0000' },
      clientKey: { state: 'set', last4: 'cdef' },
      syncing: true,
    });
    const { check } = view.checked ?? {};
    if (!check || !('found' in check)) throw new Error('the panel was not tested');
    expect(check.found.rights.filter(({ granted }) => !granted)).toEqual([
      { right: 'users', level: 'write', granted: false },
    ]);
    expect(check.found.clientKey).toBe('ok');
    const [row] = await db.sql<Record<string, unknown>>('SELECT * FROM panels');
    const shown = JSON.stringify([row, view, await service.list(), await service.catalogue(id), await audit()]);
    expect(shown).not.toContain(panel.key);
    expect(shown).not.toContain('ptlc_0123456789abcdef');
    expect(
      (await audit()).filter(({ action }) => action !== 'panels.attempt').map(({ action, after }) => [action, after]),
    ).toEqual([
      [
        'panels.create',
        { name: 'Main', url: URL_A, dialect: 'pterodactyl', enabled: true, key: 'set', client_key: 'set' },
      ],
    ]);
  });

  test('T26 a sealed key opens in its own row and column only', async () => {
    const { service, db, add, registry, panel } = await openPanels(engine, {
      [URL_A]: standInPanel(),
      'https://moved.example.com': standInPanel(),
    });
    const [a, b] = [
      await add({ client_key: 'ptlc_0123456789abcdef' }),
      await add({ name: 'Other', url: 'https://moved.example.com' }),
    ];
    await db.sql(
      'UPDATE panels SET key_sealed = (SELECT key_sealed FROM panels WHERE id = ?) WHERE id = ? RETURNING id',
      [a, b],
    );
    await db.sql('UPDATE panels SET key_sealed = client_key_sealed WHERE id = ? RETURNING id', [a]);
    await registry.load();
    panel.asked.length = 0;
    for (const id of [a, b]) {
      expect((await service.get(id)).key).toEqual({ state: 'unreadable', last4: null });
      expect(registry.find(id)).toBeNull();
      expect((await service.test(null, id)).check).toEqual({ fault: 'refused', cause: 'key_unreadable' });
      expect(await service.sync(id)).toMatchObject({ state: 'failed', fault: { cause: 'key_unreadable' } });
    }
    expect(panel.asked).toEqual([]);
  });

  test('names and addresses are each panel’s own, whatever their case', async () => {
    const { add, update, service } = await openPanels(engine, {
      [URL_A]: standInPanel(),
      'https://moved.example.com': standInPanel(),
    });
    await add();
    expect(await refusal(add({ name: 'MAIN', url: 'https://moved.example.com' }))).toEqual({ name: ['NAME_TAKEN'] });
    expect(await refusal(add({ name: 'Second' }))).toEqual({ url: ['ADDRESS_TAKEN'] });
    const other = await add({ name: 'Second', url: 'https://moved.example.com' });
    expect(await refusal(update(other, { url: URL_A, key: standInPanel().key }))).toEqual({ url: ['ADDRESS_TAKEN'] });
    expect(await refusal(update(other, { name: 'main' }))).toEqual({ name: ['NAME_TAKEN'] });
    expect((await service.list()).map(({ name }) => name)).toEqual(['Main', 'Second']);
  });

  test('the same name fifty times at once makes one panel', async () => {
    const { service, input } = await openPanels(engine);
    const made = await Promise.allSettled(Array.from({ length: 50 }, () => service.create(CTX, input)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await service.list()).toHaveLength(1);
  });

  test('a panel goes only when neither servers nor locations need it, and all that was read of it goes along', async () => {
    const { service, read, takeAll, db } = await openPanels(engine);
    const id = await read();
    await takeAll(id);
    expect(await refusal(service.remove(CTX, id, 'Mian'))).toEqual({ name: ['NAME_MISMATCH'] });
    expect((await service.dependants(id)).refused).toBe(true);
    expect(await refusal(service.remove(CTX, id, 'Main'))).toBe('IN_USE');
    await db.sql('DELETE FROM locations RETURNING id');
    await db.sql(
      `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired, revision, synced_revision, auto_renew,
       auto_renew_order, periods, created_ms, updated_ms, panel) VALUES ('s', 'u', 'hub', '', '', '', '', 256, 256, 5, 1, 0, 0, '{}', 'failed', 'running', 1, 1, 0, 0, 0, 0, 0, ?) RETURNING id`,
      [id],
    );
    expect(await refusal(service.remove(CTX, id, 'Main'))).toBe('IN_USE');
    await db.sql("UPDATE servers SET state = 'deleted' RETURNING id");
    await service.remove(CTX, id, ' Main ');
    expect(await service.list()).toEqual([]);
    for (const table of ['panel_offers', 'node_capacity', 'node_allocations', 'egg_bindings'])
      expect(await db.sql(`SELECT * FROM ${table}`)).toEqual([]);
    // The eggs stay: another panel may have them, and servers of the past name them.
    expect(await db.sql('SELECT id FROM eggs')).toHaveLength(2);
  });
});

describe('changes', () => {
  test('empty keys stay, new ones are tried first, the client key can be dropped, and the editor of an old version is refused', async () => {
    const { update, add, service, panel, audit } = await openPanels();
    const id = await add({ client_key: 'ptlc_0123456789abcdef' });
    const seen = iso((await service.get(id)).updatedMs);
    panel.asked.length = 0;
    await update(id, { name: 'Renamed', enabled: false });
    expect(panel.asked).toEqual([]);
    expect(await service.get(id)).toMatchObject({
      name: 'Renamed',
      enabled: false,
      health: null,
      key: { last4: '0000' },
      clientKey: { last4: 'cdef' },
    });
    expect(await refusal(update(id, { updated_at: seen }))).toBe('CONFLICT');
    expect(await refusal(update(id, { key: 'ptla_wrong_wrong_wrong' }))).toEqual({ key: ['NOT_ALLOWED'] });
    panel.key = 'ptla_fresh_fresh_1234';
    await update(id, { key: 'ptla_fresh_fresh_1234', drop_client_key: true });
    expect(await service.get(id)).toMatchObject({
      key: { state: 'set', last4: '1234' },
      clientKey: { state: 'absent', last4: null },
      checked: { check: { found: { clientKey: 'absent' } } },
    });
    expect((await audit())[0]).toMatchObject({
      action: 'panels.edit',
      before: { client_key: 'set' },
      after: { key: 'changed', client_key: 'absent' },
    });
  });

  test('a connection is shared until its row changes; a disabled or removed panel has none', async () => {
    const { add, update, registry, connector, service } = await openPanels();
    const id = await add();
    await registry.load();
    const first = registry.find(id);
    expect(first).not.toBeNull();
    await service.test(null, id);
    await registry.load();
    expect(registry.find(id)).toBe(first);
    expect(registry.findCatalogue(id)).not.toBeNull();
    expect(await registry.list()).toEqual([{ id, name: 'Main' }]);
    await update(id, { enabled: false });
    await registry.load();
    expect([registry.find(id), registry.findCatalogue(id), await registry.list(), registry.find(null)]).toEqual([
      null,
      null,
      [],
      null,
    ]);
    await update(id, { enabled: true, client_key: 'ptlc_fresh' });
    await registry.load();
    expect(registry.find(id)).not.toBe(first);
    expect(connector.connected.at(-1)).toMatchObject({ id, clientKey: 'ptlc_fresh' });
  });

  test('the environment’s panel is added once; its row is the staff’s from then on', async () => {
    const { service, panel } = await openPanels();
    const first = { dialect: 'pterodactyl' as const, url: URL_A, key: panel.key, clientKey: null };
    await service.addFirst(first);
    await service.addFirst({ ...first, key: 'ptla_other' });
    expect((await service.list()).map(({ name, url, key }) => [name, url, key.last4])).toEqual([
      ['panel.example.com', URL_A, '0000'],
    ]);
  });
});

describe.each(ENGINES)('reading a catalogue on %s', (engine) => {
  test('what is offered is shown, and nothing of ours is made by it', async () => {
    const { service, read, db } = await openPanels(engine);
    const id = await read();
    const { offers, nests, nodes, panel } = await service.catalogue(id);
    expect(states(offers)).toEqual({ 'egg 1': 'fresh', 'egg 2': 'fresh', 'location 1': 'fresh' });
    expect(nests).toEqual([{ ref: '1', name: 'Minecraft', eggs: 2, waiting: 2, category: null }]);
    expect(nodes).toMatchObject([
      { id: '1', places: ['de-fra'], memory: 65_536, memoryUsed: 12_288, ports: 4, portsFree: 3 },
    ]);
    expect(panel).toMatchObject({
      news: { fresh: 3, changed: 0, vanished: 0 },
      syncing: false,
      synced: { state: 'ok' },
    });
    for (const table of ['locations', 'eggs', 'egg_categories'])
      expect(await db.sql(`SELECT * FROM ${table}`)).toEqual([]);
  });

  test.each(['locations', 'nodes', 'eggs'] as const)(
    'T26 half a list proves nothing: an outage while %s are read changes nothing',
    async (part) => {
      const { service, read, panel, takeAll, clock, db } = await openPanels(engine);
      const id = await read();
      await takeAll(id);
      const before = await service.catalogue(id);
      const stored = () =>
        Promise.all(
          ['panel_offers', 'node_capacity', 'node_allocations'].map((table) =>
            db.sql(`SELECT * FROM ${table} ORDER BY 1, 2, 3`),
          ),
        );
      const rows = await stored();
      clock.advance(1000);
      Object.assign(panel, { locations: [], nodes: [], eggs: [], allocations: {} });
      for (const fault of [
        { outcome: 'unavailable' },
        { outcome: 'unknown' },
        { outcome: 'refused', reason: `right:${part}` },
      ] as const) {
        panel.faults.set(part, fault);
        expect(await service.sync(id)).toMatchObject({ state: 'failed', part, fault: { fault: fault.outcome } });
      }
      expect(await stored()).toEqual(rows);
      const after = await service.catalogue(id);
      expect(states(after.offers)).toEqual(states(before.offers));
      expect(after.panel.synced).toMatchObject({ state: 'failed', part, fault: { cause: `right:${part}` } });
    },
  );

  test('the ports of a node that does not name them stay as they are, and those of the others are read', async () => {
    const { service, read, panel, db, clock } = await openPanels(engine);
    panel.nodes.push(aNode('2'));
    panel.allocations[2] = somePorts('2', 30_000, 2);
    const id = await read();
    clock.advance(1000);
    panel.allocations = { 1: [], 2: [] };
    panel.faults.set('allocations:1', { outcome: 'unknown' });
    expect(await service.sync(id)).toMatchObject({ state: 'partial', part: 'allocations', nodesFailed: ['node-1'] });
    expect((await service.catalogue(id)).nodes.map(({ id: node, ports }) => [node, ports])).toEqual([
      ['1', 4],
      ['2', 0],
    ]);
    expect(await db.sql("SELECT * FROM node_allocations WHERE node = '2' AND vanished_ms IS NULL")).toEqual([]);
  });

  test('no conclusion is drawn from what changed under way: the row was edited, disabled or removed', async () => {
    const { service, add, panel, update, db } = await openPanels(engine);
    const id = await add();
    const during = async (work: () => Promise<unknown>) => {
      panel.before = async (part) => {
        if (part !== 'eggs') return;
        panel.before = () => undefined;
        await work();
      };
      return service.sync(id);
    };
    expect(await during(() => update(id, { name: 'Edited' }))).toBeNull();
    expect(await during(() => update(id, { enabled: false }))).toBeNull();
    expect((await service.get(id)).syncing).toBe(false);
    await update(id, { enabled: true });
    expect(await during(() => service.remove(CTX, id, 'Edited'))).toBeNull();
    expect(await db.sql('SELECT * FROM panel_offers')).toEqual([]);
    expect(await db.sql('SELECT * FROM node_capacity')).toEqual([]);
  });

  test('a reading is asked for by a job, once, and of every panel in use each hour', async () => {
    const { service, add, update, db } = await openPanels(engine);
    const id = await add();
    await service.requestSync(CTX, id);
    await service.requestSyncOfAll();
    const jobs = () => db.sql<{ kind: string }>("SELECT kind FROM jobs WHERE kind = 'panels.sync'");
    expect(await jobs()).toHaveLength(1);
    await update(id, { enabled: false });
    expect(await refusal(service.requestSync(CTX, id))).toBe('PANEL_DISABLED');
    expect(await refusal(service.requestSync(CTX, '01890000-0000-7000-8000-000000000000'))).toBe('NOT_FOUND');
  });
});
