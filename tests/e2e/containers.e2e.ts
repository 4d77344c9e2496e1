import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeMachine } from '../../server/node/probe.ts';
import { hasPodman, IMAGE, TestEngine } from '../node/podman.ts';
import { PTDL_FILE } from '../support/egg-files.ts';
import { call, expect, install, setupCode, signUp, test, watch } from './fixtures.ts';
import { endServersOf, lookAt, openPage, textAt } from './servers-here.ts';

/**
 * From the file of an egg with an image of its own to a page that its server answers out of a container. Where the
 * machine has no Podman or cannot run servers, that is what the import says.
 */
const canRun = probeMachine().lacks.length === 0 && hasPodman();
const ends: (() => Promise<unknown>)[] = [];
test.afterAll(async () => {
  for (const end of ends) await end();
});
const EGG = {
  ...PTDL_FILE,
  name: 'Pages in a container',
  docker_images: { Test: IMAGE },
  startup: 'httpd -h www -p {{SERVER_PORT}}; echo The pages are open; while read -r line; do echo "heard $line"; done',
  config: { ...PTDL_FILE.config, files: '{}', startup: '{"done":"pages are open"}', stop: '^C' },
  scripts: {
    installation: {
      script: 'mkdir -p /mnt/server/www\necho "Hello, $GREETING" > /mnt/server/www/index.html',
      container: IMAGE,
      entrypoint: 'ash',
    },
  },
  variables: [
    {
      ...PTDL_FILE.variables[0],
      name: 'Greeting',
      env_variable: 'GREETING',
      default_value: 'Lanternwood',
      rules: 'required|string|max:40',
    },
  ],
};

test('an egg with an image of its own is imported, and its server answers out of a container', async ({ browser }) => {
  const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-servers-'));
  const engine = new TestEngine();
  if (canRun) await engine.start();
  const host = await install({
    RUNTIME: 'auto',
    SERVERS_DIR: folder,
    SERVER_PORTS: '25841-25844',
    ENGINE_SOCKET: engine.socket,
    DATA_DIR: join(folder, 'data'),
  });
  ends.push(() => host.stop());
  if (canRun)
    ends.push(
      async () => endServersOf(folder),
      () => engine.end(),
    );
  const context = await browser.newContext({ baseURL: host.url, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const complaints = watch(page);
  await signUp(page, 'mirela', setupCode(host));
  await openPage(page, `${host.url}/mc-admin/machine`);
  if (canRun) {
    await expect(page.getByText(/^Podman [\d.]+, at /)).toBeVisible();
    await lookAt(page, 'machine');
  }
  await openPage(page, `${host.url}/mc-admin/eggs/import`);
  await page.getByLabel('Egg file').setInputFiles({
    name: 'egg.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(EGG)),
  });
  await page.getByRole('button', { name: 'Read the file' }).click();
  if (!canRun) {
    await expect(page.getByText('This machine has neither Docker nor Podman ready.')).toBeVisible();
    return;
  }
  await expect(page.getByText('Docker or Podman', { exact: true })).toBeVisible();
  await expect(page.getByText(/^By a script in .*, as root inside its container/)).toBeVisible();
  await lookAt(page, 'import');
  await page.getByLabel('Category').selectOption({ label: 'Websites and apps' });
  await page.getByRole('button', { name: 'Create egg' }).click();
  await page.waitForURL(/\/mc-admin\/eggs\/[0-9a-f-]{36}/);
  const id = /[0-9a-f-]{36}/.exec(page.url())?.[0] ?? '';
  const { row } = await call<{ row: Record<string, unknown> }>(page, 'GET', `/api/admin/eggs/${id}`);
  const {
    id: _,
    category: __,
    servers: ___,
    panels: ____,
    created_at: _____,
    config_files: ______,
    container: _______,
    ...facts
  } = row;
  await call(page, 'PATCH', `/api/admin/eggs/${id}`, { ...facts, enabled: true });

  await openPage(page, `${host.url}/server/create`);
  await page.getByRole('textbox', { name: /^Name/ }).fill('Lanternwood');
  await page.getByText(/^Websites and apps\s*\d+$/).click();
  await page.getByRole('radio', { name: /^Pages in a container/ }).check({ force: true });
  await page.getByRole('button', { name: 'Create server' }).click();
  await page.waitForURL(/\/server\/[0-9a-f-]{36}$/);
  const log = page.getByRole('log', { name: 'Console output' });
  await expect(log.getByText('The pages are open')).toBeVisible();
  await expect(page.getByText('Running', { exact: true }).first()).toBeVisible();
  await expect.poll(() => textAt('127.0.0.1:25841')).toBe('Hello, Lanternwood\n');
  await page.getByLabel('Command', { exact: true }).fill('players');
  await page.keyboard.press('Enter');
  await expect(log.getByText('heard players')).toBeVisible();
  if (process.env.E2E_LOOK) await page.screenshot({ path: `${process.env.E2E_LOOK}-server.png`, fullPage: true });
  expect(complaints).toEqual([]);
});
