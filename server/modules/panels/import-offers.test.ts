import { afterEach, describe, expect, test } from 'bun:test';
import { createKindOfHost } from '#server/panel-hosts.ts';
import { DomainError } from '#shared/errors.ts';
import { eggs as eggArea } from '#shared/resources/eggs.ts';
import { fakeClock, testIds } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';
import { aNode, anEgg, standInConnector, standInPanel } from '#tests/support/panel-standin.ts';
import { CTX } from '#tests/support/panels-service.ts';
import { testSealer } from '#tests/support/sealing.ts';
import { createConnectionRegistry, createPanels } from './index.ts';

const [URL_A, URL_B] = ['https://a.example.com', 'https://b.example.com'];
let open: TestDb | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

/** Two panels; the first is read. */
async function openWorld(engine: (typeof ENGINES)[number] = 'sqlite') {
  const db = (open = await openTestDb(engine));
  const clock = fakeClock();
  const [a, b] = [standInPanel(), standInPanel()];
  const connector = standInConnector({ [URL_A]: a, [URL_B]: b });
  const base = { uow: db.uow, clock, ids: testIds(3), log: db.log, sealer: testSealer };
  const registry = createConnectionRegistry({ ...base, bus: db.bus, connector, embedded: null });
  const service = createPanels({
    recipes: [],
    runsImages: () => false,
    parseYaml: JSON.parse,
    ...base,
    registry,
    connector,
    kindOfHost: createKindOfHost(() => Promise.resolve(['93.184.215.14'])),
    mailing: { isConfigured: () => true, sendTo: () => Promise.resolve(true) },
  });
  const add = async (name: string, url: string) =>
    (await service.create(CTX, { name, url, dialect: 'auto', enabled: true, key: a.key, client_key: '' })).id;
  const id = await add('Alpha', URL_A);
  await service.sync(id);
  const resync = async () => {
    clock.advance(1000);
    await service.sync(id);
  };
  const take = (offers: [kind: 'location' | 'egg', ref: string][], nests: string[] = [], from = id) =>
    service.importOffers(CTX, from, { offers: offers.map(([kind, ref]) => ({ kind, ref })), nests });
  const offer = async (kind: string, ref: string) => {
    const found = (await service.catalogue(id)).offers.find((each) => each.kind === kind && each.ref === ref);
    if (!found) throw new Error(`no ${kind} ${ref}`);
    return found;
  };
  const egg = async (name: string) => {
    const found = (await db.uow.read((tx) => tx.catalog.eggs())).find((each) => each.name === name);
    if (!found) throw new Error(`no egg ${name}`);
    return found;
  };
  const locations = () => db.uow.read((tx) => tx.catalog.locations());
  return { db, clock, service, a, b, add, id, resync, take, offer, egg, locations };
}

describe.each(ENGINES)('taking over on %s', (engine) => {
  test('a whole nest becomes an egg category with all its eggs, bound to the panel, once', async () => {
    const { db, take, offer, egg, service, id } = await openWorld(engine);
    expect(await take([], ['1'])).toEqual({ created: 2, updated: 0, skipped: 0 });
    expect(await take([], ['1'])).toEqual({ created: 0, updated: 0, skipped: 2 });
    expect(await db.uow.read((tx) => tx.catalog.categories())).toMatchObject([{ name: 'Minecraft', enabled: true }]);
    const paper = await egg('Paper');
    expect(paper).toMatchObject({
      dockerImage: 'ghcr.io/pterodactyl/yolks:java_21',
      startup: 'java -jar {{SERVER_JARFILE}}',
      enabled: true,
    });
    expect(paper.variables.map(({ env, user_editable: editable }) => [env, editable])).toEqual([
      ['SERVER_JARFILE', true],
      ['BUILD_NUMBER', false],
    ]);
    expect(await db.sql('SELECT panel_egg, egg_id FROM egg_bindings WHERE egg_id = ?', [paper.id])).toEqual([
      { panel_egg: '1', egg_id: paper.id },
    ]);
    expect(await offer('egg', '1')).toMatchObject({
      state: 'current',
      ours: { id: paper.id, name: 'Paper', on: true },
    });
    expect((await service.catalogue(id)).nests).toMatchObject([{ waiting: 0, category: { name: 'Minecraft' } }]);
    const [last] = await db.uow.read((tx) => tx.audit.latest(1));
    expect(last).toMatchObject({
      action: 'panels.import',
      target: id,
      after: { name: 'Alpha', created: ['Forge', 'Paper'], count: 2 },
    });
  });

  test('a location begins turned off, with the country, address and name that the panel gives', async () => {
    const { take, locations, offer, db } = await openWorld(engine);
    expect(await take([['location', '1']])).toEqual({ created: 1, updated: 0, skipped: 0 });
    expect(await locations()).toMatchObject([
      { name: 'de-fra', description: 'Frankfurt', code: 'DE', address: 'node1.example.com', online: false },
    ]);
    expect(await db.sql('SELECT panel_location, placement FROM locations')).toEqual([
      { panel_location: '1', placement: 'spread' },
    ]);
    expect(await offer('location', '1')).toMatchObject({ state: 'current', ours: { name: 'de-fra', on: false } });
  });

  test('what the panel changed is shown and brought over; what staff changed elsewhere stays', async () => {
    const { a, take, resync, offer, egg, db, clock } = await openWorld(engine);
    await take([], ['1']);
    const paper = await egg('Paper');
    await db.sql(
      "UPDATE eggs SET name = 'Paper (fast)', min_memory = 4096, startup = 'java -Xmx1G -jar {{SERVER_JARFILE}}' WHERE id = ? RETURNING id",
      [paper.id],
    );
    a.eggs[0] = anEgg('1', 'Paper', {
      startup: 'java -XX:+UseG1GC -jar {{SERVER_JARFILE}}',
      dockerImages: [
        { label: 'Java 25', image: 'ghcr.io/pterodactyl/yolks:java_25' },
        { label: 'Java 21', image: 'ghcr.io/pterodactyl/yolks:java_21' },
      ],
      variables: [
        {
          env: 'SERVER_JARFILE',
          name: 'Server file',
          description: '',
          defaultValue: 'paper.jar',
          rules: 'required|string',
          viewable: true,
          editable: true,
        },
        {
          env: 'VERSION',
          name: 'Version',
          description: '',
          defaultValue: 'latest',
          rules: 'required|string',
          viewable: true,
          editable: true,
        },
      ],
    });
    await resync();
    const { state, changes } = await offer('egg', '1');
    expect(state).toBe('changed');
    expect(changes.map(({ part, kind, subject, own }) => [part, kind, subject, own])).toEqual([
      ['startup', 'changed', null, true],
      ['images', 'changed', null, false],
      ['variable', 'changed', 'SERVER_JARFILE', false],
      ['variable', 'added', 'VERSION', false],
      ['variable', 'removed', 'BUILD_NUMBER', false],
    ]);
    expect(changes[0]).toMatchObject({
      before: 'java -jar {{SERVER_JARFILE}}',
      after: 'java -XX:+UseG1GC -jar {{SERVER_JARFILE}}',
    });
    expect(changes[1]?.after).toContain('java_25');
    clock.advance(1000);
    expect(await take([['egg', '1']])).toEqual({ created: 0, updated: 1, skipped: 0 });
    const after = await egg('Paper (fast)');
    // Java 21 is still offered, so the servers' image does not change under them.
    expect(after).toMatchObject({
      id: paper.id,
      minMemory: 4096,
      startup: 'java -XX:+UseG1GC -jar {{SERVER_JARFILE}}',
      dockerImage: 'ghcr.io/pterodactyl/yolks:java_21',
    });
    expect(after.variables.map(({ env, default_value: value }) => [env, value])).toEqual([
      ['SERVER_JARFILE', 'paper.jar'],
      ['VERSION', 'latest'],
    ]);
    expect(await offer('egg', '1')).toMatchObject({ state: 'current', changes: [] });
  });

  test('what vanished is flagged, nothing is deleted by itself, and it can be turned off at once', async () => {
    const { a, take, resync, offer, service, id, db, egg, locations } = await openWorld(engine);
    await take([['location', '1']], ['1']);
    await db.sql('UPDATE locations SET online = 1 RETURNING id');
    Object.assign(a, { locations: [], eggs: [anEgg('2', 'Forge')] });
    await resync();
    expect(await offer('egg', '1')).toMatchObject({ state: 'vanished', ours: { name: 'Paper', on: true } });
    expect((await service.get(id)).news).toEqual({ fresh: 0, changed: 0, vanished: 2 });
    expect(await egg('Paper')).toMatchObject({ enabled: true });
    expect(
      await take([
        ['egg', '1'],
        ['location', '1'],
      ]),
    ).toEqual({ created: 0, updated: 0, skipped: 2 });
    const off = (offers: { kind: 'egg' | 'location'; ref: string }[]) => service.turnOff(CTX, id, { offers });
    expect(await off([{ kind: 'egg', ref: '2' }])).toEqual({ done: 0 });
    expect(
      await off([
        { kind: 'egg', ref: '1' },
        { kind: 'location', ref: '1' },
      ]),
    ).toEqual({ done: 2 });
    expect(
      await off([
        { kind: 'egg', ref: '1' },
        { kind: 'location', ref: '1' },
      ]),
    ).toEqual({ done: 0 });
    expect(await egg('Paper')).toMatchObject({ enabled: false });
    expect(await locations()).toMatchObject([{ online: false }]);
    expect(await db.sql('SELECT id FROM eggs')).toHaveLength(2);
    // It comes back as it was.
    a.eggs.push(anEgg('1', 'Paper'));
    await resync();
    expect(await offer('egg', '1')).toMatchObject({ state: 'current', vanishedMs: null, ours: { on: false } });
  });

  test('fifty staff taking over the same at once make each thing once', async () => {
    const { take, db, locations } = await openWorld(engine);
    const results = await Promise.all(Array.from({ length: 50 }, () => take([['location', '1']], ['1'])));
    expect(results.map(({ created }) => created).filter((count) => count > 0)).toEqual([3]);
    expect([
      (await db.sql('SELECT id FROM eggs')).length,
      (await db.sql('SELECT id FROM egg_categories')).length,
      (await locations()).length,
    ]).toEqual([2, 1, 1]);
  });
});

test('the same egg of a second panel is the same egg; it vanishes from one of them without being turned off', async () => {
  const { add, service, take, db, egg, b, clock, resync, a, id } = await openWorld();
  await take([], ['1']);
  const before = await egg('Paper');
  b.eggs = [anEgg('70', 'Paper', { startup: 'other' })];
  const second = await add('Beta', URL_B);
  await service.sync(second);
  expect(await take([], ['1'], second)).toEqual({ created: 0, updated: 1, skipped: 0 });
  expect(await db.sql('SELECT panel_egg FROM egg_bindings WHERE egg_id = ? ORDER BY panel_egg', [before.id])).toEqual([
    { panel_egg: '1' },
    { panel_egg: '70' },
  ]);
  expect(await egg('Paper')).toEqual(before);
  a.eggs = [anEgg('2', 'Forge')];
  await resync();
  clock.advance(1);
  expect(await service.turnOff(CTX, id, { offers: [{ kind: 'egg', ref: '1' }] })).toEqual({ done: 1 });
  expect(await egg('Paper')).toMatchObject({ enabled: true });
  expect(await db.sql('SELECT panel_egg FROM egg_bindings WHERE egg_id = ?', [before.id])).toEqual([
    { panel_egg: '70' },
  ]);
});

test('eggs of one name in one nest stay two, and odd texts are brought into our form without touching commands and rules', async () => {
  const { a, resync, take, db } = await openWorld();
  const rules = 'required|uploadable|in:a,b';
  a.eggs = [
    anEgg('1', 'Paper'),
    anEgg('2', 'Paper'),
    anEgg('3', `Long\n${'x'.repeat(100)}`, {
      description: `<b>\u0000${'d'.repeat(900)}`,
      startup: './run {{PORT}} && echo "${HOME}"',
      variables: [
        { env: 'lower_case', name: '', description: '', defaultValue: ' x ', rules, viewable: true, editable: true },
      ],
    }),
  ];
  await resync();
  expect(await take([], ['1'])).toEqual({ created: 3, updated: 0, skipped: 0 });
  const eggs = await db.uow.read((tx) => tx.catalog.eggs());
  expect(eggs.map(({ name }) => name).toSorted()).toEqual([`Long ${'x'.repeat(55)}`, 'Paper', 'Paper (Alpha)']);
  const odd = eggs.find(({ name }) => name.startsWith('Long'));
  expect(odd).toMatchObject({
    startup: './run {{PORT}} && echo "${HOME}"',
    variables: [{ env: 'lower_case', name: 'lower_case', default_value: ' x ', rules, user_editable: false }],
  });
  expect([...(odd?.description ?? '')].length).toBe(255);
});

test('an imported egg passes the staff’s own form', async () => {
  const { take, egg } = await openWorld();
  await take([], ['1']);
  const {
    categoryId: category_id,
    dockerImage: docker_image,
    minMemory: min_memory,
    minDisk: min_disk,
    minCpu: min_cpu,
    vipOnly: vip_only,
    // Staff set none of these.
    id: _id,
    configFiles: _files,
    container: _container,
    ...rest
  } = await egg('Paper');
  expect(
    eggArea.create.safeParse({ ...rest, category_id, docker_image, min_memory, min_disk, min_cpu, vip_only }).error
      ?.issues ?? null,
  ).toBeNull();
});

test('rules that nobody here knows are taken over and named', async () => {
  const { a, resync, take, offer, egg } = await openWorld();
  a.eggs[0] = anEgg('1', 'Paper', {
    variables: [
      {
        env: 'WORLD',
        name: 'World',
        description: '',
        defaultValue: '',
        rules: 'nullable|dimensions:min_width=1|max:20',
        viewable: true,
        editable: true,
      },
    ],
  });
  await resync();
  expect((await offer('egg', '1')).left).toEqual([{ env: 'WORLD', rule: 'dimensions:min_width=1' }]);
  await take([['egg', '1']]);
  expect((await egg('Paper')).variables[0]?.rules).toBe('nullable|dimensions:min_width=1|max:20');
});

test('an egg that was deleted here is new again, and one that was made by hand is joined', async () => {
  const { take, offer, db, egg } = await openWorld();
  await take([], ['1']);
  const paper = await egg('Paper');
  await db.uow.run((tx) => tx.panels.unbindEgg(paper.id));
  expect((await offer('egg', '1')).state).toBe('fresh');
  await db.sql("UPDATE eggs SET startup = 'by hand', min_memory = 2048 WHERE id = ? RETURNING id", [paper.id]);
  expect(await take([['egg', '1']])).toEqual({ created: 0, updated: 1, skipped: 0 });
  expect(await egg('Paper')).toMatchObject({ id: paper.id, startup: 'java -jar {{SERVER_JARFILE}}', minMemory: 2048 });
});

test('a location follows its name at the panel until staff give it one', async () => {
  const { a, take, resync, locations, db } = await openWorld();
  await take([['location', '1']]);
  a.locations[0] = { id: '1', name: 'de-ber', description: 'Berlin' };
  await resync();
  expect(await take([['location', '1']])).toEqual({ created: 0, updated: 1, skipped: 0 });
  expect(await locations()).toMatchObject([{ name: 'de-ber', description: 'Berlin' }]);
  await db.sql("UPDATE locations SET name = 'Berlin, Germany' RETURNING id");
  a.locations[0] = { id: '1', name: 'de-muc', description: 'Munich' };
  await resync();
  await take([['location', '1']]);
  expect(await locations()).toMatchObject([{ name: 'Berlin, Germany', description: 'Munich' }]);
});

test('Pelican’s tags stand in for locations and nests', async () => {
  const { a, take, resync, locations, service, id } = await openWorld();
  Object.assign(a, {
    dialect: 'pelican',
    locations: [{ id: 'eu', name: 'eu', description: '' }],
    nodes: [aNode('1', { location: null, tags: ['eu', 'ssd'] })],
    eggs: [
      anEgg('1', 'Paper', { nest: { id: '', name: '' } }),
      anEgg('2', 'Velocity', { nest: { id: 'proxy', name: 'proxy' } }),
    ],
  });
  await resync();
  const { nests, nodes } = await service.catalogue(id);
  expect(nests.map(({ ref, name, eggs }) => [ref, name, eggs])).toEqual([
    ['', '', 1],
    ['proxy', 'proxy', 1],
  ]);
  expect(nodes[0]?.places).toEqual(['eu', 'ssd']);
  expect(await take([['location', 'eu']], ['', 'proxy'])).toEqual({ created: 3, updated: 0, skipped: 0 });
  expect(await locations()).toMatchObject([{ name: 'eu', code: '', address: 'node1.example.com' }]);
  expect((await service.catalogue(id)).nests.map(({ category }) => category?.name)).toEqual(['Alpha', 'proxy']);
});

test('a panel that is not there takes nothing over', async () => {
  const { service } = await openWorld();
  const gone = '01890000-0000-7000-8000-000000000000';
  const refused = await service.importOffers(CTX, gone, { offers: [], nests: [] }).catch((error: unknown) => error);
  expect(refused instanceof DomainError && refused.code).toBe('NOT_FOUND');
});
