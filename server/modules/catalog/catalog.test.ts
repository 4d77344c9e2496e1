import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { matchPattern } from '#shared/egg-matcher.ts';
import { checkRules } from '#shared/egg-rules.ts';
import { BLOCK_SHAPES as KIT_SHAPES } from '#client/ui/block.tsx';
import { RESOURCES } from '#shared/resources/index.ts';
import { BLOCK_SHAPES, placeholders } from '#shared/schemas/egg.ts';
import { openWorld, type World } from '#tests/api/admin/world.ts';
import { fakeClock, testIds } from '#tests/support/clock.ts';
import { ENGINES } from '#tests/support/db.ts';
import { createCatalog } from './index.ts';

const catalog = createCatalog({ clock: fakeClock(), ids: testIds(5) });

describe.each(ENGINES)('the catalogue on %s', (engine) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(engine);
    await world.db.uow.run((tx) => catalog.seedSample(tx));
  });
  afterAll(() => world.close());
  const read = <T>(work: Parameters<typeof world.db.uow.read<T>>[0]) => world.db.uow.read(work);

  test('the sample fills an empty catalogue, once', async () => {
    const { db, close } = await openWorld(engine);
    expect(await db.uow.run((tx) => catalog.seedSample(tx))).toBe(true);
    expect(await db.uow.run((tx) => catalog.seedSample(tx))).toBe(false);
    expect(await db.uow.read((tx) => tx.catalog.counts())).toEqual({ locations: 3, categories: 4, eggs: 15 });
    await close();
  });

  test('a catalogue that holds anything is left alone', async () => {
    const other = await openWorld(engine);
    await other
      .as('admin.root')
      .adminEggCategories.create({ body: { name: 'Mine', description: '', enabled: true, position: 0 } });
    expect(await other.db.uow.run((tx) => catalog.seedSample(tx))).toBe(false);
    await other.close();
  });

  test('the sample would also pass the admin form', async () => {
    const api = world.as('admin.root');
    for (const [name, definition] of Object.entries(RESOURCES)) {
      if (name === 'redeemCodes') continue;
      const { rows } = await api[`admin${name[0]?.toUpperCase()}${name.slice(1)}` as 'adminEggs'].list({
        query: { per_page: '100' },
      });
      for (const row of rows) {
        const input = Object.fromEntries(
          Object.keys(definition.fields).map((field) => [field, Reflect.get(row, field)]),
        );
        expect({ name: row.name, error: definition.create.safeParse(input).error?.issues ?? null }).toEqual({
          name: row.name,
          error: null,
        });
      }
    }
    for (const egg of (await api.adminEggs.list({ query: { per_page: '100' } })).rows) {
      expect(placeholders(egg.startup).length).toBeGreaterThan(
        egg.variables.length === 0 || egg.name === 'Mumble' ? -1 : 0,
      );
      for (const each of egg.variables)
        if (each.default_value !== '')
          expect(checkRules(each.rules, each.default_value, matchPattern)).toEqual({ code: null, unchecked: [] });
    }
  });

  test('lists come in the order in which they are shown, and rows as the module knows them', async () => {
    const [places, kinds, eggs] = await read(
      async (tx) => [await tx.catalog.locations(), await tx.catalog.categories(), await tx.catalog.eggs()] as const,
    );
    expect(places.map((place) => [place.name, place.position, place.vipOnly])).toEqual([
      ['Frankfurt', 1, false],
      ['Bucharest', 2, false],
      ['Madrid', 3, true],
    ]);
    expect(kinds.map((kind) => kind.name)).toEqual(['Minecraft: Java', 'More games', 'Voice', 'Websites and apps']);
    const paper = eggs.find((egg) => egg.name === 'Paper');
    expect(paper).toMatchObject({ categoryId: kinds[0]?.id, minMemory: 1024, enabled: true, shape: 'cube' });
    expect(paper?.variables.map((each) => each.env)).toEqual(['MINECRAFT_VERSION']);
    expect(await read((tx) => tx.catalog.egg(paper?.id ?? ''))).toEqual(paper ?? null);
    expect(
      await read(async (tx) => [
        await tx.catalog.egg('x'),
        await tx.catalog.location('x'),
        await tx.catalog.category('x'),
      ]),
    ).toEqual([null, null, null]);
  });

  test('a slot is occupied by every server that is not deleted or failed', async () => {
    const [place, , empty] = await read((tx) => tx.catalog.locations());
    const location = place?.id ?? '';
    for (const state of ['queued', 'installing', 'active', 'suspended', 'deleting', 'failed', 'deleted'])
      await world.server({ location, state });
    expect(await read((tx) => tx.catalog.locationUse(location))).toBe(5);
    const uses = await read((tx) => tx.catalog.locationUses());
    expect([uses.get(location), uses.has(empty?.id ?? '')]).toEqual([5, false]);
    const { rows } = await world.as('admin.root').adminLocations.list({ query: { q: 'Frankfurt' } });
    expect(rows[0]?.used_slots).toBe(5);
  });

  test('T21 a command that locks a location waits for the other, so that the last slot is given once', async () => {
    const [, place] = await read((tx) => tx.catalog.locations());
    const location = place?.id ?? '';
    const free = (await read((tx) => tx.catalog.locationUse(location))) + 1;
    const insert = `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired, revision,
      synced_revision, auto_renew, auto_renew_order, periods, created_ms, updated_ms) VALUES (?, 'u', 's', '', ?, '', '', 256, 256, 5, 1, 0, 0, '{}', 'queued', 'running', 1, 1, 0, 0, 0, 0, 0)`;
    const take = (n: number) =>
      world.db.database.write(async ({ tx, raw }) => {
        await tx.catalog.lockLocation(location);
        if ((await tx.catalog.locationUse(location)) >= free) return false;
        await raw.run(insert, [`race-${n}`, location]);
        return true;
      });
    const taken = await Promise.all(Array.from({ length: 6 }, (_, n) => take(n)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(await read((tx) => tx.catalog.locationUse(location))).toBe(free);
  });

  test('a change is reported to every copy of the catalogue, and a refused one is not', async () => {
    const other = await openWorld(engine);
    const heard: string[] = [];
    const stop = other.db.bus.subscribe('catalog', (topic) => heard.push(topic));
    const body = { name: 'Mine', description: '', enabled: true, position: 0 };
    await other.as('admin.root').adminEggCategories.create({ body });
    await expect(other.as('admin.root').adminEggCategories.create({ body })).rejects.toThrow('VALIDATION_FAILED');
    stop();
    expect(heard).toEqual(['catalog']);
    await other.close();
  });
});

test('the shapes of eggs are the shapes of the kit’s blocks', () => {
  expect([...BLOCK_SHAPES]).toEqual([...KIT_SHAPES]);
});
