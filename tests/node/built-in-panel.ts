import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'bun:test';
import { systemClock } from '#server/kernel.ts';
import { openTestDb } from '#tests/support/db.ts';
import { panelOver } from '#tests/support/servers.ts';
import { okOf } from '../conformance/panel.world.ts';
import { pageAt, until, type NodeProcess } from './node-process.ts';

/** Test of the built-in panel over a node that runs. */
export function testBuiltInPanel(host: NodeProcess): void {
  describe('the built-in panel', () => {
    test('the built-in panel makes, measures, suspends and deletes a server that really runs', async () => {
      const db = await openTestDb();
      const runtime = { calls: host.runtime, ports: { first: 25_810, last: 25_819 }, host: '127.0.0.1' };
      const panel = panelOver(db, systemClock, { runtime });
      const person = { externalId: 'u', username: 'ada', email: 'ada@example.test', firstName: 'Ada', lastName: 'B' };
      const made = okOf(
        await panel.createServer({
          externalId: 'one',
          userId: okOf(await panel.ensureUser(person)),
          name: 'site',
          description: '',
          location: { id: 'l1', name: 'Here', address: 'fra1.example.test' },
          placement: null,
          egg: { id: 'e1', dockerImage: 'spawnpoint/static-website', startup: '' },
          resources: { memory: 256, disk: 64, cpu: 100, ports: 1, databases: 0, backups: 0 },
          environment: {},
        }),
      );
      const identifier = made.identifier ?? '';
      const power = async () => okOf(await panel.usage(identifier)).power;
      expect(made.address).toBe('127.0.0.1:25810');
      await until(
        async () => okOf(await panel.readServer(made.panelId)).state === 'ready' && (await power()) === 'running',
      );
      expect(await pageAt(25_810)).toContain('It works');
      expect(okOf(await panel.newestServers()).map((server) => server.state)).toEqual(['ready']);
      okOf(await panel.suspend(made.panelId));
      await until(async () => (await power()) === 'offline');
      okOf(await panel.unsuspend(made.panelId));
      await until(async () => (await panel.power(identifier, 'start')).outcome === 'ok');
      await until(async () => (await power()) === 'running');
      await host.end('SIGKILL');
      expect((await panel.readServer(made.panelId)).outcome).toBe('unavailable');
      expect((await panel.deleteServer(made.panelId)).outcome).toBe('unavailable');
      await host.start();
      expect((await panel.deleteServer(made.panelId)).outcome).toBe('ok');
      expect((await panel.readServer(made.panelId)).outcome).toBe('not_found');
      expect(await pageAt(25_810)).toBeNull();
      expect(existsSync(join(host.folder, identifier))).toBe(false);
      await db.close();
    });
  });
}
