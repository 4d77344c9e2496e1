import { afterEach, describe, expect, test } from 'bun:test';
import type { PanelAnswer } from '#server/modules/servers/index.ts';
import { createPanelBudgets, detectDialect } from '#server/panel/index.ts';
import { httpPanelOver, shortTimer } from '#tests/support/http-panel.ts';
import { openFakePanel, type Dialect, type Rights } from '#tests/support/panels/index.ts';
import { panelWorld, PORT_CALLS, type PanelWorld } from './calls.ts';

let world: PanelWorld | null = null;
afterEach(async () => {
  await world?.fake.close();
  world = null;
});
async function open(dialect: Dialect): Promise<PanelWorld> {
  world = await panelWorld(dialect);
  return world;
}
const NEEDED = {
  pterodactyl: { servers: 3, users: 3, nodes: 1, allocations: 1, locations: 1, nests: 1, eggs: 1 },
  pelican: { server: 3, user: 3, node: 1, allocation: 1, egg: 1 },
} as const;
const ALL = ['servers', 'users', 'nodes', 'allocations', 'locations', 'nests', 'eggs'];
/** The product's name of a right. */
const ours = (right: string): string => ALL.find((each) => each === right || each === `${right}s`) ?? right;

for (const dialect of ['pterodactyl', 'pelican'] as const) {
  const needed: Rights = NEEDED[dialect];
  /** The adapter with a key that has these rights alone. */
  const withRights = ({ fake, clock, timer, log }: PanelWorld, rights: Rights) =>
    httpPanelOver(fake, { clock, timer, log, key: fake.addKey({ rights }).token });

  describe(`${dialect}: keys`, () => {
    test('the rights that are asked for are enough for every call and the catalogue', async () => {
      const own = await open(dialect);
      const { panel, catalogue } = withRights(own, needed);
      for (const call of PORT_CALLS.filter(
        (each) => each.name !== 'usage' && each.name !== 'power' && each.name !== 'deleteServer',
      )) {
        expect(`${call.name} ${(await call.run({ ...own, panel })).outcome}`).toBe(`${call.name} ok`);
      }
      for (const answer of [
        await catalogue.locations(),
        await catalogue.nodes(),
        await catalogue.allocations(String(own.node)),
        await catalogue.eggs(),
      ])
        expect(answer.outcome).toBe('ok');
    });

    for (const right of Object.keys(needed)) {
      test(`a test of the connection names what is missing, and it alone: ${right}`, async () => {
        const { catalogue } = withRights(await open(dialect), { ...needed, [right]: 0 });
        const check = await catalogue.check();
        if (check.outcome !== 'ok') throw new Error(check.outcome);
        const missing = new Set(check.value.rights.filter((each) => !each.granted).map((each) => each.right));
        expect([...missing].map(String)).toEqual([ours(right)]);
        expect(check.value.clientKey).toBe('ok');
      });
    }

    test('a key for reading alone is distinguished from one for writing, and the test makes nothing', async () => {
      const own = await open(dialect);
      const before = [own.fake.state.servers.size, own.fake.state.users.size];
      const readOnly = Object.fromEntries(Object.keys(needed).map((right) => [right, 1]));
      const check = await withRights(own, readOnly).catalogue.check();
      if (check.outcome !== 'ok') throw new Error(check.outcome);
      expect(check.value.rights.filter((each) => !each.granted)).toEqual([
        { right: 'servers', level: 'write', granted: false },
        { right: 'users', level: 'write', granted: false },
      ]);
      expect([own.fake.state.servers.size, own.fake.state.users.size]).toEqual(before);
    });

    test('a missing right is a clear no that names it, whatever is sent', async () => {
      const own = await open(dialect);
      const { panel } = withRights(own, { ...needed, [dialect === 'pelican' ? 'server' : 'servers']: 1 });
      expect(await panel.createServer(own.spec('server-2', 1))).toEqual({
        outcome: 'refused',
        reason: 'right:servers',
      });
      expect(await panel.suspend(own.server.panelId)).toEqual({ outcome: 'refused', reason: 'right:servers' });
      expect((await panel.readServer(own.server.panelId)).outcome).toBe('ok');
    });

    test('a key without the ports cannot tell whether one was given: no change of them is tried', async () => {
      const own = await open(dialect);
      const { panel } = withRights(own, { ...needed, [dialect === 'pelican' ? 'allocation' : 'allocations']: 0 });
      const answer = await panel.setBuild(own.server.panelId, {
        resources: own.server.resources,
        addAllocations: [own.ports[3] ?? ''],
        removeAllocations: [],
      });
      expect(answer).toEqual({ outcome: 'refused', reason: 'right:allocations' });
    });

    test('the three ways a key is not taken are distinguished', async () => {
      const own = await open(dialect);
      const { fake } = own;
      const player = fake.addUser();
      const ask = (key: string) => httpPanelOver(fake, { key }).panel.readServer(own.server.panelId);
      expect(await ask('nonsense')).toEqual({ outcome: 'refused', reason: 'key' });
      expect(await ask(fake.addKey({ userId: player.id }).token)).toEqual({ outcome: 'refused', reason: 'key_owner' });
      expect(await ask(fake.addKey({ allowedIps: ['203.0.113.5'] }).token)).toEqual({
        outcome: 'refused',
        reason: 'key_address',
      });
    });

    test('usage and power are refused without a client key, or with one that does not see the server', async () => {
      const own = await open(dialect);
      const { fake, server } = own;
      const ask = async (clientKey: string | null): Promise<PanelAnswer<unknown>[]> => {
        const { panel } = httpPanelOver(fake, { clientKey });
        return [await panel.usage(server.identifier ?? ''), await panel.power(server.identifier ?? '', 'start')];
      };
      const twice = (reason: string): PanelAnswer<unknown>[] => [
        { outcome: 'refused', reason },
        { outcome: 'refused', reason },
      ];
      expect(await ask(null)).toEqual(twice('no_client_key'));
      expect(await ask('nonsense')).toEqual(twice('client_key'));
      expect(await ask(fake.applicationKey)).toEqual(twice('client_key'));
      expect(await ask(fake.addKey({ kind: 'client', userId: fake.addUser().id }).token)).toEqual(twice('not_visible'));
    });

    test('the kind of panel is found out by itself', async () => {
      const { fake, clock, log } = await open(dialect);
      const timer = shortTimer();
      const deps = {
        fetch: (url: string, init: RequestInit) => fetch(url, init),
        clock,
        timer,
        random: () => 0.5,
        log,
        budgets: createPanelBudgets({ clock, timer, log, shared: null }),
      };
      expect((await detectDialect(deps, { url: fake.url, key: fake.applicationKey })).answer).toEqual({
        outcome: 'ok',
        value: dialect,
      });
      expect((await detectDialect(deps, { url: `${fake.url}/`, key: 'nonsense' })).answer).toEqual({
        outcome: 'refused',
        reason: 'key',
      });
    });

    test('a panel that is gone is unavailable, and comes back', async () => {
      const { fake, panel, server, spec, clock } = await open(dialect);
      await fake.stopListening();
      expect((await panel.createServer(spec('server-2', 1))).outcome).toBe('unavailable');
      expect((await panel.suspend(server.panelId)).outcome).toBe('unavailable');
      expect((await panel.readServer(server.panelId)).outcome).toBe('unavailable');
      fake.listenAgain();
      clock.advance(3_600_000);
      expect((await panel.createServer(spec('server-2', 1))).outcome).toBe('ok');
    });
  });
}

describe('the catalogue', () => {
  test('Pterodactyl has locations, machines, ports and eggs with their variables', async () => {
    const { catalogue, node, ports } = await open('pterodactyl');
    expect(await catalogue.locations()).toEqual({
      outcome: 'ok',
      value: [{ id: '1', name: 'fra', description: 'Frankfurt' }],
    });
    expect(await catalogue.nodes()).toMatchObject({
      outcome: 'ok',
      value: [{ id: String(node), location: '1', tags: [], public: true, memoryUsed: 1024, diskUsed: 2048 }],
    });
    const given = await catalogue.allocations(String(node));
    expect(given.outcome === 'ok' ? given.value.map((each) => each.assigned) : []).toEqual(
      ports.map((_, at) => at === 0),
    );
    expect(await catalogue.eggs()).toMatchObject({
      outcome: 'ok',
      value: [
        {
          nest: { id: '1', name: 'Minecraft' },
          name: 'Paper',
          variables: [{ env: 'SERVER_JARFILE' }, { env: 'MOTD', rules: 'nullable|string|max:20' }],
        },
      ],
    });
  });

  test('Pelican has tags that stand in for locations, and for nests', async () => {
    const { catalogue, node } = await open('pelican');
    expect(await catalogue.locations()).toEqual({
      outcome: 'ok',
      value: [{ id: 'fra', name: 'fra', description: '' }],
    });
    expect(await catalogue.nodes()).toMatchObject({
      outcome: 'ok',
      value: [{ id: String(node), location: null, tags: ['fra'] }],
    });
    expect(await catalogue.eggs()).toMatchObject({
      outcome: 'ok',
      value: [
        {
          nest: { id: 'minecraft', name: 'minecraft' },
          variables: [{ env: 'SERVER_JARFILE' }, { env: 'MOTD', rules: 'nullable|string|max:20' }],
        },
      ],
    });
  });

  test('more than a page of ports comes whole', async () => {
    const fake = await openFakePanel({ dialect: 'pterodactyl', rateLimits: { application: 10_000 } });
    try {
      const node = fake.addNode().id;
      fake.addAllocations(node, { ports: Array.from({ length: 5001 }, (_, at) => 20_000 + at) });
      const answer = await httpPanelOver(fake).catalogue.allocations(String(node));
      expect(answer.outcome === 'ok' ? answer.value.length : 0).toBe(5001);
    } finally {
      await fake.close();
    }
  });
});
