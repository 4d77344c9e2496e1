import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { ENGINES } from '#tests/support/db.ts';
import { PTDL_FILE } from '#tests/support/egg-files.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { FakeMachine } from '#tests/support/machine.ts';

const [VARIABLE] = PTDL_FILE.variables;
const FILE = {
  ...PTDL_FILE,
  variables: [VARIABLE, { ...VARIABLE, name: 'Jar', env_variable: 'SERVER_JARFILE', default_value: 'server.jar' }],
};
const PODMAN = { state: 'ready', name: 'Podman', version: '4.3.1', socket: '/run/podman/podman.sock' } as const;

describe.each(ENGINES)('eggs with an image of their own on %s', (engine) => {
  let harness: Harness;
  let machine: FakeMachine;
  let staff: Person;
  let category: string;
  beforeEach(async () => {
    machine = new FakeMachine();
    machine.facts = { ...machine.facts, engine: PODMAN, lacking: [] };
    harness = await openHarness({ engine, sample: true, machine: machine.runtime });
    staff = await harness.person('olga', { permissions: ['admin.root'] });
    await staff.api.adminMachine.get({});
    category = (await read(FILE)).categories.at(-1)?.id ?? '';
  }, 60_000);
  afterEach(() => harness.close());

  const read = (file: unknown) => staff.api.adminEggFiles.read({ body: { content: JSON.stringify(file) } });
  const eggOf = async (id: string) => (await staff.api.adminEggs.get({ params: { id } })).row;
  const looks = (facts: Partial<FakeMachine['facts']>) => {
    machine.facts = { ...machine.facts, ...facts };
    return staff.api.adminMachine.get({});
  };
  /** Makes an egg of a file, and turns it on. Out: its id. */
  async function make(file: unknown): Promise<string> {
    const { id } = await staff.api.adminEggFiles.create({
      body: { content: JSON.stringify(file), category_id: category },
    });
    const {
      id: _,
      category: __,
      servers: ___,
      panels: ____,
      created_at: _____,
      config_files: ______,
      container: _______,
      ...facts
    } = await eggOf(id);
    await staff.api.adminEggs.update({
      params: { id },
      body: { ...facts, enabled: true, min_memory: 256, min_disk: 256 },
    });
    return id;
  }
  /** Asks for a server of an egg. Out: the code of a refusal, or `made`. */
  async function order(eggId: string, memory = 512): Promise<string> {
    const { locations } = await staff.api.servers.options({});
    try {
      await staff.api.servers.create({
        body: {
          name: 'Lanternwood',
          description: '',
          location_id: locations.find(({ embedded }) => embedded)?.id ?? '',
          category_id: category,
          egg_id: eggId,
          memory,
          disk: 512,
          cpu: 50,
          ports: 1,
          databases: 0,
          backups: 0,
          variables: { MINECRAFT_VERSION: '1.21 $(id)' },
          auto_renew: false,
        },
      });
      return 'made';
    } catch (error) {
      return (error as { code?: string }).code ?? String(error);
    }
  }

  test('the import says that a file runs in a container, and before an engine is there that it needs one', async () => {
    expect((await read(FILE)).file).toMatchObject({ engine: 'container', reasons: ['image', 'script'] });
    await looks({ lacking: [{ recipe: 'container', needs: null }] });
    expect((await read(FILE)).file).toMatchObject({ engine: 'panel', reasons: ['image', 'script', 'engine'] });
    await looks({ lacking: [] });
    await harness.set({ machine_recipes_off: 'container' });
    expect((await read(FILE)).file).toMatchObject({ engine: 'panel', reasons: ['image', 'script', 'engine'] });
  });

  test('a script that cannot be run here is said, and its egg keeps no container', async () => {
    const scripted = (more: object) => ({
      ...FILE,
      scripts: { installation: { ...FILE.scripts.installation, ...more } },
    });
    for (const [more, name] of [
      [{ script: 'x'.repeat(131_073) }, 'Long'],
      [{ entrypoint: 'python3' }, 'Shell'],
      [{ container: '' }, 'No image'],
      [{ container: '--privileged' }, 'Option'],
    ] as const) {
      const file = { ...scripted(more), name };
      expect((await read(file)).file).toMatchObject({ engine: 'panel', reasons: ['image', 'script', 'unfitScript'] });
      expect((await eggOf(await make(file))).container).toBeNull();
    }
  });

  test('a server of such an egg is sent to the node with image, command and script, and variables as values', async () => {
    const id = await make({ ...FILE, config: { ...FILE.config, startup: '{"done":["a","regex:b"]}' } });
    expect((await eggOf(id)).container).toMatchObject({
      stop: 'stop',
      done: ['a', 'regex:b'],
      install: { shell: 'ash' },
    });
    expect(await order(id)).toBe('made');
    await harness.drainJobs();
    const [spec] = machine.specs.values();
    expect(spec).toMatchObject({
      recipe: 'container',
      environment: { MINECRAFT_VERSION: '1.21 $(id)' },
      container: {
        image: 'ghcr.io/pterodactyl/yolks:java_21',
        startup: 'java -Xmx{{SERVER_MEMORY}}M -jar {{SERVER_JARFILE}} --port {{SERVER_PORT}}',
        stop: 'stop',
        done: ['a', 'regex:b'],
        install: {
          image: 'ghcr.io/pterodactyl/installers:alpine',
          shell: 'ash',
          script: FILE.scripts.installation.script,
        },
      },
    });
  });

  test('without an engine, or turned off, no server of such an egg is made; it is never imitated', async () => {
    const id = await make(FILE);
    await looks({ lacking: [{ recipe: 'container', needs: null }], engine: { ...PODMAN, state: 'silent' } });
    expect(await order(id)).toBe('EGG_UNAVAILABLE');
    await looks({ lacking: [], engine: PODMAN });
    await harness.set({ machine_recipes_off: 'container' });
    expect(await order(id)).toBe('EGG_UNAVAILABLE');
    await harness.set({ machine_recipes_off: '' });
    expect(await order(id)).toBe('made');
  });

  test('the page of the machine shows the engine, and nothing while the node does not answer', async () => {
    expect((await staff.api.adminMachine.get({})).engine).toEqual(PODMAN);
    machine.isAway = true;
    expect((await staff.api.adminMachine.get({})).engine).toBeNull();
  });
});
