import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { okOf } from '../conformance/panel.world.ts';
import { specOf, until, type NodeProcess } from './node-process.ts';

const ID = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c41';
const PORT = 25_841;
const MB = 1_048_576;
/** An emulated machine makes sixteen thousand files in this time. */
const SLOW_MS = 240_000;

/**
 * Tests of the limit of a server's files, by a server that writes as fast as it can. What has to come depends on the
 * disk below the folder of servers: with quotas the kernel refuses, without them the node stops the server.
 * `scripts/emulated-machine.sh` runs them on a disk with quotas.
 */
export function testDiskLimit(host: NodeProcess): void {
  const home = (...path: string[]) => join(host.folder, ID, 'home', ...path);
  const read = async () => okOf(await host.runtime.read(ID));
  const power = (signal: 'start' | 'kill') =>
    until(async () => (await host.runtime.power(ID, signal)).outcome === 'ok');
  const isHeld = async () => okOf(await host.runtime.machine(null)).parts.disk === 'enforced';
  const lines = async () => okOf(await host.runtime.console(ID, 0, 0)).lines.map(({ kind, text }) => `${kind} ${text}`);
  const begun = async () => (await lines()).filter((line) => line === 'state starting').length;
  /** Runs a program as the server until it has ended its work or the node has ended it. Out: what it wrote. */
  async function run(...program: string[]): Promise<readonly string[]> {
    await host.runtime.power(ID, 'kill');
    await until(async () => (await read()).state === 'offline');
    const before = await begun();
    writeFileSync(home('index.ts'), [...program, 'console.log("over"); setInterval(() => {}, 1000);'].join('\n'));
    await power('start');
    await until(async () => (await begun()) > before);
    const said = async () => {
      const all = await lines();
      return all.slice(all.lastIndexOf('state starting')).filter((line) => line.startsWith('out '));
    };
    await until(async () => (await said()).includes('out over') || (await read()).halt !== null, SLOW_MS);
    return said();
  }
  /** Allocates room for files of 20 MB, none of it written, until it is refused. */
  const GRAB = (times: number) => [
    `for (let n = 0; n < ${times}; n += 1) {`,
    '  const { exitCode } = Bun.spawnSync(["fallocate", "-l", "20M", "grab" + n]);',
    '  if (exitCode !== 0) { console.log("refused after", n); break; }',
    '}',
  ];
  const CLEAN = 'Bun.spawnSync(["sh", "-c", "rm -rf grab* names big"]);';

  describe('the limit of the files of a server', () => {
    beforeAll(async () => {
      await host.runtime.put(specOf(ID, PORT, { recipe: 'bun-app', disk: 64 }));
      await until(async () => (await read()).state === 'running');
      // The emulated machine has quotas, whatever the node says.
      if (process.env.DISK_QUOTAS) expect(await isHeld()).toBe(true);
    });
    afterAll(() => host.runtime.remove(ID));

    test('N4 a server that takes much room at once is refused by the kernel where it counts by user, else stopped', async () => {
      const wrote = await run(CLEAN, ...GRAB(50));
      if (await isHeld()) {
        expect(wrote).toEqual(['out refused after 3', 'out over']);
        expect(await read()).toMatchObject({ state: 'running', halt: null });
      } else {
        await until(async () => (await read()).state === 'offline');
        expect(await read()).toMatchObject({ halt: { reason: 'disk_full' } });
      }
    });

    test('N4 files without content have an end as well where the kernel counts by user', async () => {
      writeFileSync(home('index.ts'), '');
      await Bun.spawn(['sh', '-c', 'rm -rf grab*'], { cwd: home() }).exited;
      const most = 64 * 256 + 64;
      const wrote = await run(
        'import { mkdirSync, writeFileSync } from "node:fs";',
        CLEAN,
        'let n = 0; mkdirSync("names");',
        `try { for (; n < ${most + 1000}; n += 1) writeFileSync("names/" + n, ""); } catch (error) { console.log(error.code); }`,
        'console.log(n > 16000);',
        CLEAN,
      );
      expect(wrote).toEqual([...((await isHeld()) ? ['out EDQUOT'] : []), 'out true', 'out over']);
    });

    test('a server with more than half of its limit gets a backup back, and the limit holds afterwards', async () => {
      await run(CLEAN, 'await Bun.write("big", crypto.getRandomValues(new Uint8Array(65536)));', ...GRAB(2));
      const backup = crypto.randomUUID();
      await until(
        async () =>
          (await host.runtime.backups(ID, 'make', { backup, name: '', most: 1, rotate: false })).outcome === 'ok',
      );
      const one = async () => {
        const { value } = okOf(await host.runtime.backups(ID, 'list', {}));
        return value.backups.find(({ id }) => id === backup);
      };
      await until(async () => (await one())?.state === 'ready');
      const before = readFileSync(home('big'));
      await run('Bun.spawnSync(["rm", "big"]);');
      await until(async () => (await host.runtime.backups(ID, 'restore', { backup, stop: true })).outcome === 'ok');
      await until(async () => (await one())?.state === 'ready' && (await read()).state === 'running');
      expect((await one())?.failure).toBeNull();
      expect(readFileSync(home('big')).equals(before)).toBe(true);
      expect(statSync(home('grab1')).size).toBe(20 * MB);
      const wrote = await run(CLEAN, ...GRAB(50));
      if (await isHeld()) expect(wrote).toEqual(['out refused after 3', 'out over']);
      else await until(async () => (await read()).halt?.reason === 'disk_full');
    });

    test('more room counts at once, also after the node was killed, and less room stops what takes more', async () => {
      await Bun.spawn(['sh', '-c', 'rm -rf grab* big'], { cwd: home() }).exited;
      await host.runtime.put(specOf(ID, PORT, { recipe: 'bun-app', disk: 96, revision: 2 }));
      await host.end('SIGKILL');
      await host.start();
      expect(await run(CLEAN, ...GRAB(4))).toEqual(['out over']);
      await host.runtime.put(specOf(ID, PORT, { recipe: 'bun-app', disk: 64, revision: 3 }));
      await host.runtime.power(ID, 'kill');
      await until(async () => (await read()).state === 'offline');
      await power('start');
      await until(async () => (await read()).halt?.reason === 'disk_full');
    });
  });
}
