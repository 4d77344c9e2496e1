import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'bun:test';
import { okOf } from '../conformance/panel.world.ts';
import { pageAt, serverOf, specOf, until, type NodeProcess } from './node-process.ts';

const ID = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c27';
const PORT = 25_827;

/** Tests of apps in the languages that a machine may have, on a node that runs. */
export function testApps(host: NodeProcess): void {
  const app = serverOf(host, ID);

  describe('an app in a language of the machine', () => {
    afterAll(() => host.runtime.remove(ID));

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
        await host.runtime.put(specOf(ID, PORT, { recipe, memory: 512 }));
        await app.reaches('running');
        if (recipe === 'java-app') {
          const said = async () => okOf(await host.runtime.console(ID, 0, 0)).lines.map(({ text }) => text);
          await until(async () => (await said()).some((line) => line.startsWith('Upload your program as server.jar')));
          copyFileSync(join(import.meta.dir, 'hello.jar'), app.home('server.jar'));
        }
        let page = '';
        await until(async () => {
          page = (await pageAt(PORT, '/over/there')) ?? '';
          return page !== '';
        }, 60_000);
        expect(page).toContain('You asked for /over/there');
        expect((await host.runtime.remove(ID)).outcome).toBe('ok');
      },
    );
  });
}
