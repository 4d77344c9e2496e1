import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { EVENTS_MAX } from '#server/modules/plugins/feeding.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { ENGINES } from '#tests/support/db.ts';
import type { Harness, Person } from '#tests/support/harness.ts';
import { ALL, usePluginHost } from '#tests/support/plugin-host.ts';
import { packedPlugin } from '#tests/support/plugin-packages.ts';

// Shows behaviour 8.8 for plugins of others.

setDefaultTimeout(300_000);

describe.each(ENGINES)('plugins of others on %s', (engine) => {
  const { upload, grant, install, running, details, ask, adjust, behind, pass, opened } = usePluginHost(engine);
  let h: Harness;
  let staff: Person;
  beforeAll(() => void ({ h, staff } = opened()));

  const KEEP = `export default { events: { 'credits.adjusted': async (event, host) => {
    const list = (await host.storage.get('list')) ?? []; list.push(event.data.amount); await host.storage.set('list', list); } },
    endpoints: { 'GET /list': (_, host) => host.storage.get('list') } };`;

  test('events reach it in their order, with the declared fields and no others', async () => {
    await install(KEEP);
    for (let amount = 1; amount <= 120; amount += 1) await adjust('u1', amount);
    await pass(0);
    expect(await ask('list')).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
    expect(await behind()).toBe(0);
  });

  test('a plugin of an earlier version hears an event by the name that it had then, also where it is installed today', async () => {
    await install(
      `export default { events: { 'j4r.taken_back': async (event, host) => host.storage.set('seen', [event.type, event.data.amount]) },
        endpoints: { 'GET /seen': (_, host) => host.storage.get('seen') } };`,
      { permissions: { ...ALL, events: ['j4r.taken_back'] } },
    );
    expect((await details()).details.granted).toContainEqual({
      kind: 'events',
      value: 'j4r.clawed_back',
      credits: null,
    });
    const payload = { userId: 'u1', claimId: 'c1', server: 'Builders', amount: 7 };
    await h.db.uow.run((tx) => h.host.services.events.emit(tx, 'j4r.clawed_back', payload));
    await pass(0);
    expect(await ask('seen')).toEqual(['j4r.clawed_back', 7]);
  });

  test('an event whose hook throws is tried three times, the next ones wait for it, and are heard', async () => {
    await install(`export default { events: { 'credits.adjusted': async ({ data }, host) => {
      const tries = ((await host.storage.get('t' + data.amount)) ?? 0) + 1; await host.storage.set('t' + data.amount, tries);
      if (data.amount === 1) throw new Error('no'); } },
      endpoints: { 'GET /tries': async (_, host) => [await host.storage.get('t1'), await host.storage.get('t2')] } };`);
    await adjust('u1', 1);
    await adjust('u1', 2);
    await pass(0);
    expect(await ask('tries')).toEqual([1, null]);
    await pass(6000);
    await pass(2 * MINUTE);
    expect(await ask('tries')).toEqual([3, 1]);
    const { lines } = (await details()).details;
    expect(lines.filter(({ text }) => text === 'credits.adjusted: Error: no')).toHaveLength(3);
  });

  test('an update in the middle of a delivery loses nothing: the new version hears what the old one did not end', async () => {
    await install(`export default { events: { 'credits.adjusted': async (_, host) => {
      await host.storage.set('begun', 1); for (;;) await host.storage.get('k'); } } };`);
    await adjust('u1', 5);
    await h.host.services.webhooks.sweep();
    const feeding = pass(0);
    while ((await h.db.sql("SELECT name FROM plugin_storage WHERE name = 'begun'")).length === 0) await Bun.sleep(10);
    await grant(await upload(packedPlugin({ version: '1.0.1', permissions: ALL }, KEEP)));
    await running();
    await feeding;
    await pass(3000);
    expect(await ask('list')).toEqual([5]);
  });

  test('what happened while it was off, or before it was installed, is not its to hear', async () => {
    await adjust('u1', 1);
    await install(KEEP);
    await staff.api.adminPlugins.setOn({ params: { identifier: 'votes' }, body: { on: false } });
    await adjust('u1', 2);
    await pass(6000);
    await staff.api.adminPlugins.setOn({ params: { identifier: 'votes' }, body: { on: true } });
    await running();
    await adjust('u1', 3);
    await pass(0);
    expect(await ask('list')).toEqual([3]);
  });

  test('a flood of events ends at its bound: it is turned off, and staff are notified', async () => {
    const notified = async () =>
      (await h.db.uow.read((tx) => tx.notifications.latest(staff.id, 100))).filter(
        ({ kind }) => kind === 'pluginStopped',
      ).length;
    const before = await notified();
    await install(KEEP);
    // Far behind, but for events that it does not hear: it stays.
    const flood = (name: string) =>
      h.db.uow.run(async (tx) => {
        for (let at = 0; at < EVENTS_MAX; at += 1000)
          await tx.pluginPackages.addEvents(Array.from({ length: 1000 }, () => ({ id: crypto.randomUUID(), name })));
      });
    await flood('user.renamed.not');
    await adjust('u1', 1);
    await pass(0);
    expect((await details()).plugin.on).toBe(true);
    await flood('credits.adjusted');
    await adjust('u1', 1);
    await pass(0);
    const { plugin } = await details();
    expect([plugin.on, plugin.installed?.stopped?.cause]).toEqual([false, 'backlog']);
    expect(await behind()).toBe(0);
    expect(await notified()).toBe(before + 1);
  });

  test('its tasks run by the clock, once each time, whatever was slept through', async () => {
    await install(
      `export default { tasks: { tick: async (_, host) => host.storage.set('n', ((await host.storage.get('n')) ?? 0) + 1) },
        endpoints: { 'GET /n': (_, host) => host.storage.get('n') } };`,
      { tasks: { tick: 10 } },
    );
    await h.drainJobs();
    await h.db.sql('UPDATE plugin_tasks SET next_ms = 0 RETURNING name');
    await pass(MINUTE);
    await h.drainJobs();
    const before = Number(await ask('n'));
    await pass(DAY);
    await h.drainJobs();
    expect(Number(await ask('n'))).toBe(before + 1);
  });
});
