import { afterEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { createKindOfHost } from '#server/panel-hosts.ts';
import { DomainError, type FieldErrors } from '#shared/errors.ts';
import { fakeClock, testIds } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';
import {
  aNode,
  anEgg,
  somePorts,
  standInConnector,
  standInPanel,
  type StandInPanel,
} from '#tests/support/panel-standin.ts';
import { testSealer } from '#tests/support/sealing.ts';
import { panelCreateInput, panelUpdateInput } from '#shared/schemas/panel.ts';
import { fieldErrors } from '#shared/validation.ts';
import { iso } from '#shared/time.ts';
import { createConnectionRegistry, createPanels } from './index.ts';

const URL_A = 'https://panel.example.com';
const CTX: SignedIn = {
  actor: {
    userId: '0193aaaa-0000-7000-8000-00000000aaaa',
    sessionId: 's',
    username: 'mirela',
    permissions: ['admin.panels.create', 'admin.panels.edit', 'admin.panels.delete'],
    verified: true,
  },
  requestId: 'r',
  locale: 'en',
  address: '203.0.113.7',
  userAgent: 'test',
  idempotency: null,
};
const NAMES: Record<string, string[]> = {
  'panel.example.com': ['93.184.215.14'],
  'moved.example.com': ['93.184.215.15'],
  'inside.example.com': ['10.0.0.5'],
  'meta.example.com': ['169.254.169.254'],
};

let open: TestDb | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

async function openWorld(
  engine: (typeof ENGINES)[number] = 'sqlite',
  panels: Record<string, StandInPanel> = { [URL_A]: standInPanel() },
) {
  const db = (open = await openTestDb(engine));
  const clock = fakeClock();
  const connector = standInConnector(panels);
  const base = { uow: db.uow, clock, ids: testIds(3), log: db.log, sealer: testSealer };
  const registry = createConnectionRegistry({ ...base, bus: db.bus, connector, embedded: null });
  const service = createPanels({
    recipes: [],
    runsImages: () => false,
    parseYaml: JSON.parse,
    ...base,
    registry,
    connector,
    kindOfHost: createKindOfHost((host) => Promise.resolve(NAMES[host] ?? [])),
    mailing: { isConfigured: () => true, sendTo: () => Promise.resolve(true) },
  });
  const input = {
    name: 'Main',
    url: URL_A,
    dialect: 'auto' as const,
    enabled: true,
    key: panels[URL_A]?.key ?? 'k',
    client_key: '',
    public_url: '',
  };
  const audit = () => db.uow.read((tx) => tx.audit.latest(50));
  const add = async (more: Partial<typeof input> = {}) => (await service.create(CTX, { ...input, ...more })).id;
  const update = async (id: string, more: object) => {
    const { name, url, publicUrl, enabled, updatedMs } = await service.get(id);
    return service.update(CTX, id, {
      name,
      url,
      public_url: publicUrl ?? '',
      enabled,
      dialect: 'auto',
      key: '',
      client_key: '',
      drop_client_key: false,
      updated_at: iso(updatedMs),
      ...more,
    });
  };
  /** A panel that was read. */
  const read = async () => {
    const id = await add();
    expect(await service.sync(id)).toMatchObject({ state: 'ok' });
    return id;
  };
  const takeAll = async (id: string) => {
    const { offers } = await service.catalogue(id);
    return service.importOffers(CTX, id, { offers: offers.map(({ kind, ref }) => ({ kind, ref })), nests: [] });
  };
  const panel = panels[URL_A] ?? standInPanel();
  return { db, clock, registry, connector, service, panel, input, add, update, read, takeAll, audit };
}
const refusal = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DomainError)) throw error ?? new Error('it was not refused');
  return error.fields ?? error.code;
};
const states = (offers: readonly { kind: string; ref: string; state: string }[]) =>
  Object.fromEntries(offers.map(({ kind, ref, state }) => [`${kind} ${ref}`, state]));

describe.each(ENGINES)('rows of panels on %s', (engine) => {
  test('a panel is asked before it is written down, and its keys are sealed and only their end is ever shown', async () => {
    const { service, db, add, panel, audit } = await openWorld(engine);
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
    const { service, db, add, registry, panel } = await openWorld(engine, {
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
    const { add, update, service } = await openWorld(engine, {
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
    const { service, input } = await openWorld(engine);
    const made = await Promise.allSettled(Array.from({ length: 50 }, () => service.create(CTX, input)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await service.list()).toHaveLength(1);
  });

  test('a panel goes only when neither servers nor locations need it, and all that was read of it goes along', async () => {
    const { service, read, takeAll, db } = await openWorld(engine);
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

describe('addresses', () => {
  const bad = [
    'http://panel.example.com',
    'http://meta.example.com',
    'https://meta.example.com',
    'http://169.254.169.254',
    'http://[::ffff:169.254.169.254]',
    'http://0.0.0.0',
    'http://nowhere.example.com',
    'http://8.8.8.8',
    'http://[fe80::1]',
  ];
  test.each(bad)('T26 no key goes to %s', async (url) => {
    const { service, input, connector } = await openWorld();
    const fields = await refusal(service.create(CTX, { ...input, url: new URL(url).origin }));
    expect(Object.keys(fields)).toEqual(['url']);
    expect(connector.connected).toEqual([]);
  });
  test.each([
    'http://inside.example.com',
    'http://10.1.2.3:8080',
    'http://[fd00::7]',
    'http://127.0.0.1',
    'http://100.100.1.1',
  ])('an address like %s is inside, and said to be without encryption', async (url) => {
    const { add, service } = await openWorld('sqlite', {
      [URL_A]: standInPanel(),
      [new URL(url).origin]: standInPanel(),
    });
    expect(await service.get(await add({ url: new URL(url).origin }))).toMatchObject({ insecure: true });
  });

  test('T26 a wrong address or key stores nothing until somebody says what stands there', async () => {
    const { service, input, panel, add } = await openWorld();
    expect(await refusal(service.create(CTX, { ...input, url: 'https://moved.example.com' }))).toEqual({
      url: ['PANEL_SILENT'],
    });
    expect(await refusal(service.create(CTX, { ...input, key: 'ptla_wrong' }))).toEqual({ key: ['NOT_ALLOWED'] });
    expect(await service.list()).toEqual([]);
    panel.faults.set('detect', { outcome: 'unavailable' });
    const id = await add({ dialect: 'pelican' as never });
    expect(await service.get(id)).toMatchObject({
      dialect: 'pelican',
      checked: { check: { fault: 'unavailable', cause: 'timeout' } },
    });
    panel.faults.clear();
    expect(await service.test(null, id)).toMatchObject({
      check: { found: { dialect: 'pterodactyl' } },
    });
    expect((await service.get(id)).dialect).toBe('pterodactyl');
  });

  test('T26 an address that leads to another panel is not taken for the same one', async () => {
    const elsewhere = standInPanel({ eggs: [anEgg('1', 'Paper', { uuid: '99999999-0000-4000-8000-000000000001' })] });
    const { update, read, takeAll, service } = await openWorld('sqlite', {
      [URL_A]: standInPanel(),
      'https://moved.example.com': elsewhere,
    });
    const id = await read();
    await takeAll(id);
    const moved = { url: 'https://moved.example.com', key: elsewhere.key };
    expect(await refusal(update(id, moved))).toEqual({ url: ['OTHER_PANEL'] });
    elsewhere.faults.set('eggs', { outcome: 'unknown' });
    expect(await refusal(update(id, moved))).toBe('PANEL_UNAVAILABLE');
    elsewhere.faults.clear();
    elsewhere.eggs.push(anEgg('2', 'Forge'));
    await update(id, moved);
    expect((await service.get(id)).url).toBe('https://moved.example.com');
  });
});

describe.each(ENGINES)('keys and a new address on %s', (engine) => {
  const THIEF = 'https://moved.example.com';
  const world = async () => {
    const thief = standInPanel();
    const all = await openWorld(engine, { [URL_A]: standInPanel(), [THIEF]: thief });
    const id = await all.add({ client_key: 'ptlc_0123456789abcdef' });
    all.connector.connected.length = 0;
    return { ...all, id, thief };
  };

  test('S1 staff who change a panel’s address without its keys are refused, and nothing is sent there', async () => {
    const { update, thief, connector, id, service, input } = await world();
    const both: FieldErrors = { key: ['REQUIRED'], client_key: ['REQUIRED'] };
    for (const dialect of ['auto', 'pelican'] as const)
      expect(await refusal(update(id, { url: THIEF, dialect }))).toEqual(both);
    // One key alone does not send the other.
    expect(await refusal(update(id, { url: THIEF, key: input.key }))).toEqual({ client_key: ['REQUIRED'] });
    expect(await refusal(update(id, { url: THIEF, client_key: 'ptlc_fresh' }))).toEqual({ key: ['REQUIRED'] });
    expect(await refusal(update(id, { url: THIEF, drop_client_key: true }))).toEqual({ key: ['REQUIRED'] });
    // Another scheme or port is another origin.
    expect(await refusal(update(id, { url: 'https://panel.example.com:8443' }))).toEqual(both);
    expect(await refusal(update(id, { url: 'http://panel.example.com' }))).toEqual(both);
    expect([thief.asked, connector.connected.filter(({ url }) => url !== URL_A)]).toEqual([[], []]);
    expect((await service.get(id)).url).toBe(URL_A);
  });

  test('S1 an attempt is in the audit log before anything is asked, also one that is refused', async () => {
    const { update, thief, id, audit, service, input } = await world();
    const attempts = async () =>
      (await audit())
        .filter(({ action, target }) => action === 'panels.attempt' && target === id)
        .map(({ actorId, after }) => [actorId, after]);
    await refusal(update(id, { url: THIEF }));
    expect(await attempts()).toEqual([
      [CTX.actor.userId, { name: 'Main', url: THIEF, key: 'absent', client_key: 'absent' }],
    ]);
    let seen = 0;
    thief.before = async () => void (seen ||= (await attempts()).length);
    thief.key = 'ptla_another';
    expect(await refusal(update(id, { url: THIEF, key: input.key, client_key: 'ptlc_fresh' }))).toEqual({
      key: ['NOT_ALLOWED'],
    });
    expect([seen, (await attempts()).length]).toEqual([2, 2]);
    // A new panel is tried as well.
    await refusal(service.create(CTX, { ...input, name: 'Next', url: 'https://third.example.com' }));
    expect(
      (await audit()).some(
        ({ action, target, after }) =>
          action === 'panels.attempt' && target === 'Next' && JSON.stringify(after).includes('third.example.com'),
      ),
    ).toBe(true);
    expect(JSON.stringify(await audit())).not.toMatch(/ptla_|ptlc_/);
  });

  test('S1 a panel moves with all keys given again, or the client key dropped', async () => {
    const { update, id, service, input } = await world();
    await update(id, { url: THIEF, key: input.key, drop_client_key: true });
    expect(await service.get(id)).toMatchObject({ url: THIEF, clientKey: { state: 'absent' } });
    await update(id, { url: URL_A, key: input.key });
    expect((await service.get(id)).url).toBe(URL_A);
  });
});

describe('connecting names the cause', () => {
  test.each([
    ['refused', 'PANEL_SILENT'],
    ['dns', 'PANEL_DNS'],
    ['tls', 'PANEL_TLS'],
    ['timeout', 'PANEL_TIMEOUT'],
    ['reset', 'PANEL_RESET'],
    ['redirect', 'PANEL_REDIRECT'],
    ['not_api', 'PANEL_NOT_API'],
    ['not_json', 'PANEL_NOT_API'],
  ] as const)('P7 a connection that fails of %s says so beside the address', async (failure, code) => {
    const { service, connector, input } = await openWorld();
    connector.detect = () => Promise.resolve({ answer: { outcome: 'unavailable' }, failure });
    expect(await refusal(service.create(CTX, input))).toEqual({ url: [code] });
  });
  test.each([
    ['key', 'NOT_ALLOWED'],
    ['key_owner', 'PANEL_KEY_OWNER'],
    ['key_address', 'PANEL_KEY_ADDRESS'],
  ] as const)('P7 a key that is refused for %s says so beside the key', async (reason, code) => {
    const { service, connector, input } = await openWorld();
    connector.detect = () => Promise.resolve({ answer: { outcome: 'refused', reason }, failure: 'key' });
    expect(await refusal(service.create(CTX, input))).toEqual({ key: [code] });
  });
  test.each([
    ['ptlc_0123456789', 'key', 'CLIENT_KEY'],
    ['pacc_0123456789', 'key', 'CLIENT_KEY'],
    ['ptla_0123456789', 'client_key', 'INVALID'],
    ['papp_0123456789', 'client_key', 'INVALID'],
  ] as const)('P7 the key %s is refused in the field %s', (value, field, code) => {
    const both = {
      name: 'Main',
      url: URL_A,
      dialect: 'auto',
      enabled: true,
      key: 'ptla_0',
      client_key: 'ptlc_0',
      [field]: value,
    };
    for (const parsed of [
      panelCreateInput.safeParse(both),
      panelUpdateInput.safeParse({ ...both, public_url: '', drop_client_key: false }),
    ]) {
      expect(parsed.error && fieldErrors(parsed.error)).toEqual({ [field]: [code] });
    }
  });
});

describe.each(ENGINES)('a public address on %s', (engine) => {
  test('P8 players’ links lead to a panel’s public address, and the product calls the other one', async () => {
    const { service, add, update, registry, connector } = await openWorld(engine);
    const id = await add({ public_url: 'https://play.example.com' });
    expect(await service.get(id)).toMatchObject({ url: URL_A, publicUrl: 'https://play.example.com' });
    await registry.load();
    registry.find(id);
    expect(connector.connected.at(-1)).toMatchObject({ id, url: URL_A, publicUrl: 'https://play.example.com' });
    // It is no address that keys are sent to: it changes without them.
    await update(id, { name: 'Renamed' });
    expect((await service.get(id)).publicUrl).toBe('https://play.example.com');
    await update(id, { public_url: '' });
    expect((await service.get(id)).publicUrl).toBeNull();
  });
});

describe('changes', () => {
  test('empty keys stay, new ones are tried first, the client key can be dropped, and the editor of an old version is refused', async () => {
    const { update, add, service, panel, audit } = await openWorld();
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
    const { add, update, registry, connector, service } = await openWorld();
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
    const { service, panel } = await openWorld();
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
    const { service, read, db } = await openWorld(engine);
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
      const { service, read, panel, takeAll, clock, db } = await openWorld(engine);
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
    const { service, read, panel, db, clock } = await openWorld(engine);
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
    const { service, add, panel, update, db } = await openWorld(engine);
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
    const { service, add, update, db } = await openWorld(engine);
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
