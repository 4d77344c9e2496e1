import { afterEach, describe, expect, test } from 'bun:test';
import { fakeClock } from '#tests/support/clock.ts';
import { openTestDb, type TestDb } from '#tests/support/db.ts';
import { panelOver } from '#tests/support/servers.ts';
import { okOf, panelSuite } from './panel.suite.ts';

const location = { id: 'l1', name: 'Frankfurt', address: 'fra1.example.test' };
const egg = { id: 'e1', dockerImage: 'java:21', startup: 'java' };

panelSuite('embedded', async () => {
  const db = await openTestDb();
  const clock = fakeClock();
  return { panel: panelOver(db, clock), location, egg, finishInstalls: async () => void clock.advance(9000), close: () => db.close() };
});

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
    const base = { userId, description: '', location, egg, resources, environment: {} };
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
    const base = { userId, name: 'x', description: '', egg, resources, environment: {} };
    const addresses = [];
    for (const [externalId, place] of [['a', location], ['b', location], ['c', { id: 'l2', name: 'Bucharest', address: 'buc1.example.test' }]] as const) {
      addresses.push(okOf(await panel.createServer({ ...base, externalId, location: place })).address);
    }
    expect(addresses).toEqual(['fra1.example.test:25565', 'fra1.example.test:25566', 'buc1.example.test:25565']);
  });

  test('where no port is left nothing is made', async () => {
    db = await openTestDb();
    const panel = panelOver(db, fakeClock());
    const userId = okOf(await panel.ensureUser(person));
    const base = { userId, name: 'x', description: '', egg, location, environment: {} };
    okOf(await panel.createServer({ ...base, externalId: 'a', resources }));
    await db.sql('UPDATE panel_allocations SET port = 65534');
    expect(await panel.createServer({ ...base, externalId: 'b', resources: { ...resources, ports: 3 } })).toEqual({ outcome: 'refused', reason: 'no_port' });
    expect((await panel.findServerByExternalId('b')).outcome).toBe('not_found');
    expect(okOf(await panel.createServer({ ...base, externalId: 'c', resources })).address).toBe('fra1.example.test:65535');
  });

  test('a database that fails is an answer that never came', async () => {
    db = await openTestDb();
    const panel = panelOver(db, fakeClock());
    await db.sql('DROP TABLE panel_allocations');
    expect((await panel.findServerByExternalId('a')).outcome).toBe('unknown');
    expect(db.log.events()).toContain('panel.embedded_failed');
  });
});
