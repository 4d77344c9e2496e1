import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Panel, PanelAnswer, PanelServerSpec } from '#server/modules/servers/index.ts';
import { panelServers } from '#tests/support/servers.ts';

export interface PanelUnderTest {
  readonly panel: Panel;
  /** A place the panel can put servers at. */
  readonly location: PanelServerSpec['location'];
  readonly egg: PanelServerSpec['egg'];
  /** Waits (or turns the clock) until installations that were begun have ended. */
  finishInstalls(): Promise<void>;
  close(): Promise<void>;
}

/** What was wanted of an answer that is a success. */
export function okOf<T>(answer: PanelAnswer<T>): T {
  if (answer.outcome !== 'ok') throw new Error(`the panel answered ${answer.outcome}`);
  return answer.value;
}

/** What every adapter of the panel port must do alike. In: a name, and a maker of a fresh panel. */
export function panelSuite(name: string, make: () => Promise<PanelUnderTest>): void {
  describe(`panel port: ${name}`, () => {
    let it: PanelUnderTest;
    let user: string;
    const person = { externalId: 'user-1', username: 'ada', email: 'ada@example.test', firstName: 'Ada', lastName: 'B' };
    const spec = (facts: Partial<PanelServerSpec> = {}): PanelServerSpec => ({
      externalId: 'server-1', userId: user, name: 'Lanternwood', description: 'first', location: it.location, egg: it.egg,
      resources: { memory: 1024, disk: 2048, cpu: 100, ports: 2, databases: 1, backups: 1 }, environment: { MOTD: '0' }, ...facts,
    });
    beforeEach(async () => {
      it = await make();
      user = okOf(await it.panel.ensureUser(person));
    });
    afterEach(() => it.close());

    test('T28 an account is made once and found again by our id alone', async () => {
      expect(okOf(await it.panel.ensureUser({ ...person, email: 'new@example.test' }))).toBe(user);
      expect(okOf(await it.panel.ensureUser({ ...person, externalId: 'user-2', username: 'bob', email: 'bob@example.test' }))).not.toBe(user);
    });

    test('a server is made as asked, installs, and is ready', async () => {
      const made = okOf(await it.panel.createServer(spec()));
      expect(made).toMatchObject({ externalId: 'server-1', name: 'Lanternwood', description: 'first', suspended: false, state: 'installing', resources: spec().resources });
      expect(made.address).toMatch(/^[^:]+:\d+$/);
      await it.finishInstalls();
      expect(okOf(await it.panel.readServer(made.panelId))).toEqual({ ...made, state: 'ready' });
      expect(okOf(await it.panel.findServerByExternalId('server-1')).panelId).toBe(made.panelId);
    });

    test('T26 our id is unique: a second creation is a conflict, and fifty at once make one server', async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => it.panel.createServer(spec())));
      expect(answers.filter((answer) => answer.outcome === 'ok')).toHaveLength(1);
      expect(new Set(answers.map((answer) => answer.outcome))).toEqual(new Set(['ok', 'conflict']));
      expect(await panelServers(it.panel)).toHaveLength(1);
    });

    test('ports are never shared and come back with the deletion', async () => {
      const made = await Promise.all(['a', 'b', 'c'].map((externalId) => it.panel.createServer(spec({ externalId }))));
      const addresses = made.map((answer) => okOf(answer).address);
      expect(new Set(addresses).size).toBe(3);
      const first = okOf(made[0] ?? { outcome: 'unknown' });
      expect((await it.panel.deleteServer(first.panelId)).outcome).toBe('ok');
      const again = okOf(await it.panel.createServer(spec({ externalId: 'd' })));
      expect(again.address).toBe(first.address);
    });

    test('T22 amounts of zero are refused, and nothing is made', async () => {
      for (const kind of ['memory', 'disk', 'cpu', 'ports'] as const) {
        expect((await it.panel.createServer(spec({ resources: { ...spec().resources, [kind]: 0 } }))).outcome).toBe('refused');
      }
      expect(await panelServers(it.panel)).toEqual([]);
    });

    test('an unknown owner is refused', async () => {
      expect((await it.panel.createServer(spec({ userId: '999999' }))).outcome).toBe('refused');
    });

    test('what is not there is not found, by every call', async () => {
      const { panel } = it;
      const calls: Promise<PanelAnswer<unknown>>[] = [
        panel.readServer('999999'), panel.findServerByExternalId('nobody'), panel.setBuild('999999', spec().resources), panel.readServer('no-id'),
        panel.setDetails('999999', { name: 'x', description: '' }), panel.suspend('999999'), panel.unsuspend('999999'), panel.deleteServer('999999'),
      ];
      for (const call of calls) expect((await call).outcome).toBe('not_found');
    });

    test('name, description and limits are changed, more ports and fewer', async () => {
      const { panelId, address } = okOf(await it.panel.createServer(spec()));
      const details = okOf(await it.panel.setDetails(panelId, { name: 'Skyhold', description: '' }));
      expect(details).toMatchObject({ name: 'Skyhold', description: '', externalId: 'server-1' });
      const resources = { memory: 2048, disk: 4096, cpu: 150, ports: 3, databases: 0, backups: 2 };
      expect(okOf(await it.panel.setBuild(panelId, resources))).toMatchObject({ resources, address, name: 'Skyhold' });
      expect(okOf(await it.panel.setBuild(panelId, { ...resources, ports: 1 })).resources.ports).toBe(1);
      expect((await it.panel.setBuild(panelId, { ...resources, memory: 0 })).outcome).toBe('refused');
      expect(okOf(await it.panel.readServer(panelId)).resources.memory).toBe(2048);
    });

    test('suspending and resuming may be repeated, and works while it installs', async () => {
      const { panelId } = okOf(await it.panel.createServer(spec()));
      for (const suspended of [true, true, false, false]) {
        expect((await (suspended ? it.panel.suspend(panelId) : it.panel.unsuspend(panelId))).outcome).toBe('ok');
        expect(okOf(await it.panel.readServer(panelId)).suspended).toBe(suspended);
      }
      await it.panel.suspend(panelId);
      await it.finishInstalls();
      expect(okOf(await it.panel.readServer(panelId))).toMatchObject({ suspended: true, state: 'ready' });
    });

    test('a deleted server is gone for every way of asking, and deleting again says so', async () => {
      const { panelId } = okOf(await it.panel.createServer(spec()));
      expect((await it.panel.deleteServer(panelId)).outcome).toBe('ok');
      expect((await it.panel.deleteServer(panelId)).outcome).toBe('not_found');
      expect((await it.panel.readServer(panelId)).outcome).toBe('not_found');
      expect((await it.panel.findServerByExternalId('server-1')).outcome).toBe('not_found');
      expect(okOf(await it.panel.createServer(spec())).panelId).not.toBe(panelId);
    });

    test('the list is complete and in pages', async () => {
      const wanted = Array.from({ length: 120 }, (_, at) => `s${at}`);
      for (const externalId of wanted) okOf(await it.panel.createServer(spec({ externalId, resources: { ...spec().resources, ports: 1 } })));
      const all = await panelServers(it.panel);
      expect(all.map((server) => server.externalId).sort()).toEqual(wanted.sort());
      expect(okOf(await it.panel.listServers(1)).next).toBe(2);
    });
  });
}
