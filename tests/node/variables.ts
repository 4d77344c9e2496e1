import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RECIPE_IDS } from '#server/panel/index.ts';
import { okOf } from '../conformance/panel.world.ts';
import { pageAt, specOf, until, type NodeProcess } from './node-process.ts';

const ID = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c06';
const PORT = 25_806;
const APP = `Bun.serve({ hostname: '0.0.0.0', port: Number(process.env.SERVER_PORT), fetch: () => Response.json(process.env) });`;

/** Tests of the variables of a server, on a node that runs: its process finds them, and nothing else reads them. */
export function testVariables(host: NodeProcess): void {
  const spec = (revision: number, environment: Record<string, string>) =>
    specOf(ID, PORT, { recipe: RECIPE_IDS[1], revision, environment });
  const reaches = (wanted: string) => until(async () => okOf(await host.runtime.read(ID)).state === wanted);
  const power = (signal: 'stop' | 'start') =>
    until(async () => (await host.runtime.power(ID, signal)).outcome === 'ok');
  const found = async (): Promise<Record<string, string>> => {
    await until(async () => (await pageAt(PORT)) !== null);
    return JSON.parse((await pageAt(PORT)) ?? '{}');
  };
  async function again(): Promise<void> {
    await power('stop');
    await reaches('offline');
    await power('start');
    await reaches('running');
  }

  describe('variables of a server', () => {
    beforeAll(async () => {
      await host.runtime.put(spec(1, { GREETING: 'hello' }));
      await reaches('running');
      writeFileSync(join(host.folder, ID, 'home', 'index.ts'), APP);
      await again();
    });
    afterAll(() => host.runtime.remove(ID));

    test('N23 a variable is a value to the process of its server, whatever is in it', async () => {
      const hostile = { A: '$(touch /tmp/x)', B: '`id`; "\'', C: 'two\nlines', D: 'x'.repeat(1000), E: '', F: '%s\\0' };
      await host.runtime.put(spec(2, hostile));
      // It counts from the next start.
      expect(await found()).toMatchObject({ GREETING: 'hello' });
      await again();
      const { GREETING, ...rest } = await found();
      expect(GREETING).toBeUndefined();
      expect(rest).toMatchObject(hostile);
    });

    test('no variable takes the place of what a server is begun with', async () => {
      const taken = { PATH: '/tmp', HOME: '/', SERVER_PORT: '1', SERVER_IP: '::', BUN_BE_BUN: '', MY_OWN: 'kept' };
      await host.runtime.put(spec(3, taken));
      await again();
      expect(await found()).toMatchObject({
        PATH: '/opt/spawnpoint:/usr/bin:/bin',
        HOME: '/home/container',
        SERVER_PORT: String(PORT),
        SERVER_IP: '0.0.0.0',
        MY_OWN: 'kept',
      });
    });

    test('a name or a value that no process takes is refused before anything is changed', async () => {
      for (const environment of [{ 'A=B': 'x' }, { '': 'x' }, { lower: 'x' }, { A: 'a\0b' }, { A: 'x'.repeat(1001) }])
        expect((await host.runtime.put(spec(4, environment as never))).outcome).toBe('refused');
      expect(JSON.parse(readFileSync(join(host.folder, ID, 'spec.json'), 'utf8'))).toMatchObject({ revision: 3 });
    });

    test('N16 variables are still those after the node was killed, and a server of an earlier version has none', async () => {
      await host.end('SIGKILL');
      const path = join(host.folder, ID, 'spec.json');
      const { environment, ...earlier } = JSON.parse(readFileSync(path, 'utf8'));
      expect(environment).toMatchObject({ MY_OWN: 'kept' });
      writeFileSync(path, JSON.stringify(earlier));
      await host.start();
      await again();
      const { MY_OWN } = await found();
      expect(MY_OWN).toBeUndefined();
    });
  });
}
