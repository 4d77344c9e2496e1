import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '#server/kernel.ts';
import type { Panel } from '#server/modules/servers/panel/ports.ts';
import { openTestDb, type TestDb } from '#tests/support/db.ts';
import { panelOver } from '#tests/support/servers.ts';
import { okOf } from '../conformance/panel.world.ts';
import { pageAt, until, type NodeProcess } from './node-process.ts';

const [FIRST, SECOND] = [25_830, 25_831];
const RESOURCES = { memory: 256, disk: 64, cpu: 200, ports: 2, databases: 0, backups: 0 };
/** Listens on the port that it is started with, and answers with its configuration file. */
const APP = `const said = await Bun.file('server.properties').text();
Bun.serve({ hostname: '0.0.0.0', port: Number(process.env.SERVER_PORT), fetch: () => new Response(said) });`;

/** Tests of the primary port, of the built-in panel over a node that runs: a start listens where its owner chose. */
export function testPrimaryPort(host: NodeProcess): void {
  let db: TestDb;
  let panel: Panel;
  let panelId: string;
  let identifier: string;
  const reaches = (power: string) => until(async () => okOf(await panel.usage(identifier)).power === power);
  const order = (signal: 'stop' | 'start') =>
    until(async () => (await panel.power(identifier, signal)).outcome === 'ok');
  async function again(): Promise<void> {
    await order('stop');
    await reaches('offline');
    await order('start');
    await reaches('running');
  }
  const choose = async (primaryPort: number | null, resources = RESOURCES) =>
    okOf(await panel.setBuild(panelId, { resources, addAllocations: [], removeAllocations: [], primaryPort }));

  describe('the primary port of a server', () => {
    beforeAll(async () => {
      db = await openTestDb('sqlite');
      const runtime = { calls: host.runtime, ports: { first: FIRST, last: SECOND }, host: '127.0.0.1' };
      panel = panelOver(db, systemClock, { runtime });
      const person = { externalId: 'u', username: 'ada', email: 'ada@example.test', firstName: 'Ada', lastName: 'B' };
      const setting = { key: 'server-port', value: '{{server.build.default.port}}', was: null };
      const made = okOf(
        await panel.createServer({
          externalId: 'one',
          userId: okOf(await panel.ensureUser(person)),
          name: 'app',
          description: '',
          location: { id: 'l1', name: 'Here', address: 'fra1.example.test' },
          placement: null,
          egg: {
            id: 'e1',
            dockerImage: 'spawnpoint/bun-app',
            startup: '',
            configFiles: [{ path: 'server.properties', parser: 'properties', settings: [setting] }],
          },
          resources: RESOURCES,
          environment: {},
        }),
      );
      panelId = made.panelId;
      identifier = made.identifier ?? '';
      await until(async () => okOf(await panel.readServer(panelId)).state === 'ready');
      await reaches('running');
      writeFileSync(join(host.folder, identifier, 'home', 'index.ts'), APP);
      await again();
    });
    afterAll(async () => {
      await panel.deleteServer(panelId);
      await db.close();
    });

    test('a server listens on the chosen port from its next start on, and its configuration files name it', async () => {
      await until(async () => (await pageAt(FIRST)) !== null);
      expect(await pageAt(FIRST)).toContain(`server-port=${FIRST}`);
      expect(await choose(SECOND)).toMatchObject({ address: `127.0.0.1:${SECOND}` });
      // Whoever plays is not thrown out.
      expect(await pageAt(FIRST)).not.toBeNull();
      expect(await pageAt(SECOND)).toBeNull();
      await again();
      await until(async () => (await pageAt(SECOND)) !== null);
      expect(await pageAt(SECOND)).toContain(`server-port=${SECOND}`);
      expect(await pageAt(FIRST)).toBeNull();
    });

    test('the chosen port outlives a kill of the node, and stays where the server gets fewer ports', async () => {
      await choose(SECOND);
      await host.end('SIGKILL');
      await host.start();
      const fewer = await choose(null, { ...RESOURCES, ports: 1 });
      expect(fewer.allocations?.map(({ id }) => id)).toEqual([String(SECOND)]);
      await again();
      await until(async () => (await pageAt(SECOND)) !== null);
      expect(await pageAt(FIRST)).toBeNull();
    });
  });
}
