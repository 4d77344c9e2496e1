import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { ENGINES } from '#tests/support/db.ts';
import { PTDL_FILE } from '#tests/support/egg-files.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

const [VARIABLE] = PTDL_FILE.variables;
const PTDL = {
  ...PTDL_FILE,
  variables: [
    VARIABLE,
    {
      ...VARIABLE,
      name: 'Server Jar',
      env_variable: 'SERVER_JARFILE',
      default_value: 'server.jar',
      rules: 'required|regex:/^([\\w\\d._-]+)(\\.jar)$/',
    },
    {
      ...VARIABLE,
      name: 'Hidden',
      env_variable: 'TOKEN',
      default_value: true,
      user_viewable: false,
      user_editable: 1,
      rules: 'dimensions:min_width=1',
    },
    { ...VARIABLE, name: 'Lower case', env_variable: 'lower' },
    VARIABLE,
  ],
};
/** The same as Pelican writes it, in its newest format. */
const PLCN = `meta:
  version: PLCN_v3
name: Website
description: Pages
docker_images:
  Ours: spawnpoint/static-website
startup_commands:
  Default: bun static-website.ts {{server.allocations.default.port}}
config:
  files: {}
  stop: ^C
scripts:
  installation:
    script: ''
    container: ''
variables:
  - name: Colour
    env_variable: COLOUR
    default_value: 5
    user_viewable: true
    user_editable: true
    rules:
      - required
      - integer
    sort: 1
`;

describe.each(ENGINES)('files of eggs on %s', (engine) => {
  let harness: Harness;
  let staff: Person;
  let category: string;
  beforeEach(async () => {
    harness = await openHarness({ engine, sample: true });
    staff = await harness.person('olga', { permissions: ['admin.egg.create', 'admin.egg.list'] });
    category = (await read(PTDL)).categories.at(-1)?.id ?? '';
  }, 60_000);
  afterEach(() => harness.close());

  const contentOf = (file: unknown) => (typeof file === 'string' ? file : JSON.stringify(file));
  const read = (file: unknown) => staff.api.adminEggFiles.read({ body: { content: contentOf(file) } });
  const create = (file: unknown, category_id = category, who = staff) =>
    who.api.adminEggFiles.create({ body: { content: contentOf(file), category_id } });
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: { code?: string; fields?: Record<string, string[]> }) => [error.code, error.fields],
    );
  const eggs = async () => (await staff.api.adminEggs.list({ query: { per_page: '100' } })).rows;

  test('a file of Pterodactyl is read whole, and needs a panel for its image and its script', async () => {
    const { file, categories } = await read(PTDL);
    expect(categories.length).toBe(4);
    expect(file).toEqual({
      format: 'PTDL_v2',
      name: 'Paper',
      description: 'High performance. A fork.',
      docker_image: 'ghcr.io/pterodactyl/yolks:java_21',
      other_images: ['ghcr.io/pterodactyl/yolks:java_17'],
      startup: 'java -Xmx{{SERVER_MEMORY}}M -jar {{SERVER_JARFILE}} --port {{SERVER_PORT}}',
      engine: 'panel',
      reasons: ['image', 'script', 'engine'],
      recipe: 'minecraft-paper',
      install_image: 'ghcr.io/pterodactyl/installers:alpine',
      config_files: [{ path: 'server.properties', parser: 'properties' }],
      variables: [
        {
          env: 'MINECRAFT_VERSION',
          name: 'Minecraft Version',
          description: 'The version. Or latest.',
          default_value: 'latest',
          rules: 'required|string|max:20',
          user_editable: true,
        },
        {
          env: 'SERVER_JARFILE',
          name: 'Server Jar',
          description: 'The version. Or latest.',
          default_value: 'server.jar',
          rules: 'required|regex:/^([\\w\\d._-]+)(\\.jar)$/',
          user_editable: true,
        },
        {
          env: 'TOKEN',
          name: 'Hidden',
          description: 'The version. Or latest.',
          default_value: '1',
          rules: 'dimensions:min_width=1',
          user_editable: false,
        },
      ],
      unchecked: [{ env: 'TOKEN', rule: 'dimensions:min_width=1' }],
    });
    // Nothing was saved.
    expect((await eggs()).filter(({ docker_image: image }) => image.startsWith('ghcr.io/pterodactyl'))).toEqual([]);
  });

  test('a file of Pelican in YAML runs on this machine where it names a kind of it and brings no script', async () => {
    const { file } = await read(PLCN);
    expect(file).toMatchObject({
      format: 'PLCN_v3',
      engine: 'machine',
      reasons: [],
      recipe: 'static-website',
      install_image: null,
      startup: 'bun static-website.ts {{SERVER_PORT}}',
      variables: [{ env: 'COLOUR', default_value: '5', rules: 'required|integer' }],
    });
    const scripted = await read(PLCN.replace("script: ''", "script: 'rm -rf /'"));
    expect(scripted.file).toMatchObject({ engine: 'panel', reasons: ['script'] });
  });

  test('a file with config files runs on this machine, and what is written is kept with its egg', async () => {
    const find = {
      'servers.*.address': { 'regex:^localhost(:\\d+)?$': '{{config.docker.interface}}$1' },
      port: 7,
      on: true,
    };
    const files = {
      './conf/a.yml': { parser: 'yml', find },
      '/b.txt': { parser: 'file', find: [] },
      'c.ini': { parser: 'ini' },
    };
    const own = { ...PTDL, docker_images: { x: 'spawnpoint/minecraft-paper' }, scripts: null };
    const content = { ...own, config: { files: JSON.stringify(files) } };
    expect((await read(content)).file).toMatchObject({ engine: 'machine', reasons: [], recipe: 'minecraft-paper' });
    const { id } = await create(content);
    expect((await eggs()).find((each) => each.id === id)?.config_files).toEqual([
      {
        path: 'conf/a.yml',
        parser: 'yaml',
        settings: [
          {
            key: 'servers.*.address',
            value: '{{config.docker.interface}}$1',
            was: 'regex:^localhost(:\\d+)?$',
          },
          { key: 'port', value: '7', was: null },
          { key: 'on', value: true, was: null },
        ],
      },
      { path: 'b.txt', parser: 'file', settings: [] },
      { path: 'c.ini', parser: 'ini', settings: [] },
    ]);
  });

  test('an egg of a file is saved as it was shown, turned off, and noted', async () => {
    const { id } = await create(PTDL);
    const made = (await eggs()).find((each) => each.id === id);
    expect(made).toMatchObject({ name: 'Paper', enabled: false, docker_image: 'ghcr.io/pterodactyl/yolks:java_21' });
    const rows = await harness.db.sql("SELECT target FROM audit WHERE action = 'eggs.create'");
    expect(rows).toEqual([{ target: id }]);
    expect(await codeOf(create(PTDL))).toEqual(['VALIDATION_FAILED', { content: ['NAME_TAKEN'] }]);
    expect(await codeOf(create(PTDL, id))).toEqual(['VALIDATION_FAILED', { category_id: ['UNKNOWN'] }]);
  });

  test('nobody without that right reads or saves one', async () => {
    const other = await harness.person('mirela', { permissions: ['admin.egg.list'] });
    expect(await codeOf(create(PTDL, category, other))).toEqual(['FORBIDDEN', {}]);
    expect(await codeOf(other.api.adminEggFiles.read({ body: { content: contentOf(PTDL) } }))).toEqual([
      'FORBIDDEN',
      {},
    ]);
  });

  test('N24 whatever else a file holds, it is refused with a code or bounded', async () => {
    const wrong: [unknown, string][] = [
      ['', 'VALIDATION_FAILED'],
      ['x'.repeat(524_289), 'VALIDATION_FAILED'],
      ['no egg', 'EGG_FILE_UNREADABLE'],
      ['{', 'EGG_FILE_UNREADABLE'],
      ['[1, 2]', 'EGG_FILE_UNREADABLE'],
      ['a: &a [*a]', 'EGG_FILE_UNREADABLE'],
      [`a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: [*c,*c,*c,*c]`, 'EGG_FILE_UNREADABLE'],
      ['{"__proto__": {"meta": {"version": "PTDL_v2"}}}', 'EGG_FILE_UNREADABLE'],
      [{ ...PTDL, meta: { version: 'PTDL_v9' } }, 'EGG_FILE_FORMAT'],
      [{ ...PTDL, docker_images: { x: 'NOT AN IMAGE; rm' } }, 'EGG_FILE_UNREADABLE'],
      [{ ...PTDL, startup: '' }, 'EGG_FILE_UNREADABLE'],
      [{ ...PTDL, startup: 'x'.repeat(2001) }, 'EGG_FILE_UNREADABLE'],
      [{ ...PTDL, name: '' }, 'EGG_FILE_UNREADABLE'],
      [{ ...PTDL, variables: Array.from({ length: 201 }, () => VARIABLE) }, 'EGG_FILE_UNREADABLE'],
      [{ ...PTDL, variables: 'many' }, 'EGG_FILE_UNREADABLE'],
    ];
    for (const [file, code] of wrong)
      expect([code, await codeOf(read(file))]).toEqual([code, [code, expect.anything()]]);
    // A pattern of exponential time is left to the panel or takes linear time; a path out of the folder is only shown, and
    // so is what is more than a server may have.
    const hostile = {
      ...PTDL,
      config: {
        files: JSON.stringify({
          '../../etc/passwd': { parser: 'file' },
          'a.xml': { parser: 'evil' },
          'b.ini': { parser: 'ini', find: { a: { b: { c: 'd' } } } },
          'c.ini': { parser: 'ini', find: { a: 'x'.repeat(2001) } },
        }),
      },
      variables: [{ ...VARIABLE, rules: 'required|regex:/^(a+)+$/', default_value: `${'a'.repeat(900)}!` }],
    };
    expect((await read(hostile)).file).toMatchObject({
      config_files: [
        { path: '../../etc/passwd', parser: 'file' },
        { path: 'a.xml', parser: null },
        { path: 'b.ini', parser: 'ini' },
        { path: 'c.ini', parser: 'ini' },
      ],
      reasons: ['image', 'script', 'configFiles'],
    });
    const { id } = await create({ ...hostile, name: 'Hostile' });
    expect((await eggs()).find((each) => each.id === id)?.config_files).toEqual([]);
  });
});
