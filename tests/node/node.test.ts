import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { nodeSocket } from '#server/node/place.ts';
import { probeMachine } from '#server/node/probe.ts';
import { standInSources, type StandInSources } from '#tests/support/download-sources.ts';
import { okOf } from '../conformance/panel.world.ts';
import { testApps } from './apps.ts';
import { testArchives } from './archives.ts';
import { testBackups } from './backups.ts';
import { testBuiltInPanel } from './built-in-panel.ts';
import { testConfigFiles } from './config-files.ts';
import { testConsole } from './console.ts';
import { testContainers, testNoEngine } from './containers.ts';
import { testDiskLimit } from './disk-limit.ts';
import { testDownloads } from './downloads.ts';
import { testEndings } from './endings.ts';
import { testFiles } from './files.ts';
import { testLimits } from './limits.ts';
import { testNetwork } from './network.ts';
import { NodeProcess, pageAt, processesOf, serverOf, specOf, until } from './node-process.ts';
import { hasPodman, TestEngine } from './podman.ts';
import { testPrimaryPort } from './primary-port.ts';
import { testVariables } from './variables.ts';

// Real processes in real sandboxes: as root on Linux with control groups, util-linux, iproute2 and nftables
// (`apt install nftables`). Where the machine lacks one of them, the suite says which, and proves that the node says so.
const { lacks, missing } = probeMachine();
const ID = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c01';
const OTHER = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c02';
const [PORT, OTHER_PORT, TAKEN_PORT] = [25_801, 25_802, 25_803];

if (lacks.length > 0)
  describe('the node on a machine that lacks something', () => {
    test(`the node refuses to begin, and names what is missing (${[...lacks, ...missing].join(', ')})`, async () => {
      const child = Bun.spawn([process.execPath, join(import.meta.dir, '../../server/main.ts'), 'node'], {
        env: { PATH: process.env.PATH ?? '' },
        stderr: 'pipe',
      });
      expect(await new Response(child.stderr).text()).toContain('cannot run servers');
      expect(await child.exited).toBe(1);
    });
  });
else
  describe('the node', () => {
    const host = new NodeProcess();
    const [server, other] = [serverOf(host, ID), serverOf(host, OTHER)];

    // Podman as it is, where the machine has it (`apt install podman crun busybox-static`).
    const engine = hasPodman() ? new TestEngine() : null;
    let sources: StandInSources;
    beforeAll(async () => {
      sources = await standInSources();
      host.env.ENGINE_SOCKET = engine?.socket ?? join(host.folder, 'no-engine');
      await engine?.start();
      host.env.DOWNLOAD_MIRROR = sources.address;
      await host.start();
    });
    afterAll(async () => {
      sources.stop();
      for (const id of [ID, OTHER]) await host.runtime.remove(id);
      await host.end('SIGTERM');
      await engine?.end();
      rmSync(host.folder, { recursive: true, force: true });
    });

    test('a website is installed, starts by itself and answers on its port', async () => {
      expect((await host.runtime.put(specOf(ID, PORT))).outcome).toBe('ok');
      await server.reaches('running');
      const text = (await pageAt(PORT)) ?? '';
      expect(text).toContain('It works');
      const { memory, uptimeMs, totals } = await server.read();
      expect([memory > 0, uptimeMs > 0, totals.cpuUs > 0]).toEqual([true, true, true]);
      // What the page is made of was sent, and that it was asked for came.
      expect([totals.received > 100, totals.sent > text.length]).toEqual([true, true]);
    });

    test('an order that is repeated, or older than the last, changes nothing', async () => {
      const before = processesOf(ID);
      for (let time = 0; time < 20; time += 1) await host.runtime.put(specOf(ID, PORT));
      await host.runtime.put(specOf(ID, PORT, { revision: 0, suspended: true }));
      expect((await server.read()).state).toBe('running');
      expect(processesOf(ID)).toEqual(before);
    });

    test('N20 a start pressed fifty times at once begins one process, and killing always passes', async () => {
      await host.runtime.power(ID, 'stop');
      await server.reaches('offline');
      expect(await pageAt(PORT)).toBeNull();
      await Promise.all(Array.from({ length: 50 }, () => host.runtime.power(ID, 'start')));
      await server.reaches('running');
      // The launcher, unshare, the first process inside and the website.
      expect(processesOf(ID).length).toBe(4);
      await Promise.all([host.runtime.power(ID, 'restart'), host.runtime.power(ID, 'kill')]);
      await until(() => processesOf(ID).length === 0);
      await server.reaches('offline');
    });

    test('N21 a server does not start on a port that another program has', async () => {
      const listener = Bun.listen({ hostname: '0.0.0.0', port: TAKEN_PORT, socket: { data: () => undefined } });
      await host.runtime.put(specOf(ID, TAKEN_PORT, { revision: 2 }));
      await host.runtime.power(ID, 'stop');
      await server.reaches('offline');
      await host.runtime.power(ID, 'start');
      await server.halts('port_taken');
      expect(await server.read()).toMatchObject({ state: 'offline', halt: { port: TAKEN_PORT } });
      listener.stop(true);
      await server.power('start');
      await server.reaches('running');
      expect((await server.read()).halt).toBeNull();
      expect(await pageAt(TAKEN_PORT)).toContain('It works');
    });

    test('a suspended server stops and does not start, until it is resumed', async () => {
      await host.runtime.put(specOf(ID, TAKEN_PORT, { revision: 3, suspended: true }));
      await server.reaches('offline');
      await host.runtime.power(ID, 'start');
      await Bun.sleep(500);
      expect(processesOf(ID)).toEqual([]);
      await host.runtime.put(specOf(ID, TAKEN_PORT, { revision: 4 }));
      await server.power('start');
      await server.reaches('running');
    });

    test('a second installation writes over its own files, and keeps what was changed in them beside it', async () => {
      writeFileSync(server.home('public', 'index.html'), 'my own page');
      writeFileSync(server.home('public', 'mine.html'), 'another page');
      for (const installation of [2, 3]) {
        await host.runtime.put(specOf(ID, TAKEN_PORT, { revision: 3 + installation, installation }));
        await until(
          async () => (await server.read()).revision === 3 + installation && (await server.read()).state === 'running',
        );
      }
      expect(await pageAt(TAKEN_PORT)).toContain('It works');
      expect(await pageAt(TAKEN_PORT, '/mine.html')).toBe('another page');
      expect(readdirSync(server.home('public')).sort()).toEqual(['index.html', 'index.html.~1~', 'mine.html']);
      expect(readFileSync(server.home('public', 'index.html.~1~'), 'utf8')).toBe('my own page');
    });

    test('N22 an installation that fails is one that failed, with its words in the console', async () => {
      await host.runtime.put(specOf(OTHER, OTHER_PORT, { recipe: 'bun-app' }));
      await other.reaches('running');
      await other.kill();
      rmSync(other.home('index.ts'));
      mkdirSync(other.home('index.ts'));
      await host.runtime.put(specOf(OTHER, OTHER_PORT, { recipe: 'bun-app', revision: 2, installation: 2 }));
      await other.reaches('install_failed');
      expect(okOf(await host.runtime.console(OTHER, 0, 0)).lines.some(({ text }) => text.includes('index.ts'))).toBe(
        true,
      );
      await host.runtime.power(OTHER, 'start');
      await other.halts('not_installed');
      rmdirSync(other.home('index.ts'));
      await host.runtime.put(specOf(OTHER, OTHER_PORT, { recipe: 'bun-app', revision: 3, installation: 3 }));
      await other.reaches('running');
      await other.kill();
    });

    // Stories of servers of their own: each runs alone as well (`-t 'the console of a server'`), on one node, since there
    // is one a machine.
    testLimits(host);
    testEndings(host);
    testConsole(host);
    testApps(host);
    testBuiltInPanel(host);
    testFiles(host);
    testArchives(host);
    testBackups(host);
    testDiskLimit(host);
    testVariables(host);
    if (engine) testContainers(host, engine);
    else testNoEngine(host);
    testConfigFiles(host);
    testPrimaryPort(host);
    testNetwork(host);
    testDownloads(host, () => sources);

    test('a call that is none is refused, and the node goes on', async () => {
      const call = (body: string) =>
        fetch('http://localhost/', { unix: nodeSocket(host.folder), method: 'POST', body }).then(
          (answer) => answer.status,
        );
      for (const body of [
        '',
        '{',
        '{"call":"read","id":"../../etc"}',
        '{"call":"put","spec":{"id":"x"}}',
        '{"call":"run"}',
        `{"call":"command","id":"${ID}","text":"a\\nb"}`,
        `{"call":"command","id":"${ID}","text":"${'x'.repeat(1001)}"}`,
        `{"call":"console","id":"${ID}","after":-1,"waitMs":0}`,
      ])
        expect([body, await call(body)]).toEqual([body, 400]);
      expect((await host.runtime.list()).outcome).toBe('ok');
    });

    test('a deletion while it starts leaves no process, group, network or file, and may be repeated', async () => {
      symlinkSync('/etc', server.home('etc'));
      void host.runtime.power(ID, 'restart');
      await until(async () => (await host.runtime.remove(ID)).outcome === 'ok');
      expect((await host.runtime.remove(ID)).outcome).toBe('ok');
      expect((await host.runtime.read(ID)).outcome).toBe('not_found');
      expect(existsSync(join(host.folder, ID))).toBe(false);
      expect(existsSync('/etc/hostname')).toBe(true);
      expect(processesOf(ID)).toEqual([]);
      expect(existsSync(`/sys/fs/cgroup/pids/spawnpoint/${ID}`)).toBe(false);
      expect(await pageAt(TAKEN_PORT)).toBeNull();
      await host.runtime.remove(OTHER);
      expect(
        existsSync('/run/netns') ? readdirSync('/run/netns').filter((name) => name.startsWith('spawn')) : [],
      ).toEqual([]);
    });
  });
