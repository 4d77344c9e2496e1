import { afterAll, afterEach, beforeAll, expect } from 'bun:test';
import type { Api } from '#shared/contract/index.ts';
import type { PluginManifest } from '#shared/plugin-manifest.ts';
import { REQUEST_KINDS } from '#shared/plugins.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { emitAdjustment } from './adjustment.ts';
import type { Engine } from './db.ts';
import { openHarness, type Harness, type Person } from './harness.ts';
import { packedPlugin } from './plugin-packages.ts';

/** What a plugin answered. */
export const parsed = (json: string): unknown => (json === '' ? null : JSON.parse(json));

/** Everything that a plugin of these tests may ask for. */
export const ALL: PluginManifest['permissions'] = {
  events: ['credits.*', 'user.renamed'],
  reads: ['users'],
  endpoints: true,
  storage: true,
  mail: true,
  notifications: true,
  credits: 100,
};

/**
 * A host that runs plugins of others, for the tests of the `describe` that calls this. After each test none is
 * installed and nothing is in the log. Out: what tests do with it, and `opened`, which gives the host and its staff
 * once it runs.
 */
export function usePluginHost(engine: Engine) {
  let h: Harness;
  let staff: Person;
  let owner: Person;
  beforeAll(async () => {
    h = await openHarness({ engine, plugins: true });
    staff = await h.person('petra', { permissions: ['admin.plugins.list', 'admin.plugins.edit'] });
    owner = await h.person('olga', { permissions: ['admin.root'] });
  });
  afterAll(() => h.close());
  afterEach(async () => {
    for (const { identifier, installed } of (await staff.api.adminPlugins.list()).rows)
      if (installed) await staff.api.adminPlugins.remove({ params: { identifier } });
    await h.db.sql('DELETE FROM plugin_budgets');
    expect(h.errors).toEqual([]);
    // Uploads are limited by the minute, which is not what is tested here.
    await pass(11 * MINUTE);
  });

  const upload = async (bytes: Uint8Array<ArrayBuffer>) => (await staff.api.adminPlugins.upload({ body: bytes })).id;
  const grant = (id: string, change: object = {}, who = staff) =>
    who.api.adminPlugins.install({
      params: { id },
      body: { granted: REQUEST_KINDS.filter((kind) => kind !== 'client'), credits: null, unsigned: true, ...change },
    });
  /** Installs a plugin of this code and waits until it runs. */
  const install = async (server: string, manifest: Partial<PluginManifest> = {}) => {
    await grant(await upload(packedPlugin({ permissions: ALL, ...manifest }, server)));
    await running();
  };
  const state = async (name = 'votes') =>
    (await staff.api.adminPlugins.list()).rows.find(({ identifier }) => identifier === name)?.installed?.state;
  const running = async (name = 'votes') => {
    await h.host.services.pluginRunning.sync();
    const untilMs = performance.now() + 120_000;
    while ((await state(name)) !== 'running') {
      if (performance.now() > untilMs) throw new Error(`it is ${await state(name)}`);
      await Bun.sleep(20);
    }
  };
  const details = async () => {
    const found = await staff.api.adminPlugins.get({ params: { identifier: 'votes' } });
    if (!found.details) throw new Error('it is built in');
    return { ...found, details: found.details };
  };
  const ask = async (name: string, q = '', who: Api = h.guest) =>
    parsed((await who.pluginEndpoints.get({ params: { identifier: 'votes', name }, query: { q } })).answer);
  const tell = async (name: string, body: Record<string, unknown>, who: Api = h.guest) =>
    parsed(
      (await who.pluginEndpoints.post({ params: { identifier: 'votes', name }, body: { input: JSON.stringify(body) } }))
        .answer,
    );
  /** Something happens: staff give credits. */
  const adjust = (userId: string, amount: number) => emitAdjustment(h, userId, amount);
  /** How many events it has not heard. */
  const behind = () =>
    h.db.uow.read(async (tx) => {
      const [last, cursor] = [await tx.pluginPackages.lastEvent(), (await tx.pluginPackages.cursors()).get('votes')];
      return cursor && last - cursor.heard;
    });
  /** Time passes, in which nobody's session ends. */
  const pass = async (ms: number) => {
    h.clock.advance(ms);
    const now = h.clock.now();
    await h.db.sql('UPDATE sessions SET seen_ms = ?, expires_ms = ? RETURNING id', [now, now + 30 * DAY]);
    await h.host.services.webhooks.sweep();
    for (let round = 0; round < 5; round += 1) await h.host.runner.runDue();
  };

  const opened = () => ({ h, staff, owner });
  return { upload, grant, install, state, running, details, ask, tell, adjust, behind, pass, opened };
}
