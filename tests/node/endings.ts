import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { okOf } from '../conformance/panel.world.ts';
import { killProcessesOf, pageAt, processesOf, until, type NodeProcess } from './node-process.ts';
import { useWebsiteAndApp } from './website-and-app.ts';

const [WEB, APP] = ['0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c23', '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c24'];
const [PORT, APP_PORT] = [25_823, 25_824];
/** Ignores the signals that are to end it, and says so by a file. */
const DEAF = [
  'for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {});',
  'setInterval(() => {}, 1000);',
  'await Bun.write("/home/container/deaf", "");',
];

/** Tests of how a server ends, and of what it is after the node or the machine ended, on a node that runs. */
export function testEndings(host: NodeProcess): void {
  describe('the end of a server', () => {
    const { web, app } = useWebsiteAndApp(host, { ids: [WEB, APP], ports: [PORT, APP_PORT] });
    /** Waits until the app ignores the signals that are to end it; its next start begins without the mark. */
    const isDeaf = async () => {
      await until(() => existsSync(app.home('deaf')));
      rmSync(app.home('deaf'));
    };

    test('N16 its servers live on when the node is killed, and are found again without a second start', async () => {
      const before = processesOf(WEB);
      await host.end('SIGKILL');
      expect(await pageAt(PORT)).toContain('It works');
      await host.start();
      await web.reaches('running');
      expect(processesOf(WEB)).toEqual(before);
      expect(await pageAt(PORT)).toContain('It works');
    });

    test('N16 the node that begins again counts the files of all its servers, also of one that does not run', async () => {
      await app.kill();
      await host.end('SIGKILL');
      await host.start();
      await until(async () => (await web.read()).disk > 0 && (await app.read()).disk > 0);
      expect((await app.read()).state).toBe('offline');
    });

    test('N17 a killed first process ends the rest, and the server starts again', async () => {
      const before = processesOf(WEB);
      process.kill(Number(readFileSync(web.markFile, 'utf8').split(' ')[0]), 'SIGKILL');
      await until(
        async () =>
          (await web.read()).state === 'running' &&
          processesOf(WEB).length === 4 &&
          !before.some((pid) => processesOf(WEB).includes(pid)),
      );
      expect(await pageAt(PORT)).toContain('It works');
    });

    test('N17 what somebody else left in the network of a server ends before it starts, but not under one that runs', async () => {
      const { slot } = JSON.parse(readFileSync(web.stateFile, 'utf8'));
      const other = Bun.spawn(['ip', 'netns', 'exec', `spawn${slot}`, 'sleep', '600']);
      const stands = () =>
        Bun.spawnSync(['ip', 'netns', 'pids', `spawn${slot}`])
          .stdout.toString()
          .split('\n');
      await until(() => stands().includes(String(other.pid)));
      await host.end('SIGKILL');
      await host.start();
      await web.reaches('running');
      expect(stands()).toContain(String(other.pid));
      await web.power('restart');
      await other.exited;
      expect(other.signalCode).toBe('SIGKILL');
      await web.reaches('running');
      expect(await pageAt(PORT)).toContain('It works');
    });

    test('N16 a wire into the network of a server that the killed node left by half is made again', async () => {
      const { slot } = JSON.parse(readFileSync(web.stateFile, 'utf8'));
      const name = `spawn${slot}`;
      await web.kill();
      for (const words of [`del ${name}`, `add ${name} type veth peer name eth0 netns ${name}`])
        expect(Bun.spawnSync(['ip', 'link', ...words.split(' ')]).exitCode).toBe(0);
      await web.power('start');
      await web.reaches('running');
      expect(await pageAt(PORT)).toContain('It works');
    });

    test('N14 a server that ignores every signal is killed at its time', async () => {
      await app.run(...DEAF);
      await app.reaches('running');
      await isDeaf();
      await host.runtime.power(APP, 'stop');
      await app.reaches('stopping');
      await app.reaches('offline');
      expect(processesOf(APP)).toEqual([]);
    });

    test('N16 a restart and a rest for maintenance go on where the node was killed while the server stopped', async () => {
      const killsWhileItStops = async () => {
        await app.reaches('stopping');
        await host.end('SIGKILL');
        await host.start();
      };
      await app.run(...DEAF);
      await app.reaches('running');
      const before = processesOf(APP);
      await isDeaf();
      await host.runtime.power(APP, 'restart');
      await killsWhileItStops();
      await until(async () => (await app.read()).state === 'running' && processesOf(APP)[0] !== before[0]);

      await isDeaf();
      const maintenance = host.runtime.maintain(true);
      await killsWhileItStops();
      await maintenance;
      await app.halts('maintenance');
      expect(processesOf(APP)).toEqual([]);
      await host.runtime.maintain(false);
      await app.reaches('running');
      await app.kill();
    });

    test('N15 what a server leaves running when it ends, ends with it', async () => {
      await app.run(
        'Bun.spawn(["/usr/bin/setsid", "--fork", "/bin/sleep", "600"]); await Bun.sleep(500); process.exit(0);',
      );
      await until(() => processesOf(APP).length > 3);
      // Refused while it begins again, for it ends by itself.
      await app.power('stop');
      await app.reaches('offline');
      expect(processesOf(APP)).toEqual([]);
    });

    test('N19 a process with the number of an earlier one is never taken for it', async () => {
      const mark = web.markFile;
      const own = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ')[19];
      // Neither one that began at another time, nor one that began at the same after a restart of the machine.
      for (const later of [1, 0]) {
        await host.end('SIGKILL');
        writeFileSync(mark, `${process.pid} ${Number(own) + later}\n`);
        await host.start();
        await until(() => existsSync(mark) && !readFileSync(mark, 'utf8').startsWith(`${process.pid} `));
        await web.reaches('running');
        expect(processesOf(WEB).length).toBe(4);
        expect(await pageAt(PORT)).toContain('It works');
      }
    });

    test('N18 after a power cut what ran starts again, and nothing stays in between', async () => {
      await app.kill();
      await host.end('SIGKILL');
      killProcessesOf(WEB);
      await until(() => processesOf(WEB).length === 0);
      const path = app.stateFile;
      writeFileSync(
        path,
        JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), state: 'stopping', wanted: false }),
      );
      await host.start();
      await web.reaches('running');
      await app.reaches('offline');
      expect(processesOf(APP)).toEqual([]);
      expect(await pageAt(PORT)).toContain('It works');
    });

    test('all servers rest for maintenance, also over a restart of the node, and those that ran start again', async () => {
      await app.kill();
      expect((await host.runtime.maintain(true)).outcome).toBe('ok');
      await web.halts('maintenance');
      expect(processesOf(WEB)).toEqual([]);
      await host.end('SIGKILL');
      await host.start();
      await web.power('start');
      await Bun.sleep(1000);
      expect(await web.read()).toMatchObject({ state: 'offline', halt: { reason: 'maintenance' } });
      expect(okOf(await host.runtime.machine(null)).maintenance).toBe(true);
      await host.runtime.maintain(false);
      await web.reaches('running');
      expect(await app.read()).toMatchObject({ state: 'offline' });
    });
  });
}
