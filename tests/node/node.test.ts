import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  copyFileSync,
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
import { type RuntimeServer } from '#server/panel/index.ts';
import { systemClock } from '#server/kernel.ts';
import { openTestDb } from '#tests/support/db.ts';
import { standInSources, type StandInSources } from '#tests/support/download-sources.ts';
import { panelOver } from '#tests/support/servers.ts';
import { okOf } from '../conformance/panel.world.ts';
import { testBackups } from './backups.ts';
import { testDownloads } from './downloads.ts';
import { testArchives } from './archives.ts';
import { testConfigFiles } from './config-files.ts';
import { testContainers, testNoEngine } from './containers.ts';
import { testDiskLimit } from './disk-limit.ts';
import { testFiles } from './files.ts';
import { testNetwork } from './network.ts';
import { testPrimaryPort } from './primary-port.ts';
import { testVariables } from './variables.ts';
import { hasPodman, TestEngine } from './podman.ts';
import { killProcessesOf, NodeProcess, pageAt, processesOf, specOf, until } from './node-process.ts';

// Real processes in real sandboxes: as root on Linux with control groups, util-linux, iproute2 and nftables
// (`apt install nftables`). Where the machine lacks one of them, the suite says which, and proves that the node says so.
const { lacks, missing } = probeMachine();
const ID = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c01';
const OTHER = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c02';
const APP = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c03';
const [PORT, OTHER_PORT, TAKEN_PORT, APP_PORT] = [25_801, 25_802, 25_803, 25_809];

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
    const read = async (id = ID): Promise<RuntimeServer> => okOf(await host.runtime.read(id));
    const reaches = (state: RuntimeServer['state'], id = ID) => until(async () => (await read(id)).state === state);
    const home = (id = ID) => join(host.folder, id, 'home');

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
      for (const id of [ID, OTHER, APP]) await host.runtime.remove(id);
      await host.end('SIGTERM');
      await engine?.end();
      rmSync(host.folder, { recursive: true, force: true });
    });

    test('a website is installed, starts by itself and answers on its port', async () => {
      expect((await host.runtime.put(specOf(ID, PORT))).outcome).toBe('ok');
      await reaches('running');
      const text = (await pageAt(PORT)) ?? '';
      expect(text).toContain('It works');
      const { memory, uptimeMs, totals } = await read();
      expect([memory > 0, uptimeMs > 0, totals.cpuUs > 0]).toEqual([true, true, true]);
      // What the page is made of was sent, and that it was asked for came.
      expect([totals.received > 100, totals.sent > text.length]).toEqual([true, true]);
    });

    test('an order that is repeated, or older than the last, changes nothing', async () => {
      const before = processesOf(ID);
      for (let time = 0; time < 20; time += 1) await host.runtime.put(specOf(ID, PORT));
      await host.runtime.put(specOf(ID, PORT, { revision: 0, suspended: true }));
      expect((await read()).state).toBe('running');
      expect(processesOf(ID)).toEqual(before);
    });

    test('N16 its servers live on when the node is killed, and are found again without a second start', async () => {
      const before = processesOf(ID);
      await host.end('SIGKILL');
      expect(await pageAt(PORT)).toContain('It works');
      await host.start();
      await reaches('running');
      expect(processesOf(ID)).toEqual(before);
      expect(await pageAt(PORT)).toContain('It works');
    });

    test('N20 a start pressed fifty times at once begins one process, and killing always passes', async () => {
      await host.runtime.power(ID, 'stop');
      await reaches('offline');
      expect(await pageAt(PORT)).toBeNull();
      await Promise.all(Array.from({ length: 50 }, () => host.runtime.power(ID, 'start')));
      await reaches('running');
      // The launcher, unshare, the first process inside and the website.
      expect(processesOf(ID).length).toBe(4);
      await Promise.all([host.runtime.power(ID, 'restart'), host.runtime.power(ID, 'kill')]);
      await until(() => processesOf(ID).length === 0);
      await reaches('offline');
    });

    test('N11 a server sees neither files nor processes of the machine, and has no rights', async () => {
      const look = [
        'const { readdirSync, readFileSync, existsSync, writeFileSync } = require("fs");',
        'const tries = (work) => { try { work(); return true; } catch { return false; } };',
        'const facts = {',
        '  root: readdirSync("/").sort(), pids: readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).length,',
        '  seen: ["/root", "/etc/shadow", "/var", "/run", "/sys"].filter((path) => existsSync(path)),',
        '  written: ["/etc/x", "/usr/x", "/opt/spawnpoint/x"].filter((path) => tries(() => writeFileSync(path, ""))),',
        '  status: readFileSync("/proc/self/status", "utf8").match(/^(CapEff|CapBnd|Seccomp|NoNewPrivs):.*$/gm).map((line) => line.replace(/\\s+/g, " ")),',
        '};',
        `const open = async (host, port) => { try { (await Bun.connect({ hostname: host, port, socket: { data() {} } })).end(); return true; } catch { return false; } };`,
        'const reached = [];',
        'for (const [host, port] of [["127.0.0.1", 22], ["10.233.0.1", 25899], ["169.254.169.254", 80], ["192.168.1.1", 80]]) if (await Promise.race([open(host, port), Bun.sleep(500).then(() => false)])) reached.push(host);',
        'Bun.serve({ hostname: "0.0.0.0", port: Number(process.env.SERVER_PORT), fetch: () => Response.json({ ...facts, reached }) });',
      ].join('\n');
      const listener = Bun.listen({ hostname: '0.0.0.0', port: 25_899, socket: { data: () => undefined } });
      await host.runtime.put(specOf(OTHER, OTHER_PORT, { recipe: 'bun-app' }));
      await reaches('running', OTHER);
      writeFileSync(join(home(OTHER), 'index.ts'), look);
      await until(async () => (await host.runtime.power(OTHER, 'restart')).outcome === 'ok');
      let text: string | null = null;
      await until(async () => {
        text = await pageAt(OTHER_PORT);
        return text?.startsWith('{') === true;
      });
      listener.stop(true);
      expect(JSON.parse(text ?? '')).toEqual({
        root: ['bin', 'dev', 'etc', 'home', 'lib', 'lib64', 'opt', 'proc', 'sbin', 'tmp', 'usr'],
        pids: 2,
        seen: [],
        written: [],
        status: ['CapEff: 0000000000000000', 'CapBnd: 0000000000000000', 'NoNewPrivs: 1', 'Seccomp: 2'],
        reached: [],
      });
    });

    test('N8 a link out of its folder leads to nothing of the machine', async () => {
      symlinkSync('/etc/shadow', join(home(), 'public', 'shadow'));
      await host.runtime.power(ID, 'start');
      await reaches('running');
      expect(await pageAt(PORT, '/shadow')).toBe('Not found\n');
      expect(await pageAt(PORT, '/..%2f..%2f..%2fetc/shadow')).toBe('Not found\n');
    });

    test('N17 a killed first process ends the rest, and the server starts again', async () => {
      const before = processesOf(ID);
      process.kill(Number(readFileSync(join(host.folder, ID, 'run', 'mark'), 'utf8').split(' ')[0]), 'SIGKILL');
      await until(
        async () =>
          (await read()).state === 'running' &&
          processesOf(ID).length === 4 &&
          !before.some((pid) => processesOf(ID).includes(pid)),
      );
      expect(await pageAt(PORT)).toContain('It works');
    });

    test('N17 what somebody else left in the network of a server ends before it starts, but not under one that runs', async () => {
      const { slot } = JSON.parse(readFileSync(join(host.folder, ID, 'state.json'), 'utf8'));
      const other = Bun.spawn(['ip', 'netns', 'exec', `spawn${slot}`, 'sleep', '600']);
      const stands = () =>
        Bun.spawnSync(['ip', 'netns', 'pids', `spawn${slot}`])
          .stdout.toString()
          .split('\n');
      await until(() => stands().includes(String(other.pid)));
      await host.end('SIGKILL');
      await host.start();
      await reaches('running');
      expect(stands()).toContain(String(other.pid));
      await until(async () => (await host.runtime.power(ID, 'restart')).outcome === 'ok');
      await other.exited;
      expect(other.signalCode).toBe('SIGKILL');
      await reaches('running');
      expect(await pageAt(PORT)).toContain('It works');
    });

    test('N1 a fork bomb stands at its limit, and ends when it is killed', async () => {
      writeFileSync(
        join(home(OTHER), 'index.ts'),
        'for (let n = 0; n < 2000; n += 1) try { Bun.spawn(["/bin/sh", "-c", "sleep 600 & sleep 600"]); } catch {}\nawait Bun.sleep(1e9);',
      );
      await host.runtime.power(OTHER, 'restart');
      await until(() => processesOf(OTHER).length > 100);
      expect(processesOf(OTHER).length).toBeLessThanOrEqual(512);
      expect(await pageAt(PORT)).toContain('It works');
      await host.runtime.power(OTHER, 'kill');
      await until(() => processesOf(OTHER).length === 0);
      await reaches('offline', OTHER);
    });

    test('N2 a server that takes too much memory ends, and no other', async () => {
      writeFileSync(
        join(home(OTHER), 'index.ts'),
        'const all = []; for (;;) { all.push(new Uint8Array(8 << 20).fill(1)); await Bun.sleep(1); }',
      );
      await until(async () => (await host.runtime.power(OTHER, 'start')).outcome === 'ok');
      await until(
        async () => JSON.parse(readFileSync(join(host.folder, OTHER, 'state.json'), 'utf8')).crashes.length > 0,
      );
      expect((await read(OTHER)).halt?.reason).toBe('out_of_memory');
      expect(await pageAt(PORT)).toContain('It works');
      await host.runtime.power(OTHER, 'kill');
      await until(() => processesOf(OTHER).length === 0);
    });

    test('N3 what a server puts into memory as files counts as its memory, and has an end', async () => {
      writeFileSync(
        join(home(OTHER), 'index.ts'),
        [
          'import { writeFileSync, appendFileSync } from "node:fs";',
          'for (const folder of ["/dev/shm", "/tmp"]) {',
          '  try { for (;;) appendFileSync(folder + "/hog", new Uint8Array(4 << 20)); } catch (error) { console.log(folder, error.code); }',
          '}',
          'writeFileSync("done", "");',
          'setInterval(() => {}, 1000);',
        ].join('\n'),
      );
      await until(async () => (await host.runtime.power(OTHER, 'start')).outcome === 'ok');
      // Both folders together fit; the kernel ends it where its memory does not.
      await until(async () => existsSync(join(home(OTHER), 'done')) || (await read(OTHER)).halt !== null);
      const { halt, memory } = await read(OTHER);
      if (halt === null) {
        const lines = okOf(await host.runtime.console(OTHER, 0, 0)).lines.map(({ text }) => text);
        expect(lines.filter((line) => /^\/(dev\/shm|tmp) E(NOSPC|FBIG)$/.test(line))).toHaveLength(2);
        expect(memory).toBeGreaterThan(100 * 1024 * 1024);
      } else expect(halt.reason).toBe('out_of_memory');
      expect(await pageAt(PORT)).toContain('It works');
      await host.runtime.power(OTHER, 'kill');
      await until(() => processesOf(OTHER).length === 0);
    });

    /** Waits until a server ignores the signals that are to end it; its next start begins without the mark. */
    const isDeaf = async () => {
      await until(() => existsSync(join(home(OTHER), 'deaf')));
      rmSync(join(home(OTHER), 'deaf'));
    };

    test('N14 a server that ignores every signal is killed at its time', async () => {
      writeFileSync(
        join(home(OTHER), 'index.ts'),
        'for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {});\nsetInterval(() => {}, 1000);\nawait Bun.write("/home/container/deaf", "");',
      );
      await until(async () => (await host.runtime.power(OTHER, 'start')).outcome === 'ok');
      await reaches('running', OTHER);
      await isDeaf();
      await host.runtime.power(OTHER, 'stop');
      await reaches('stopping', OTHER);
      await reaches('offline', OTHER);
      expect(processesOf(OTHER)).toEqual([]);
    });

    test('N16 a restart and a rest for maintenance go on where the node was killed while the server stopped', async () => {
      const killsWhileItStops = async () => {
        await reaches('stopping', OTHER);
        await host.end('SIGKILL');
        await host.start();
      };
      await until(async () => (await host.runtime.power(OTHER, 'start')).outcome === 'ok');
      await reaches('running', OTHER);
      const before = processesOf(OTHER);
      await isDeaf();
      await host.runtime.power(OTHER, 'restart');
      await killsWhileItStops();
      await until(async () => (await read(OTHER)).state === 'running' && processesOf(OTHER)[0] !== before[0]);

      await isDeaf();
      const maintenance = host.runtime.maintain(true);
      await killsWhileItStops();
      await maintenance;
      await until(async () => (await read(OTHER)).halt?.reason === 'maintenance');
      expect(processesOf(OTHER)).toEqual([]);
      await host.runtime.maintain(false);
      await reaches('running', OTHER);
      await host.runtime.power(OTHER, 'kill');
      await reaches('offline', OTHER);
    });

    test('N15 what a server leaves running when it ends, ends with it', async () => {
      writeFileSync(
        join(home(OTHER), 'index.ts'),
        'Bun.spawn(["/usr/bin/setsid", "--fork", "/bin/sleep", "600"]); await Bun.sleep(500); process.exit(0);',
      );
      await until(async () => (await host.runtime.power(OTHER, 'start')).outcome === 'ok');
      await until(() => processesOf(OTHER).length > 3);
      // Refused while it begins again, for it ends by itself.
      await until(async () => (await host.runtime.power(OTHER, 'stop')).outcome === 'ok');
      await reaches('offline', OTHER);
      expect(processesOf(OTHER)).toEqual([]);
    });

    test('N21 a server does not start on a port that another program has', async () => {
      const other = Bun.listen({ hostname: '0.0.0.0', port: TAKEN_PORT, socket: { data: () => undefined } });
      await host.runtime.put(specOf(ID, TAKEN_PORT, { revision: 2 }));
      await host.runtime.power(ID, 'stop');
      await reaches('offline');
      await host.runtime.power(ID, 'start');
      await until(async () => (await read()).halt?.reason === 'port_taken');
      expect(await read()).toMatchObject({ state: 'offline', halt: { port: TAKEN_PORT } });
      other.stop(true);
      await until(async () => (await host.runtime.power(ID, 'start')).outcome === 'ok');
      await reaches('running');
      expect((await read()).halt).toBeNull();
      expect(await pageAt(TAKEN_PORT)).toContain('It works');
    });

    test('N16 a console shows what a server writes and is sent, goes on after the node was killed, and tells gaps', async () => {
      const all = async (after: number) => okOf(await host.runtime.console(OTHER, after, 0));
      const write = (lines: string) =>
        writeFileSync(
          join(home(OTHER), 'index.ts'),
          `${lines}\nfor await (const line of console) console.log("\\x1b[2J\\x1b[32mgot " + line);`,
        );
      expect((await host.runtime.command(OTHER, 'too early')).outcome).toBe('conflict');
      write('console.log("hello");');
      await until(async () => (await host.runtime.power(OTHER, 'start')).outcome === 'ok');
      await until(async () => (await all(0)).lines.some((line) => line.text === 'hello'));
      expect((await host.runtime.command(OTHER, 'list')).outcome).toBe('ok');
      await until(async () => (await all(0)).lines.some((line) => line.text.endsWith('got list')));
      const before = await all(0);
      expect(before.lines.slice(-2).map(({ kind, text }) => [kind, text])).toEqual([
        ['in', 'list'],
        ['out', '\u001b[32mgot list'],
      ]);
      const { seq } = before.lines.at(-1) ?? { seq: 0 };
      const waiting = host.runtime.console(OTHER, seq, 12_000);
      await Bun.sleep(11_000);
      await host.runtime.command(OTHER, 'late');
      expect(okOf(await waiting).lines.length).toBeGreaterThan(0);
      await host.end('SIGKILL');
      await host.start();
      await reaches('running', OTHER);
      await host.runtime.command(OTHER, 'again');
      await until(async () => (await all(seq)).lines.some((line) => line.text.endsWith('got again')));
      expect((await all(seq)).gap).toBe(true);
      await host.runtime.power(OTHER, 'kill');
      await reaches('offline', OTHER);
    });

    test('N6 a flood of output waits for the node, whose memory stays: others answer, and readers hear of gaps', async () => {
      const anonymous = () =>
        Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${host.pid()}/status`, 'utf8'))?.[1]) / 1024;
      writeFileSync(
        join(home(OTHER), 'index.ts'),
        [
          'import { writeFileSync, writeSync } from "node:fs";',
          'console.log("first");',
          'const lines = Buffer.from("[12:00:00] [Server thread/INFO]: Somebody joined the game\\n".repeat(1000));',
          'for await (const _ of console)',
          '  for (let n = 1; ; n += 1) { writeSync(1, lines); writeFileSync("written", String(n * lines.length)); }',
        ].join('\n'),
      );
      const before = anonymous();
      await until(async () => (await host.runtime.power(OTHER, 'start')).outcome === 'ok');
      const lines = async (after: number) => okOf(await host.runtime.console(OTHER, after, 0));
      let first = 0;
      await until(async () => {
        first ||= (await lines(0)).lines.find(({ text }) => text === 'first')?.seq ?? 0;
        return first > 0;
      });
      okOf(await host.runtime.command(OTHER, 'go'));
      const written = () => Number(readFileSync(join(home(OTHER), 'written'), 'utf8'));
      await until(() => existsSync(join(home(OTHER), 'written')) && written() > 12 << 20);
      expect(anonymous() - before).toBeLessThan(100);
      expect(await pageAt(TAKEN_PORT)).toContain('It works');
      expect(await lines(first)).toMatchObject({ gap: true });
      await host.runtime.power(OTHER, 'kill');
      await until(() => processesOf(OTHER).length === 0);
    });

    test('N19 a process with the number of an earlier one is never taken for it', async () => {
      await host.end('SIGKILL');
      const mark = join(host.folder, ID, 'run', 'mark');
      const own = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ')[19];
      writeFileSync(mark, `${process.pid} ${Number(own) + 1}\n`);
      await host.start();
      await until(() => existsSync(mark) && !readFileSync(mark, 'utf8').startsWith(`${process.pid} `));
      await reaches('running');
      expect(processesOf(ID).length).toBe(4);
      expect(await pageAt(TAKEN_PORT)).toContain('It works');
    });

    test('N18 after a power cut what ran starts again, and nothing stays in between', async () => {
      await host.end('SIGKILL');
      killProcessesOf(ID);
      await until(() => processesOf(ID).length === 0);
      const path = join(host.folder, OTHER, 'state.json');
      writeFileSync(
        path,
        JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), state: 'stopping', wanted: false }),
      );
      await host.start();
      await reaches('running');
      await reaches('offline', OTHER);
      expect(processesOf(OTHER)).toEqual([]);
      expect(await pageAt(TAKEN_PORT)).toContain('It works');
    });

    test('all servers rest for maintenance, also over a restart of the node, and those that ran start again', async () => {
      expect((await host.runtime.maintain(true)).outcome).toBe('ok');
      await until(async () => (await read()).halt?.reason === 'maintenance');
      expect(processesOf(ID)).toEqual([]);
      await host.end('SIGKILL');
      await host.start();
      await until(async () => (await host.runtime.power(ID, 'start')).outcome === 'ok');
      await Bun.sleep(1000);
      expect(await read()).toMatchObject({ state: 'offline', halt: { reason: 'maintenance' } });
      expect(okOf(await host.runtime.machine(null)).maintenance).toBe(true);
      await host.runtime.maintain(false);
      await reaches('running');
      expect(await read(OTHER)).toMatchObject({ state: 'offline' });
    });

    test('N5 below the reserve of the disk nothing starts, and whoever grows most is stopped', async () => {
      writeFileSync(
        join(home(OTHER), 'index.ts'),
        'import { appendFileSync } from "node:fs"; setInterval(() => appendFileSync("log", new Uint8Array(100_000)), 100);',
      );
      await until(async () => (await host.runtime.power(OTHER, 'start')).outcome === 'ok');
      await until(() => existsSync(join(home(OTHER), 'log')));
      await host.runtime.machine(okOf(await host.runtime.machine(null)).disk.total);
      await until(async () => (await read(OTHER)).halt?.reason === 'reserve');
      await until(() => processesOf(OTHER).length === 0);
      expect(await pageAt(TAKEN_PORT)).toContain('It works');
      await until(async () => (await host.runtime.power(OTHER, 'start')).outcome === 'ok');
      await Bun.sleep(1000);
      expect(await read(OTHER)).toMatchObject({ state: 'offline', halt: { reason: 'reserve' } });
      await host.runtime.machine(0);
      rmSync(join(home(OTHER), 'log'));
    });

    test('a suspended server stops and does not start, until it is resumed', async () => {
      await host.runtime.put(specOf(ID, TAKEN_PORT, { revision: 3, suspended: true }));
      await reaches('offline');
      await host.runtime.power(ID, 'start');
      await Bun.sleep(500);
      expect(processesOf(ID)).toEqual([]);
      await host.runtime.put(specOf(ID, TAKEN_PORT, { revision: 4 }));
      await until(async () => (await host.runtime.power(ID, 'start')).outcome === 'ok');
      await reaches('running');
    });

    test('a second installation writes over its own files, and keeps what was changed in them beside it', async () => {
      writeFileSync(join(home(), 'public', 'index.html'), 'my own page');
      writeFileSync(join(home(), 'public', 'mine.html'), 'another page');
      for (const installation of [2, 3]) {
        await host.runtime.put(specOf(ID, TAKEN_PORT, { revision: 3 + installation, installation }));
        await until(async () => (await read()).revision === 3 + installation && (await read()).state === 'running');
      }
      expect(await pageAt(TAKEN_PORT)).toContain('It works');
      expect(await pageAt(TAKEN_PORT, '/mine.html')).toBe('another page');
      expect(readdirSync(join(home(), 'public')).sort()).toEqual([
        'index.html',
        'index.html.~1~',
        'mine.html',
        'shadow',
      ]);
      expect(readFileSync(join(home(), 'public', 'index.html.~1~'), 'utf8')).toBe('my own page');
    });

    test('N22 an installation that fails is one that failed, with its words in the console', async () => {
      const spec = { revision: 8, installation: 5 };
      await host.runtime.power(OTHER, 'kill');
      await reaches('offline', OTHER);
      rmSync(join(home(OTHER), 'index.ts'));
      mkdirSync(join(home(OTHER), 'index.ts'));
      await host.runtime.put(specOf(OTHER, OTHER_PORT, { recipe: 'bun-app', ...spec }));
      await reaches('install_failed', OTHER);
      expect(okOf(await host.runtime.console(OTHER, 0, 0)).lines.some(({ text }) => text.includes('index.ts'))).toBe(
        true,
      );
      await host.runtime.power(OTHER, 'start');
      await until(async () => (await read(OTHER)).halt?.reason === 'not_installed');
      rmdirSync(join(home(OTHER), 'index.ts'));
      await host.runtime.put(specOf(OTHER, OTHER_PORT, { recipe: 'bun-app', revision: 9, installation: 6 }));
      await reaches('running', OTHER);
      await host.runtime.power(OTHER, 'kill');
      await reaches('offline', OTHER);
    });

    test.each([
      ['node-app', '/usr/bin/node'],
      ['python-app', '/usr/bin/python3'],
      ['java-app', '/usr/bin/java'],
    ] as const)(
      'a %s runs with the machine’s own program, or the machine says that it lacks it',
      async (recipe, program) => {
        if (!existsSync(program)) {
          expect(okOf(await host.runtime.machine(null)).lacking.map((each) => each.recipe)).toContain(recipe);
          return;
        }
        await host.runtime.put(specOf(APP, APP_PORT, { recipe, memory: 512 }));
        await reaches('running', APP);
        if (recipe === 'java-app') {
          const said = async () => okOf(await host.runtime.console(APP, 0, 0)).lines.map(({ text }) => text);
          await until(async () => (await said()).some((line) => line.startsWith('Upload your program as server.jar')));
          copyFileSync(join(import.meta.dir, 'hello.jar'), join(home(APP), 'server.jar'));
        }
        let page = '';
        await until(async () => {
          page = (await pageAt(APP_PORT, '/over/there')) ?? '';
          return page !== '';
        }, 60_000);
        expect(page).toContain('You asked for /over/there');
        expect((await host.runtime.remove(APP)).outcome).toBe('ok');
      },
    );

    test('less memory than a server uses ends nothing: it counts from its next start', async () => {
      const before = processesOf(ID);
      expect(
        (await host.runtime.put(specOf(ID, TAKEN_PORT, { revision: 7, installation: 3, memory: 2 }))).outcome,
      ).toBe('ok');
      await Bun.sleep(500);
      expect(processesOf(ID)).toEqual(before);
      expect(await pageAt(TAKEN_PORT)).toContain('It works');
      await host.runtime.put(specOf(ID, TAKEN_PORT, { revision: 8, installation: 3 }));
    });

    test('N4 a server over its disk limit is stopped, and does not start before it is below', async () => {
      writeFileSync(join(home(), 'big'), Buffer.alloc(70 << 20));
      await reaches('offline');
      await until(async () => (await host.runtime.power(ID, 'start')).outcome === 'ok');
      await Bun.sleep(500);
      await until(async () => (await read()).state === 'offline');
      expect((await read()).halt?.reason).toBe('disk_full');
      rmSync(join(home(), 'big'));
      await until(async () => (await host.runtime.power(ID, 'start')).outcome === 'ok');
      await reaches('running');
    });

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
      symlinkSync('/etc', join(home(), 'etc'));
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
