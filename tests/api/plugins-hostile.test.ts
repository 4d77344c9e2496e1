import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createLog } from '#server/http/log.ts';
import type { PluginEngine } from '#server/modules/plugins/engine-ports.ts';
import { PLUGINS_TOPIC } from '#server/modules/plugins/registry.ts';
import { createRunning, RUNNING_TOPIC } from '#server/modules/plugins/running.ts';
import { createGranted } from '#server/plugins/granted.ts';
import { supervise } from '#server/plugins/supervisor.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import type { Harness, Person } from '#tests/support/harness.ts';
import { ALL, usePluginHost } from '#tests/support/plugin-host.ts';
import { packedPlugin, spawnSandbox } from '#tests/support/plugin-packages.ts';

// Shows behaviour 8.8 for plugins of others.

setDefaultTimeout(300_000);

describe.each(ENGINES)('a hostile plugin on %s', (engine) => {
  const { upload, grant, install, state, details, ask, tell, pass, opened } = usePluginHost(engine);
  let h: Harness;
  let staff: Person;
  beforeAll(() => void ({ h, staff } = opened()));

  test.each([
    ['loops for ever', 'for (;;);'],
    ['eats memory', "const all = []; for (;;) all.push('x'.repeat(1 << 20) + all.length);"],
    ['throws', "throw new Error('no');"],
    ['answers ten megabytes', "return 'x'.repeat(10_000_000);"],
    ['never answers', 'return new Promise(() => undefined);'],
  ])('that %s gets a coded error, and the product answers meanwhile', async (name, body) => {
    await install(`export default { endpoints: { 'GET /bad': () => { ${body} } } };`);
    const asked = name === 'never answers' ? null : codeOf(ask('bad'));
    expect((await h.http('/healthz')).status).toBe(200);
    expect(await codeOf(staff.api.adminPlugins.list())).toBeNull();
    if (asked) expect(await asked).toBe('PLUGIN_FAILED');
  });

  test('that breaks down five times in a row is turned off, staff are notified, and nothing else happens', async () => {
    await grant(await upload(packedPlugin({ permissions: ALL }, 'for (;;);')));
    await h.host.services.pluginRunning.sync();
    while ((await state()) !== 'waiting') await Bun.sleep(20);
    expect((await details()).details.lines.length).toBeGreaterThan(0);
    const stopped = await h.db.uow.run(async (tx) => {
      const { stopPlugin } = await import('#server/modules/plugins/stopping.ts');
      const deps = { clock: h.clock, events: h.host.services.events };
      await stopPlugin(tx, deps, 'votes', 'faults', 'it took\u0000 too long');
      await stopPlugin(tx, deps, 'votes', 'faults', 'again');
      return tx.pluginPackages.find('votes');
    });
    expect(stopped?.stopped).toMatchObject({ cause: 'faults', text: 'it took  too long' });
    await h.host.services.plugins.load();
    await h.host.services.pluginRunning.sync();
    expect(await state()).toBeNull();
    expect((await details()).plugin.on).toBe(false);
  });

  test('a plugin whose module breaks five times is turned off, and staff are notified', async () => {
    await grant(await upload(packedPlugin({ permissions: ALL }, 'throw new Error("no gears");')));
    const { services } = h.host;
    const pauses: number[] = [];
    const engine = {
      start: ({ code, granted, ports, onOff, onState }: Parameters<PluginEngine['start']>[0]) => {
        const plugin = supervise({
          spawn: spawnSandbox,
          code,
          ask: createGranted(granted, ports),
          now: h.clock.now,
          later: (ms, run) => {
            pauses.push(ms);
            const timer = setTimeout(run, 0);
            return () => clearTimeout(timer);
          },
          onFault: ports.log,
          onOff,
          onState,
        });
        void plugin.start();
        return plugin;
      },
    };
    // As the product runs it, but for the minutes between two starts.
    const running = createRunning({
      ...services,
      clock: h.clock,
      log: createLog('silent', h.clock.now),
      registry: services.plugins,
      engine,
      bus: h.db.bus,
      later: (_: number, run: () => void) => void setTimeout(run, 0),
    } as never);
    const published = { state: 0, plugins: 0 };
    h.db.bus.subscribe(RUNNING_TOPIC, () => (published.state += 1));
    await running.sync();
    h.db.bus.subscribe(PLUGINS_TOPIC, () => (published.plugins += 1));
    const stopped = () => h.db.uow.read(async (tx) => (await tx.pluginPackages.find('votes'))?.stopped ?? null);
    while ((await stopped()) === null) await Bun.sleep(20);
    expect(pauses).toEqual([1000, 5000, 30_000, 120_000]);
    expect(await stopped()).toMatchObject({ cause: 'faults', text: expect.stringContaining('no gears') });
    expect([running.linesOf('votes').length, running.faultsOf('votes')]).toEqual([5, 5]);
    // What pages follow: how it did meanwhile, and that it was turned off.
    expect(published.state).toBeGreaterThan(0);
    expect(published.plugins).toBeGreaterThan(0);
    await services.plugins.load();
    expect((await details()).plugin.on).toBe(false);
    await pass(0);
    const notices = await h.db.uow.read((tx) => tx.notifications.latest(staff.id, 5));
    expect(notices.some(({ kind }) => kind === 'pluginStopped')).toBe(true);
    await running.stop();
  });

  test('endpoints that it does not have, was not granted, or with too much sent to them are refused with a code', async () => {
    await install(`export default { endpoints: { 'GET /a': () => 1 } };`, { permissions: {} });
    expect(await codeOf(ask('a'))).toBe('NOT_FOUND');
    await install(`export default { endpoints: { 'POST /a': () => 1 } };`, { permissions: { endpoints: true } });
    expect(await codeOf(ask('b'))).toBe('NOT_FOUND');
    expect(await codeOf(tell('__proto__', {}))).toBe('NOT_FOUND');
    expect(await codeOf(tell('a', { text: 'x'.repeat(70_000) }))).toBe('VALIDATION_FAILED');
    // What is no JSON says nothing.
    await install(`export default { endpoints: { 'GET /a': () => () => 1 } };`, { permissions: { endpoints: true } });
    expect(await ask('a')).toBeNull();
    expect(await codeOf(h.guest.pluginEndpoints.get({ params: { identifier: 'nobody', name: 'a' } }))).toBe(
      'NOT_FOUND',
    );
  });
});
