import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eggs } from '#shared/resources/eggs.ts';
import { ENGINES } from '#tests/support/db.ts';
import { crudSuite } from '../crud-suite.ts';
import { eggInput } from './inputs.ts';
import { openWorld, type World } from './world.ts';

const [variable] = eggInput('', 1).variables;

describe.each(ENGINES)('eggs (%s)', (engine) => {
  crudSuite(
    eggs,
    {
      prepare: async (world) => {
        const body = { name: 'Minecraft: Java', description: '', enabled: true, position: 1 };
        const { id } = await world.as('admin.nests.create').adminEggCategories.create({ body });
        return new Map([['category', id]]);
      },
      input: (n, _, made) => eggInput(made.get('category') ?? '', n),
      change: {
        min_memory: 4096,
        startup: 'java -Xmx{{SERVER_MEMORY}}M -jar {{SERVER_JARFILE}}',
        variables: [{ ...variable, default_value: 'paper.jar' }],
        hue: 11,
      },
      bad: [
        [{ name: '' }, 'name', 'REQUIRED'],
        [{ category_id: '01890000-0000-7000-8000-000000000000' }, 'category_id', 'UNKNOWN'],
        [{ category_id: 'x' }, 'category_id', 'INVALID'],
        [{ shape: 'sphere' }, 'shape', 'INVALID'],
        [{ hue: 12 }, 'hue', 'TOO_LARGE'],
        [{ min_memory: 0 }, 'min_memory', 'TOO_SMALL'],
        [{ min_disk: 255 }, 'min_disk', 'TOO_SMALL'],
        [{ min_cpu: 0 }, 'min_cpu', 'TOO_SMALL'],
        [{ docker_image: 'image; rm -rf /' }, 'docker_image', 'INVALID'],
        [{ docker_image: 'https://x.example/a' }, 'docker_image', 'INVALID'],
        [{ startup: 'java -jar {{SERVER_JAR}}' }, 'startup', 'UNKNOWN'],
        [{ startup: 'a\nb' }, 'startup', 'INVALID'],
        [{ variables: [{ ...variable, env: 'lower' }] }, 'variables.0.env', 'INVALID'],
        [{ variables: [{ ...variable, env: 'A;B' }] }, 'variables.0.env', 'INVALID'],
        [{ variables: [variable, { ...variable }] }, 'variables.1.env', 'NAME_TAKEN'],
        [{ variables: [{ ...variable, rules: 'required|strng' }] }, 'variables.0.rules', 'INVALID'],
        [{ variables: [{ ...variable, rules: 'regex:/^(?!a)b$/' }] }, 'variables.0.rules', 'INVALID'],
        [{ variables: [{ ...variable, default_value: 'server.zip' }] }, 'variables.0.default_value', 'RULE_FAILED'],
        [
          { variables: [{ ...variable, default_value: '', user_editable: false }] },
          'variables.0.default_value',
          'RULE_FAILED',
        ],
        [{ variables: [{ ...variable, extra: 1 }] }, 'variables.0.extra', 'UNKNOWN'],
        [
          { variables: Array.from({ length: 51 }, (_, n) => ({ ...variable, env: `V${n}` })), startup: 'x' },
          'variables',
          'TOO_LARGE',
        ],
      ],
      unique: { field: 'name', code: 'NAME_TAKEN' },
      depend: {
        servers: (world, id) => world.server({ egg: id, state: 'queued' }),
        panels: async (world, id) => {
          await world.db.sql(
            "INSERT INTO panels (id, name, dialect, url, key_sealed, enabled, created_ms, updated_ms) VALUES ('p', 'Main', 'pterodactyl', 'https://p.example', '', 1, 0, 0) RETURNING id",
          );
          await world.db.sql(
            "INSERT INTO egg_bindings (egg_id, panel_id, panel_egg, created_ms) VALUES (?, 'p', '1', 0) RETURNING egg_id",
            [id],
          );
        },
      },
      text: 'description',
    },
    engine,
  );
});

describe('eggs and their categories', () => {
  let world: World;
  let java: string;
  let bedrock: string;
  let old: string;
  const category = async (name: string) =>
    (
      await world
        .as('admin.nests.create')
        .adminEggCategories.create({ body: { name, description: '', enabled: true, position: 0 } })
    ).id;
  beforeAll(async () => {
    world = await openWorld();
    [java, bedrock, old] = [await category('Java'), await category('Bedrock'), await category('Old')];
  });
  afterAll(() => world.close());

  test('one name may stand in two categories, and the list can be narrowed to one of them', async () => {
    const api = world.as('admin.egg.create', 'admin.egg.list');
    await api.adminEggs.create({ body: eggInput(java, 1) });
    await api.adminEggs.create({ body: eggInput(bedrock, 1) });
    const { rows, options } = await api.adminEggs.list({ query: { category_id: bedrock } });
    expect(rows.map((row) => [row.name, row.category])).toEqual([['Egg 01', 'Bedrock']]);
    expect(options.category_id).toEqual([
      { value: bedrock, label: 'Bedrock' },
      { value: java, label: 'Java' },
      { value: old, label: 'Old' },
    ]);
  });

  test('the form of a new egg offers the categories to one who may create eggs only', async () => {
    const { options } = await world.as('admin.egg.create').adminEggs.formOptions();
    expect(options.category_id?.map((option) => option.label)).toEqual(['Bedrock', 'Java', 'Old']);
  });

  test('a deleted server needs its egg no more, a failed one does', async () => {
    const api = world.as('admin.root');
    const { id } = await api.adminEggs.create({ body: eggInput(old, 9) });
    await world.server({ egg: id, state: 'deleted' });
    expect((await api.adminEggs.dependants({ params: { id } })).dependants).toEqual([
      { kind: 'servers', count: 0 },
      { kind: 'panels', count: 0 },
    ]);
    await world.server({ egg: id, state: 'failed' });
    expect((await api.adminEggs.dependants({ params: { id } })).refused).toBe(true);
  });
});
