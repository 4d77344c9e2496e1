import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPackage } from '#server/plugins/package.ts';
import { PLUGINS_PAGE } from '#server/ssr/api-docs/plugin-guide.ts';
import { REQUEST_KINDS } from '#shared/plugins.ts';
import { roomyFolder } from '#tests/support/folder.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows that the page "A plugin in ten minutes" works as it is written: its files are saved and its commands run in a shell.

setDefaultTimeout(300_000);

let h: Harness;
let server: Bun.Server<undefined>;
let owner: Person;
let folder: string;
beforeAll(async () => {
  h = await openHarness({ plugins: true });
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      return h.http(pathname + search, { headers: request.headers });
    },
  });
  owner = await h.person('olga', { permissions: ['admin.root'] });
  folder = mkdtempSync(join(roomyFolder(), 'spawnpoint-guide-'));
  const main = join(import.meta.dir, '../../server/main.ts');
  writeFileSync(join(folder, 'spawnpoint'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  chmodSync(join(folder, 'spawnpoint'), 0o755);
});
afterAll(async () => {
  await server.stop(true);
  await h.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a block of commands in the folder. Out: what they printed; fails where one of them fails. */
async function shell(code: string): Promise<string> {
  const script = code.replaceAll('{origin}', `http://127.0.0.1:${server.port}`);
  const child = Bun.spawn(['sh', '-e', '-c', script], {
    cwd: folder,
    env: { PATH: `${folder}:${process.env.PATH ?? ''}`, HOME: folder },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${script}\n${out}${err}`);
  return out;
}
async function running(): Promise<void> {
  await h.host.services.pluginRunning.sync();
  const untilMs = performance.now() + 30_000;
  for (;;) {
    const { rows } = await owner.api.adminPlugins.list();
    if (rows.find(({ identifier }) => identifier === 'my-greeter')?.installed?.state === 'running') return;
    if (performance.now() > untilMs) throw new Error('it does not run');
    await Bun.sleep(400);
  }
}

test('the guide leads from nothing to a plugin of its own files that hears an event, has a setting and shows a card', async () => {
  const outputs: string[] = [];
  const ann = await h.person('ann');
  for (const block of PLUGINS_PAGE.blocks) {
    if (!('code' in block)) continue;
    if (block.file !== undefined) writeFileSync(join(folder, block.file), block.code);
    else if (!block.code.includes('/api/plugin/')) outputs.push(await shell(block.code));
    else {
      const { id } = await owner.api.adminPlugins.upload({
        body: new Uint8Array(readFileSync(join(folder, 'my-greeter-1.0.0.spawnpoint'))),
      });
      await owner.api.adminPlugins.install({
        params: { id },
        body: { granted: [...REQUEST_KINDS], credits: null, unsigned: false },
      });
      await running();
      await h.db.uow.run((tx) => h.host.services.events.emit(tx, 'user.verified', { userId: ann.id }));
      await h.host.services.webhooks.sweep();
      for (let round = 0; round < 5; round += 1) await h.host.runner.runDue();
      outputs.push(await shell(block.code));
    }
  }
  const [began, packed, seen] = outputs;
  expect(began).toContain('Wrote my-greeter');
  expect(packed).toContain('nothing is wrong with it');
  expect(JSON.parse(seen ?? '')).toMatchObject({ success: true, answer: '{"count":1}' });
  const received = await h.db.uow.read((tx) => tx.notifications.latest(ann.id, 5));
  expect(received).toMatchObject([{ kind: 'pluginMessage', data: { text: 'Good to have you here!' } }]);
  const { plugin, fields } = await owner.api.adminPlugins.get({ params: { identifier: 'my-greeter' } });
  expect([plugin.installed?.signed, fields.map(({ key }) => key)]).toEqual([true, ['greeting']]);
  expect(h.errors).toEqual([]);
  const { files } = readPackage(readFileSync(join(folder, 'my-greeter-1.0.0.spawnpoint')));
  for (const block of PLUGINS_PAGE.blocks) {
    if (!('code' in block) || block.file === undefined) continue;
    expect(new TextDecoder().decode(files.get(block.file.replace('my-greeter/', '')))).toBe(block.code);
  }
});
