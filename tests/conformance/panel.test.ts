import { afterEach, describe, expect, test } from 'bun:test';
import { fakeClock } from '#tests/support/clock.ts';
import { openTestDb, type TestDb } from '#tests/support/db.ts';
import { furnish, httpPanelOver } from '#tests/support/http-panel.ts';
import { openFakePanel, type Dialect } from '#tests/support/panels/index.ts';
import { panelOver } from '#tests/support/servers.ts';
import { panelSuite } from './panel.suite.ts';
import { okOf, type Inside } from './panel.world.ts';

const location = { id: 'l1', name: 'Frankfurt', address: 'fra1.example.test' };
const egg = { id: 'e1', dockerImage: 'java:21', startup: 'java' };

/** What stands in the embedded panel's tables. */
function insideOf(db: TestDb): Inside {
  return {
    async account(userId) {
      const [row] = await db.sql<{ username: string; email: string }>(
        'SELECT username, email FROM embedded_users WHERE id = ?',
        [Number(userId)],
      );
      return row ?? null;
    },
    async environment(panelId) {
      const [row] = await db.sql<{ environment: string }>('SELECT environment FROM embedded_servers WHERE id = ?', [
        Number(panelId),
      ]);
      return row ? JSON.parse(row.environment) : null;
    },
  };
}
panelSuite('embedded', async () => {
  const db = await openTestDb();
  const clock = fakeClock();
  return {
    panel: panelOver(db, clock),
    location,
    egg,
    inside: insideOf(db),
    place: () => null,
    facts: { live: false, placed: false, ownAddresses: false, pageSize: 50 },
    finishInstalls: async () => void clock.advance(9000),
    refreshUsage: () => {},
    close: () => db.close(),
  };
});

/** A fake panel over HTTP, with the adapter of its dialect before it. */
async function overHttp(dialect: Dialect) {
  const clock = fakeClock();
  const fake = await openFakePanel({ dialect, clock, rateLimits: { application: 1_000_000, client: 1_000_000 } });
  const { node, allocations, egg: eggId, image, startup } = furnish(fake, { ports: 300 });
  const inside: Inside = {
    async account(userId) {
      const row = fake.state.users.get(Number(userId));
      return row ? { username: row.username, email: row.email } : null;
    },
    async environment(panelId) {
      const server = fake.state.servers.get(Number(panelId));
      const variables = fake.state.eggs.get(eggId)?.variables ?? [];
      return server
        ? Object.fromEntries(variables.map((each) => [each.env, server.variables.get(each.id) ?? '']))
        : null;
    },
  };
  return {
    panel: httpPanelOver(fake, { clock }).panel,
    location,
    egg: { id: String(eggId), dockerImage: image, startup },
    inside,
    facts: { live: true, placed: true, ownAddresses: true, pageSize: dialect === 'pelican' ? 100 : 200 },
    place(ports: number) {
      const [allocation = '0', ...additional] = allocations
        .filter((id) => fake.state.allocations.get(id)?.serverId === null)
        .slice(0, Math.max(1, ports))
        .map(String);
      return { node: String(node), allocation, additional };
    },
    finishInstalls: async () => void fake.finishInstalls(),
    refreshUsage: () => void clock.advance(21_000),
    close: () => fake.close(),
  };
}
panelSuite('Pterodactyl', () => overHttp('pterodactyl'));
panelSuite('Pelican', () => overHttp('pelican'));

describe('the embedded panel', () => {
  let db: TestDb;
  afterEach(() => db.close());
  const resources = { memory: 1024, disk: 1024, cpu: 100, ports: 1, databases: 0, backups: 0 };
  const person = { externalId: 'u', username: 'ada', email: 'ada@example.test', firstName: 'Ada', lastName: 'B' };

  test('installations take as long as the setting says, and fail where they shall', async () => {
    db = await openTestDb();
    const clock = fakeClock();
    const panel = panelOver(db, clock, { installSeconds: () => 20, fails: (spec) => spec.name === 'bad' });
    const userId = okOf(await panel.ensureUser(person));
    const base = { userId, description: '', location, placement: null, egg, resources, environment: {} };
    const good = okOf(await panel.createServer({ ...base, externalId: 'a', name: 'good' }));
    const bad = okOf(await panel.createServer({ ...base, externalId: 'b', name: 'bad' }));
    clock.advance(19_999);
    expect(okOf(await panel.readServer(good.panelId)).state).toBe('installing');
    clock.advance(1);
    expect(okOf(await panel.readServer(good.panelId)).state).toBe('ready');
    expect(okOf(await panel.readServer(bad.panelId)).state).toBe('install_failed');
    expect(panel.typicalInstallMs()).toBe(20_000);
  });

  test('each location has a node of its own, with ports from 25565', async () => {
    db = await openTestDb();
    const panel = panelOver(db, fakeClock());
    const userId = okOf(await panel.ensureUser(person));
    const base = { userId, name: 'x', description: '', placement: null, egg, resources, environment: {} };
    const addresses = [];
    for (const [externalId, place] of [
      ['a', location],
      ['b', location],
      ['c', { id: 'l2', name: 'Bucharest', address: 'buc1.example.test' }],
    ] as const) {
      addresses.push(okOf(await panel.createServer({ ...base, externalId, location: place })).address);
    }
    expect(addresses).toEqual(['fra1.example.test:25565', 'fra1.example.test:25566', 'buc1.example.test:25565']);
  });

  test('nothing is made where no port is left', async () => {
    db = await openTestDb();
    const panel = panelOver(db, fakeClock());
    const userId = okOf(await panel.ensureUser(person));
    const base = { userId, name: 'x', description: '', placement: null, egg, location, environment: {} };
    okOf(await panel.createServer({ ...base, externalId: 'a', resources }));
    await db.sql('UPDATE embedded_allocations SET port = 65534');
    expect(await panel.createServer({ ...base, externalId: 'b', resources: { ...resources, ports: 3 } })).toEqual({
      outcome: 'refused',
      reason: 'no_port',
    });
    expect((await panel.findServerByExternalId('b')).outcome).toBe('not_found');
    expect(okOf(await panel.createServer({ ...base, externalId: 'c', resources })).address).toBe(
      'fra1.example.test:65535',
    );
  });

  test('a database that fails is an answer that never came', async () => {
    db = await openTestDb();
    const panel = panelOver(db, fakeClock());
    await db.sql('DROP TABLE embedded_allocations');
    expect((await panel.findServerByExternalId('a')).outcome).toBe('unknown');
    expect(db.log.events()).toContain('panel.embedded_failed');
  });
});
