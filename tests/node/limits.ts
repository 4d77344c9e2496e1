import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { okOf } from '../conformance/panel.world.ts';
import { pageAt, processesOf, specOf, until, type NodeProcess } from './node-process.ts';
import { useWebsiteAndApp } from './website-and-app.ts';

const [WEB, APP] = ['0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c21', '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c22'];
const [PORT, APP_PORT] = [25_821, 25_822];

/** Tests of what a server may see and take of the machine, on a node that runs. */
export function testLimits(host: NodeProcess): void {
  describe('what a server may see and take', () => {
    const { web, app } = useWebsiteAndApp(host, { ids: [WEB, APP], ports: [PORT, APP_PORT] });

    test('N11 a server sees neither files nor processes of the machine, and has no rights', async () => {
      const listener = Bun.listen({ hostname: '0.0.0.0', port: 25_899, socket: { data: () => undefined } });
      await app.run(
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
      );
      let text: string | null = null;
      await until(async () => {
        text = await pageAt(APP_PORT);
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
      symlinkSync('/etc/shadow', web.home('public', 'shadow'));
      expect(await pageAt(PORT, '/shadow')).toBe('Not found\n');
      expect(await pageAt(PORT, '/..%2f..%2f..%2fetc/shadow')).toBe('Not found\n');
    });

    test('N1 a fork bomb stands at its limit, and ends when it is killed', async () => {
      await app.run(
        'for (let n = 0; n < 2000; n += 1) try { Bun.spawn(["/bin/sh", "-c", "sleep 600 & sleep 600"]); } catch {}\nawait Bun.sleep(1e9);',
      );
      await until(() => processesOf(APP).length > 100);
      expect(processesOf(APP).length).toBeLessThanOrEqual(512);
      expect(await pageAt(PORT)).toContain('It works');
      await app.kill();
    });

    test('N2 a server that takes too much memory ends, and no other', async () => {
      await app.run('const all = []; for (;;) { all.push(new Uint8Array(8 << 20).fill(1)); await Bun.sleep(1); }');
      await until(async () => JSON.parse(readFileSync(app.stateFile, 'utf8')).crashes.length > 0);
      expect((await app.read()).halt?.reason).toBe('out_of_memory');
      expect(await pageAt(PORT)).toContain('It works');
      // What ends otherwise after that has its own reason.
      await app.run('process.exit(3)');
      await until(async () => (await app.read()).halt !== null);
      expect((await app.read()).halt?.reason).toBe('crashed');
      await app.kill();
    });

    test('N3 what a server puts into memory as files counts as its memory, and has an end', async () => {
      await app.run(
        'import { writeFileSync, appendFileSync } from "node:fs";',
        'for (const folder of ["/dev/shm", "/tmp"]) {',
        '  try { for (;;) appendFileSync(folder + "/hog", new Uint8Array(4 << 20)); } catch (error) { console.log(folder, error.code); }',
        '}',
        'writeFileSync("done", "");',
        'setInterval(() => {}, 1000);',
      );
      // Both folders together fit; the kernel ends it where its memory does not.
      await until(async () => existsSync(app.home('done')) || (await app.read()).halt !== null);
      const { halt, memory } = await app.read();
      if (halt === null) {
        const lines = okOf(await host.runtime.console(APP, 0, 0)).lines.map(({ text }) => text);
        expect(lines.filter((line) => /^\/(dev\/shm|tmp) E(NOSPC|FBIG)$/.test(line))).toHaveLength(2);
        expect(memory).toBeGreaterThan(100 * 1024 * 1024);
      } else expect(halt.reason).toBe('out_of_memory');
      expect(await pageAt(PORT)).toContain('It works');
      await app.kill();
    });

    test('less memory than a server uses ends nothing: it counts from its next start', async () => {
      const before = processesOf(WEB);
      expect((await host.runtime.put(specOf(WEB, PORT, { revision: 2, memory: 2 }))).outcome).toBe('ok');
      await Bun.sleep(500);
      expect(processesOf(WEB)).toEqual(before);
      expect(await pageAt(PORT)).toContain('It works');
      await host.runtime.put(specOf(WEB, PORT, { revision: 3 }));
    });

    test('N4 a server over its disk limit is stopped, and does not start before it is below', async () => {
      writeFileSync(web.home('big'), Buffer.alloc(70 << 20));
      await web.reaches('offline');
      await web.power('start');
      await Bun.sleep(500);
      await until(async () => (await web.read()).state === 'offline');
      expect((await web.read()).halt?.reason).toBe('disk_full');
      rmSync(web.home('big'));
      await web.power('start');
      await web.reaches('running');
    });

    test('N5 below the reserve of the disk nothing starts, and whoever grows most is stopped', async () => {
      await app.run(
        'import { appendFileSync } from "node:fs"; setInterval(() => appendFileSync("log", new Uint8Array(100_000)), 100);',
      );
      await until(() => existsSync(app.home('log')));
      const { total } = okOf(await host.runtime.machine(null)).disk;
      await host.runtime.machine(total);
      try {
        await app.halts('reserve');
        await app.reaches('offline');
        expect(processesOf(APP)).toEqual([]);
        expect(await pageAt(PORT)).toContain('It works');
        // Killing forgets why it was stopped: what it says afterwards is why it does not start.
        await app.kill();
        expect((await app.read()).halt).toBeNull();
        await app.power('start');
        await app.halts('reserve');
        expect(await app.read()).toMatchObject({ state: 'offline' });
        expect(processesOf(APP)).toEqual([]);
      } finally {
        // Below the reserve nothing of the stories after this one would start.
        await host.runtime.machine(0);
      }
      rmSync(app.home('log'));
    });
  });
}
