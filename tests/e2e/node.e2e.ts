import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { probeMachine } from '../../server/node/probe.ts';
import { standInSources } from '../support/download-sources.ts';
import { accessible, call, expect, install, overflowOf, PASSPHRASE, test, watch } from './fixtures.ts';
import { endServersOf, lookAt, openPage, textAt } from './servers-here.ts';

/**
 * From the README's first command to a page that the player's own server answers, its console, and kill -9 of the
 * product in between. Where the machine cannot run servers, that is what the command says.
 */
const { lacks } = probeMachine();
const PORTS = '25821-25824';
/** What ends a story, also one that broke off. */
const ends: (() => Promise<unknown>)[] = [];
test.afterAll(async () => {
  for (const end of ends) await end();
});
/** An app that writes in colours and answers what it is sent. */
const APP = `Bun.serve({ hostname: '0.0.0.0', port: Number(process.env.SERVER_PORT), fetch: () => new Response('Lanternwood is open') });
console.log('\\x1b[32mReady\\x1b[0m with <b>no markup</b>');
for (let n = 1; n <= 60; n += 1) console.log('\\x1b[33m[WARN]\\x1b[0m Line ' + n + ' ' + 'long '.repeat(n % 40));
for await (const line of console) console.log('\\x1b[1;36mYou said:\\x1b[0m ' + line);`;

async function register(page: Page, link: string): Promise<void> {
  await openPage(page, link);
  await page.getByLabel('First name').fill('Mirela');
  await page.getByLabel('Last name').fill('Vega');
  await page.getByLabel('Username').fill('mirela');
  await page.getByLabel('E-mail').fill('mirela@example.com');
  await page.getByLabel('Password', { exact: true }).fill(PASSPHRASE);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: /^Create (account|owner account)/ }).click();
  await page.waitForURL('**/mc-admin/setup');
}
/** Lets the owner have two backups, which nobody has unasked. */
async function allowBackups(page: Page): Promise<void> {
  const { id } = (await call<{ user_info: { id: string } }>(page, 'GET', '/api/user/session')).user_info;
  const has = { memory: 1024, disk: 5120, cpu: 100, slots: 1, ports: 1, databases: 0, backups: 0 };
  const seen = Object.fromEntries(Object.entries(has).map(([kind, amount]) => [`seen_${kind}`, amount]));
  await call(page, 'POST', `/api/admin/users/${id}/limits`, { ...has, backups: 2, ...seen });
}
/** Edits the app in the browser, and sees its page; a file goes up, to the bin and back. */
async function edit(page: Page, address: string): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  const files = page.getByRole('list', { name: 'Files' });
  await files.getByRole('button', { name: 'index.ts', exact: true }).click();
  const field = page.getByLabel('Text of index.ts');
  await expect(field).toHaveValue(APP);
  await field.fill(APP.replace('Lanternwood is open', 'Lanternwood is open again'));
  await field.press('Control+s');
  await expect(page.getByText('Saved. Restart the server')).toBeVisible();
  for (const width of [1440, 768, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await accessible(page, `a file at ${width}`);
    expect(await overflowOf(page), `nothing sticks out at ${width}`).toBeLessThanOrEqual(0);
    if (process.env.E2E_LOOK)
      await page.screenshot({ path: `${process.env.E2E_LOOK}-file-${width}.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Back to files' }).click();
  await page.getByRole('button', { name: 'Restart' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restart' }).click();
  await expect.poll(() => textAt(address)).toBe('Lanternwood is open again');

  await page.getByRole('button', { name: 'New folder' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('plugins');
  await page.getByRole('dialog').getByRole('button', { name: 'OK' }).click();
  await files.getByRole('button', { name: 'plugins', exact: true }).click();
  await expect(page.getByText('This folder is empty')).toBeVisible();
  const long = `${'a-plugin-with-a-very-long-name-'.repeat(5)}.jar`;
  const chosen = page.locator('input[type=file]');
  await chosen.setInputFiles([
    { name: long, mimeType: 'application/java-archive', buffer: Buffer.alloc(5_000_000, 7) },
    { name: 'config.yml', mimeType: 'text/yaml', buffer: Buffer.from('motd: hello\n') },
  ]);
  await expect(files.getByText('config.yml')).toBeVisible();
  await expect(files.getByText(long)).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: `Download ${long}` }).click(),
  ]);
  expect(readFileSync(await download.path()).equals(Buffer.alloc(5_000_000, 7))).toBe(true);
  for (const width of [1440, 768, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await accessible(page, `a folder at ${width}`);
    expect(await overflowOf(page), `nothing sticks out at ${width}`).toBeLessThanOrEqual(0);
    if (process.env.E2E_LOOK)
      await page.screenshot({ path: `${process.env.E2E_LOOK}-files-${width}.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Actions for config.yml' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(files.getByText('config.yml')).toBeHidden();
  await page.getByRole('button', { name: 'Bin', exact: true }).click();
  await expect(page.getByText('plugins/config.yml')).toBeVisible();
  await accessible(page, 'a bin');
  if (process.env.E2E_LOOK) await page.screenshot({ path: `${process.env.E2E_LOOK}-bin.png`, fullPage: true });
  await page.getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByText('The bin is empty')).toBeVisible();
  await page.getByRole('button', { name: 'Back to files' }).click();
  await expect(files.getByText('config.yml')).toBeVisible();
}

/** Packs a folder, and unpacks the archive under another name. */
async function packAndUnpack(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Folder' }).getByRole('button', { name: 'Server' }).click();
  const files = page.getByRole('list', { name: 'Files' });
  await page.getByRole('button', { name: 'Actions for plugins', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Pack as ZIP' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'OK' }).click();
  await expect(page.getByText('plugins.zip is packed.')).toBeVisible();
  await page.getByRole('button', { name: 'Actions for plugins.zip' }).click();
  await page.getByRole('menuitem', { name: 'Unpack' }).click();
  await page.getByRole('dialog').getByLabel('New folder').fill('copied');
  await page.getByRole('dialog').getByRole('button', { name: 'OK' }).click();
  await expect(page.getByText('Unpacked into copied.')).toBeVisible();
  await lookAt(page, 'unpacked');
  await files.getByRole('button', { name: 'copied', exact: true }).click();
  await expect(files.getByText('config.yml')).toBeVisible();
}

/** Makes a schedule that sends a command and backs up, runs it, and turns it off. */
async function plan(page: Page): Promise<void> {
  await expect(page.getByText('No schedules yet')).toBeVisible();
  await page.getByRole('button', { name: 'New schedule' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByText('This field is required.')).toBeVisible();
  await form.getByLabel('Name').fill('Every night, with a name that is as long as one may be 60');
  await form.getByLabel('Repeats').selectOption({ label: 'On days of the week' });
  await form.getByLabel('Sun').check();
  await form.getByLabel('Time').fill('03:30');
  await form.getByLabel('Step 1', { exact: true }).selectOption({ label: 'Send a command' });
  await form.getByLabel('Command', { exact: true }).fill('the schedule says hello');
  await form.getByRole('button', { name: 'Add a step' }).click();
  await form.getByLabel('Step 2', { exact: true }).selectOption({ label: 'Back up' });
  await form.getByLabel('Wait before it').selectOption({ label: '5 s' });
  await lookAt(page, 'schedule-form');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toBeHidden();
  const list = page.getByRole('list', { name: 'Schedules', exact: true });
  await expect(list.getByText('Every Monday and Sunday at 03:30')).toBeVisible();
  await page.getByRole('button', { name: /^Actions for Every night/ }).click();
  await page.getByRole('menuitem', { name: 'Run now' }).click();
  await expect(list.getByText(/Last run .*: done$/)).toBeVisible();
  await expect(page.getByRole('log').getByText('the schedule says hello').last()).toBeAttached();
  await page.getByRole('switch', { name: /^Run Every night/ }).click();
  await expect(list.getByText(/^Off · Last run/)).toBeVisible();
  await lookAt(page, 'schedules');
}

/** Makes a backup, changes the page, and sees the one of the backup again; then a second one is locked. */
async function backUp(page: Page, address: string): Promise<void> {
  const looks = (what: string) => lookAt(page, what);
  const make = async (name: string) => {
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByLabel('Name (optional)').fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'Back up now' }).click();
  };
  const list = page.getByRole('list', { name: 'Backups', exact: true });
  await expect(page.getByText('No backups yet')).toBeVisible();
  await looks('no-backups');
  await make('Before the update');
  const menu = page.getByRole('button', { name: 'Actions for Before the update' });
  await expect(menu).toBeVisible();
  const [archive] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download Before the update' }).click(),
  ]);
  expect(archive.suggestedFilename()).toMatch(/^backup-[\d-]+\.tar\.gz$/);
  expect(
    readFileSync(await archive.path())
      .subarray(0, 2)
      .toString('hex'),
  ).toBe('1f8b');

  const field = page.getByLabel('Text of index.ts');
  await page.getByRole('navigation', { name: 'Folder' }).getByRole('button', { name: 'Server' }).click();
  await page.getByRole('list', { name: 'Files' }).getByRole('button', { name: 'index.ts', exact: true }).click();
  await field.fill(APP.replace('Lanternwood is open', 'A bad idea'));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Saved. Restart the server')).toBeVisible();
  await page.getByRole('button', { name: 'Back to files' }).click();
  await page.getByRole('button', { name: 'Restart' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restart' }).click();
  await expect.poll(() => textAt(address)).toBe('A bad idea');
  await expect(async () => {
    await menu.click();
    await page.getByRole('menuitem', { name: 'Restore' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click();
    await expect(list.getByText(/Restored|Being restored/)).toBeVisible({ timeout: 3000 });
  }).toPass();
  await expect.poll(() => textAt(address)).toBe('Lanternwood is open again');
  await expect(list.getByText(/· Restored /)).toBeVisible();

  await make(`A name as long as one may be ${'x'.repeat(31)}`);
  const second = page.getByRole('button', { name: /^Actions for A name/ });
  await expect(second).toBeVisible();
  await expect(page.getByText('2 of 2', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Back up now' })).toBeDisabled();
  await second.click();
  await page.getByRole('menuitem', { name: 'Lock' }).click();
  await expect(list.getByText(/· Locked/)).toBeVisible();
  await looks('backups');
  await menu.click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('1 of 2', { exact: true })).toBeVisible();
}

/** Accepts the machine's one risk, and stops all servers for maintenance and starts them again. */
async function visitMachine(page: Page, url: string, address: string): Promise<void> {
  await openPage(page, `${url}/mc-admin/machine`);
  await expect(page.getByText('Grade B', { exact: true })).toBeAttached();
  await expect(page.getByRole('row', { name: /Lanternwood/ })).toContainText('Running');
  for (const width of [1440, 768, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await accessible(page, `this machine at ${width}`);
    expect(await overflowOf(page), `nothing sticks out at ${width}`).toBeLessThanOrEqual(0);
    if (process.env.E2E_LOOK)
      await page.screenshot({ path: `${process.env.E2E_LOOK}-machine-${width}.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Accept this risk' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Accept this risk' }).click();
  await expect(page.getByText('Players can create servers here.')).toBeVisible();
  await page.getByRole('button', { name: 'Stop all servers' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Stop all servers' }).click();
  await expect(page.getByText('All servers rest.')).toBeVisible();
  await expect.poll(() => textAt(address)).toBeNull();
  await page.getByRole('button', { name: 'End maintenance' }).click();
  await expect.poll(() => textAt(address)).not.toBeNull();
}

/** Creates a Minecraft server, which is loaded, and starts once its owner has accepted the licence. */
async function playMinecraft(page: Page, url: string, address: string): Promise<void> {
  await openPage(page, `${url}/server/create`);
  await page.getByRole('textbox', { name: /^Name/ }).fill('Emberhold');
  await page.getByText(/^Minecraft: Java\s*5$/).click();
  await page.getByRole('radio', { name: /^Paper/ }).check({ force: true });
  await page.getByRole('button', { name: 'Create server' }).click();
  await page.waitForURL(/\/server\/[0-9a-f-]{36}$/);
  const accept = page.getByRole('button', { name: 'I accept the EULA' });
  await expect(accept).toBeVisible();
  const log = page.getByRole('log', { name: 'Console output' });
  await expect(log.getByText('Version 1.21.8')).toBeVisible();
  expect(await textAt(address)).toBeNull();
  for (const width of [1440, 768, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await accessible(page, `a licence at ${width}`);
    expect(await overflowOf(page), `nothing sticks out at ${width}`).toBeLessThanOrEqual(0);
    if (process.env.E2E_LOOK)
      await page.screenshot({ path: `${process.env.E2E_LOOK}-licence-${width}.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await accept.click();
  await expect(log.getByText(/^Done \(/)).toBeVisible();
  await expect(accept).toBeHidden();
  expect(JSON.parse((await textAt(address)) ?? '{}')).toMatchObject({ eula: 'eula=true\n' });
  await expect(page.getByText('Licence accepted', { exact: true })).toBeVisible();
  await expect(page.getByText('Players online', { exact: true })).toBeVisible();
  await expect(page.getByText('Mirela, Vlad and 21 more')).toBeVisible();
  for (const width of [1440, 768, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await accessible(page, `who plays at ${width}`);
    expect(await overflowOf(page), `nothing sticks out at ${width}`).toBeLessThanOrEqual(0);
    if (process.env.E2E_LOOK)
      await page.screenshot({ path: `${process.env.E2E_LOOK}-players-${width}.png`, fullPage: true });
  }
  if (process.env.E2E_LOOK) await page.screenshot({ path: `${process.env.E2E_LOOK}-paper.png`, fullPage: true });
}

test('a first server answers on its port, its console is read and written to, and outlives kill -9', async ({
  browser,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-servers-'));
  const sources = await standInSources();
  ends.push(async () => sources.stop());
  const env = {
    DOWNLOAD_MIRROR: sources.address,
    RUNTIME: 'auto',
    SERVERS_DIR: folder,
    SERVER_PORTS: PORTS,
    DATA_DIR: join(folder, 'data'),
  };
  let host = await install(env);
  ends.push(() => host.stop());
  if (lacks.length === 0) ends.push(async () => endServersOf(folder));
  if (lacks.length > 0) {
    expect(host.output()).toContain('Servers are imitated');
    return;
  }
  expect(host.output()).toContain('Servers run on this machine');
  // The node has root's rights; whoever answers the world has none, and the data folder belongs to them.
  const status = readFileSync(`/proc/${host.process.pid}/status`, 'utf8');
  const user = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]);
  expect(user).toBeGreaterThan(0);
  expect(status).toMatch(/^CapEff:\s+0+$/m);
  expect(statSync(join(folder, 'data', 'spawnpoint.db')).uid).toBe(user);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const complaints = watch(page);
  await register(page, host.setupLink);
  await allowBackups(page);
  await openPage(page, `${host.url}/server/create`);
  await page.getByRole('textbox', { name: /^Name/ }).fill('Lanternwood');
  await page.getByText(/^Websites and apps\s*5$/).click();
  await page.getByRole('radio', { name: /^Bun app/ }).check({ force: true });
  await page.getByLabel('Backups', { exact: true }).fill('2');
  await page.getByRole('button', { name: 'Create server' }).click();
  await page.waitForURL(/\/server\/[0-9a-f-]{36}$/);
  const path = new URL(page.url()).pathname;
  await expect(page.getByRole('log')).toBeVisible();
  await expect(page.getByText('Running', { exact: true }).first()).toBeVisible();
  const address = '127.0.0.1:25821';
  await expect.poll(() => textAt(address)).not.toBeNull();

  const [uuid] = readdirSync(folder).filter((name) => name.length === 36);
  writeFileSync(join(folder, uuid ?? '', 'home', 'index.ts'), APP);
  await page.getByRole('button', { name: 'Restart' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restart' }).click();
  const log = page.getByRole('log', { name: 'Console output' });
  await expect(log.getByText('Ready', { exact: true })).toHaveAttribute('data-ansi', 'green');
  await expect(log.getByText('with <b>no markup</b>')).toHaveCount(1);
  expect(await textAt(address)).toBe('Lanternwood is open');

  const command = page.getByLabel('Command', { exact: true });
  await command.fill('say hello');
  await command.press('Enter');
  await expect(log.getByText('You said:').first()).toHaveAttribute('data-ansi', 'cyan bold');
  await expect(command).toHaveValue('');
  await command.press('ArrowUp');
  await expect(command).toHaveValue('say hello');
  await page.getByLabel('Search the console').fill('LINE 5');
  await expect(page.getByText('11 lines found')).toBeVisible();
  await expect(log.locator('mark').first()).toHaveText('Line 5');
  await page.getByLabel('Search the console').fill('');
  for (const width of [1440, 768, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await accessible(page, `a console at ${width}`);
    expect(await overflowOf(page), `nothing sticks out at ${width}`).toBeLessThanOrEqual(0);
    if (process.env.E2E_LOOK) await page.screenshot({ path: `${process.env.E2E_LOOK}-${width}.png`, fullPage: true });
  }
  if (process.env.E2E_LOOK) {
    await context.addCookies([{ name: 'theme', value: 'light', url: host.url }]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.reload();
    await expect(log.getByText('You said:').first()).toBeVisible();
    await accessible(page, 'a console in the light theme');
    await page.screenshot({ path: `${process.env.E2E_LOOK}-light.png`, fullPage: true });
  }
  await edit(page, address);
  await packAndUnpack(page);
  await backUp(page, address);
  await plan(page);
  await visitMachine(page, host.url, address);
  expect(complaints).toEqual([]);

  const { url } = host;
  const gone = new Promise((resolve) => host.process.once('exit', resolve));
  host.process.kill('SIGKILL');
  await gone;
  expect(await textAt(address)).toBe('Lanternwood is open again');
  host = await install({ ...env, PORT: new URL(url).port });
  await openPage(page, `${url}${path}`);
  // The console is hydrated after the page is: what is written into it before that is lost.
  await expect(async () => {
    await command.fill('still there');
    await command.press('Enter');
    await expect(log.getByText('still there').last()).toBeVisible({ timeout: 5000 });
  }).toPass();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Kill' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Kill' }).click();
  await expect(log.getByText('Stopped', { exact: true }).last()).toBeVisible();
  // The line may be that of the restart before.
  await expect.poll(() => textAt(address)).toBeNull();
  await command.fill('nobody reads this');
  await command.press('Enter');
  await expect(page.getByText('The server isn’t running. Start it first.')).toBeVisible();

  await openPage(page, `${url}${path}/delete`);
  await page.getByRole('textbox').first().fill('Lanternwood');
  await page
    .getByRole('button', { name: /Delete/ })
    .last()
    .click();
  await expect.poll(() => readdirSync(folder).filter((name) => name.length === 36)).toEqual([]);
  await playMinecraft(page, url, address);
  await context.close();
});
