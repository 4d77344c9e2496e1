import { expect, test } from 'bun:test';
import type { PanelAnswer } from '#server/modules/servers/index.ts';
import { panelServers } from '#tests/support/servers.ts';
import { environment, okOf, resources, type Get } from './panel.world.ts';

/** From suspension to deletion, and the list. */
export function life(get: Get): void {
  test('suspending and resuming may be repeated', async () => {
    const world = get();
    const { panelId } = await world.ready();
    for (const suspended of [true, true, false, false]) {
      expect((await (suspended ? world.it.panel.suspend(panelId) : world.it.panel.unsuspend(panelId))).outcome).toBe(
        'ok',
      );
      expect(okOf(await world.it.panel.readServer(panelId)).suspended).toBe(suspended);
    }
  });

  test('a suspension while it installs outlives the installation', async () => {
    const world = get();
    const { panelId } = await world.server();
    expect((await world.it.panel.suspend(panelId)).outcome).toBe('ok');
    await world.it.finishInstalls();
    expect(okOf(await world.it.panel.readServer(panelId))).toMatchObject({ suspended: true, state: 'ready' });
  });

  test('a reinstall lifts a suspension, and keeps all else', async () => {
    const world = get();
    const made = await world.ready();
    await world.it.panel.suspend(made.panelId);
    expect((await world.it.panel.reinstall(made.panelId)).outcome).toBe('ok');
    expect(okOf(await world.it.panel.readServer(made.panelId))).toEqual({
      ...made,
      state: 'installing',
      suspended: false,
    });
    await world.it.finishInstalls();
    expect(okOf(await world.it.panel.readServer(made.panelId))).toEqual(made);
  });

  test('a deleted server is gone for every way of asking, and deleting again says so', async () => {
    const world = get();
    const { panel } = world.it;
    const { panelId } = await world.server();
    expect((await panel.deleteServer(panelId)).outcome).toBe('ok');
    expect((await panel.deleteServer(panelId)).outcome).toBe('not_found');
    expect((await panel.deleteServer(panelId, true)).outcome).toBe('not_found');
    expect((await panel.readServer(panelId)).outcome).toBe('not_found');
    expect((await panel.findServerByExternalId('server-1')).outcome).toBe('not_found');
    expect((await world.server()).panelId).not.toBe(panelId);
  });

  test('a forced deletion deletes', async () => {
    const world = get();
    const { panelId } = await world.server();
    expect((await world.it.panel.deleteServer(panelId, true)).outcome).toBe('ok');
    expect((await world.it.panel.readServer(panelId)).outcome).toBe('not_found');
  });

  test('a server that is not there is not found, by every call', async () => {
    const { it, user } = get();
    const { panel } = it;
    const none = '999999';
    const startup = { egg: it.egg.id, dockerImage: it.egg.dockerImage, startup: it.egg.startup, environment };
    const calls: Promise<PanelAnswer<unknown>>[] = [
      panel.readServer(none),
      panel.findServerByExternalId('nobody'),
      panel.setBuild(none, { resources, addAllocations: [], removeAllocations: [] }),
      panel.setDetails(none, { name: 'x', description: '', externalId: 'x', userId: user }),
      panel.setStartup(none, startup),
      panel.suspend(none),
      panel.unsuspend(none),
      panel.reinstall(none),
      panel.deleteServer(none),
    ];
    for (const call of calls) expect((await call).outcome).toBe('not_found');
  });

  test('an id that is none finds nothing', async () => {
    const { panel } = get().it;
    for (const id of ['no-id', '', '1/../1', '0']) {
      for (const call of [panel.readServer(id), panel.suspend(id), panel.deleteServer(id)])
        expect(['not_found', 'refused']).toContain((await call).outcome);
    }
  });

  test('the list is complete and in pages', async () => {
    const world = get();
    const { panel, facts } = world.it;
    const wanted = Array.from({ length: facts.pageSize + 5 }, (_, at) => `s${at}`);
    for (const externalId of wanted) await world.server({ externalId, resources: { ...resources, ports: 1 } });
    const all = await panelServers(panel);
    expect(all.map((server) => server.externalId).toSorted()).toEqual(wanted.toSorted());
    expect(okOf(await panel.listServers(1)).servers).toHaveLength(facts.pageSize);
    expect(okOf(await panel.listServers(1)).next).toBe(2);
    expect(okOf(await panel.listServers(2)).next).toBeNull();
    expect(okOf(await panel.listServers(9)).servers).toEqual([]);
  });
}

/** What runs on a server. */
export function liveliness(get: Get): void {
  test('usage and power are answered, where there is something that runs', async () => {
    const world = get();
    const { panel, facts } = world.it;
    const { identifier } = await world.ready();
    const name = identifier ?? 'none';
    if (!facts.live) {
      expect((await panel.usage(name)).outcome).toBe('refused');
      expect((await panel.power(name, 'start')).outcome).toBe('refused');
      return;
    }
    expect(okOf(await panel.usage(name))).toMatchObject({ power: 'offline', memory: 0, uptime: 0 });
    for (const [signal, power] of [
      ['start', 'running'],
      ['restart', 'running'],
      ['stop', 'offline'],
    ] as const) {
      expect((await panel.power(name, signal)).outcome).toBe('ok');
      world.it.refreshUsage();
      const usage = okOf(await panel.usage(name));
      expect({ power: usage.power, used: usage.memory > 0 }).toEqual({ power, used: power === 'running' });
    }
  });

  test('nobody starts a suspended server, nor one that installs', async () => {
    const world = get();
    const { panel, facts } = world.it;
    const made = await world.server();
    const name = made.identifier ?? 'none';
    const busy = { outcome: 'refused', reason: facts.live ? 'busy' : 'embedded' } as const;
    expect([await panel.usage(name), await panel.power(name, 'start')]).toEqual([busy, busy]);
    await world.it.finishInstalls();
    await panel.suspend(made.panelId);
    expect([await panel.usage(name), await panel.power(name, 'start')]).toEqual([busy, busy]);
  });

  test('pages to open are on the panel, where it has any', async () => {
    const world = get();
    const { identifier } = await world.server();
    const links = world.it.panel.links(identifier ?? 'none');
    expect(links !== null).toBe(world.it.facts.live);
    if (links) expect(new URL(links.server).pathname).toContain(identifier ?? '-');
  });
}
