import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { LOCALES } from '#shared/i18n/locales.ts';
import { probeMachine } from '../../server/node/probe.ts';
import {
  DESKTOP,
  PHONE,
  call,
  expect,
  install,
  openVisitor,
  overflowOf,
  ready,
  setupCode,
  signUp,
  test,
  watch,
  type Visitor,
} from './fixtures.ts';
import { endServersOf, openPage, textAt } from './servers-here.ts';

/** The owner of a server that really runs and a friend, side by side: shared, used, changed, ended. */
const { lacks } = probeMachine();
const ends: (() => Promise<unknown>)[] = [];
test.afterAll(async () => {
  for (const end of ends) await end();
});
const ADDRESS = '127.0.0.1:25825';
const OTHER_ADDRESS = '127.0.0.1:25826';

async function look(page: Page, what: string): Promise<void> {
  if (process.env.E2E_LOOK) await page.screenshot({ path: `${process.env.E2E_LOOK}-${what}.png`, fullPage: true });
}

/** Lets the owner, who may change limits, have two ports. */
async function allowPorts(page: Page): Promise<void> {
  const { id } = (await call<{ user_info: { id: string } }>(page, 'GET', '/api/user/session')).user_info;
  const has = { memory: 1024, disk: 5120, cpu: 100, slots: 1, ports: 1, databases: 0, backups: 0 };
  const seen = Object.fromEntries(Object.entries(has).map(([kind, amount]) => [`seen_${kind}`, amount]));
  await call(page, 'POST', `/api/admin/users/${id}/limits`, { ...has, ports: 2, ...seen });
}

/** A server of a Bun app that runs, made as its owner would by the API. Out: its id. */
async function makeServer(page: Page): Promise<string> {
  const { locations, categories } = await call<{
    locations: { id: string }[];
    categories: {
      id: string;
      eggs: { id: string; name: string; variables: { env: string; default_value: string }[] }[];
    }[];
  }>(page, 'GET', '/api/servers/options');
  const found = categories.flatMap(({ id, eggs }) => eggs.map((egg) => ({ ...egg, category_id: id })));
  const egg = found.find(({ name }) => name === 'Bun app');
  const { id } = await call<{ id: string }>(page, 'POST', '/api/servers', {
    name: 'Lanternwood',
    description: '',
    location_id: locations[0]?.id,
    category_id: egg?.category_id,
    egg_id: egg?.id,
    memory: 512,
    disk: 1024,
    cpu: 50,
    ports: 2,
    databases: 0,
    backups: 0,
    variables: Object.fromEntries((egg?.variables ?? []).map(({ env, default_value: value }) => [env, value])),
    auto_renew: false,
  });
  await expect.poll(() => textAt(ADDRESS)).not.toBeNull();
  return id;
}

/** The pages of sharing in every language, at two widths: nothing sticks out, nothing is complained of. */
async function inEveryLanguage(page: Page, paths: readonly string[], name: string): Promise<void> {
  const complaints = watch(page);
  for (const locale of LOCALES) {
    await page.evaluate((saved) => localStorage.setItem('preferredLocale', saved), locale.toUpperCase());
    await page.context().addCookies([{ name: 'locale', value: locale, url: new URL(page.url()).origin }]);
    for (const path of paths) {
      await openPage(page, path);
      expect(await page.evaluate(() => document.documentElement.lang)).toBe(locale === 'md' ? 'ro-MD' : locale);
      for (const summary of await page.locator('.sp-disclose > summary').all()) await summary.click();
      for (const width of [360, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await overflowOf(page), `${path} in ${locale} at ${width}`).toBeLessThanOrEqual(0);
      }
      await look(page, `${name}-${locale}-${paths.indexOf(path)}`);
    }
  }
  await page.evaluate(() => localStorage.setItem('preferredLocale', 'EN'));
  await page.context().addCookies([{ name: 'locale', value: 'en', url: new URL(page.url()).origin }]);
  expect(complaints).toEqual([]);
}

/** Makes the friend one of staff, who works on the owner’s server from the admin area: the owner sees it as staff’s. */
async function workAsStaff(owner: Visitor, friend: Visitor, id: string): Promise<void> {
  const { page } = friend;
  const role = { name: 'Helpers', color: '#1f6feb', rank: 10, is_default: false, template: null };
  const { id: roleId } = await call<{ id: string }>(owner.page, 'POST', '/api/admin/roles', role);
  for (const permission of ['admin.servers.list', 'admin.servers.edit'])
    await call(owner.page, 'POST', `/api/admin/roles/${roleId}/permissions`, { permission });
  const { id: userId } = (await call<{ user_info: { id: string } }>(page, 'GET', '/api/user/session')).user_info;
  await call(owner.page, 'POST', `/api/admin/users/${userId}/role`, { role: roleId });

  await openPage(page, `/mc-admin/servers/${id}`);
  await friend.seen('a server of somebody else in the admin area');
  await look(page, 'staff-admin');
  await page.getByRole('link', { name: 'Open console and files' }).click();
  await expect(page.getByText('You work on mirela’s server as staff.')).toBeVisible();
  await expect(page.getByText('Server of mirela', { exact: false })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Leave', exact: true })).toBeHidden();
  const log = page.getByRole('log', { name: 'Console output' });
  const command = page.getByLabel('Command', { exact: true });
  await expect(command).toBeVisible();
  await expect(async () => {
    await command.fill('say from staff');
    await command.press('Enter');
    await expect(log.getByText('say from staff').first()).toBeVisible({ timeout: 5000 });
  }).toPass();
  await page.getByRole('list', { name: 'Files' }).getByRole('button', { name: 'index.ts', exact: true }).click();
  await expect(page.getByLabel('Text of index.ts')).toBeVisible();
  await friend.seen('a server that staff work on');
  await look(page, 'staff-desktop');
  await page.setViewportSize(PHONE.viewport);
  await friend.seen('a server that staff work on, on a phone');
  await look(page, 'staff-phone');
  await inEveryLanguage(page, [`/server/${id}/shared`], 'staff');
  await openPage(page, `/server/${id}/shared`);
  await page.getByRole('link', { name: 'Back to the admin area' }).click();
  await page.waitForURL(`**/mc-admin/servers/${id}`);
  await expect(page.getByText('Commands sent').first()).toBeVisible();

  await openPage(owner.page, `/server/${id}`);
  const activity = owner.page.getByRole('list', { name: 'Activity' });
  await expect(activity.getByRole('listitem').filter({ hasText: 'Looked at' }).first()).toContainText('by staff');
  await expect(activity.getByRole('listitem').filter({ hasText: 'Commands sent' }).first()).toContainText('by staff');
  await look(owner.page, 'owner-staff');
  await openPage(owner.page, '/mc-admin/audit');
  await expect(owner.page.getByText('vlad sent a command to the server Lanternwood').first()).toBeVisible();
  await expect(owner.page.getByText('vlad opened the server Lanternwood').first()).toBeVisible();
}

test('an owner shares a running server with a friend, who works on it until that ends', async ({ browser }) => {
  const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-servers-'));
  const env = { RUNTIME: 'auto', SERVERS_DIR: folder, SERVER_PORTS: '25825-25826', DATA_DIR: join(folder, 'data') };
  const host = await install(env);
  ends.push(() => host.stop());
  if (lacks.length > 0) {
    expect(host.output()).toContain('Servers are imitated');
    return;
  }
  ends.push(async () => endServersOf(folder));
  const owner = await openVisitor(browser, host, DESKTOP);
  await signUp(owner.page, 'mirela', setupCode(host));
  const friend = await openVisitor(browser, host, PHONE);
  await signUp(friend.page, 'vlad');
  await allowPorts(owner.page);
  const id = await makeServer(owner.page);

  // To the friend there is no such server, and nothing of sharing on the dashboard.
  await openPage(friend.page, '/dashboard');
  await expect(friend.page.getByText('Shared with you')).toBeHidden();
  const statusOf = (path: string) => friend.page.evaluate((where) => fetch(where).then(({ status }) => status), path);
  expect(await statusOf(`/api/shared-servers/${id}`)).toBe(404);

  const { page } = owner;
  await openPage(page, `/server/${id}`);
  await page.getByText('Add a sub-user').click();
  const field = page.getByLabel('Username');
  await field.fill('nobody-here');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await owner.seen('a name that nobody has');
  await look(page, 'owner-refused');
  await openPage(friend.page, '/dashboard');
  await field.fill('vlad');
  await page.getByRole('checkbox', { name: 'See files' }).check();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const list = page.getByRole('list', { name: 'Sub-users' });
  await expect(list.getByText('See the console · See files')).toBeVisible();
  await owner.seen('a server with a sub-user');
  await look(page, 'owner');

  // The friend's dashboard shows it without being asked again.
  const row = friend.page.getByRole('list', { name: 'Shared with you' }).getByRole('link', { name: /Lanternwood/ });
  await expect(row).toBeVisible();
  await friend.seen('a dashboard with a shared server');
  await look(friend.page, 'friend-dashboard');
  await row.click();
  await expect(friend.page.getByText('Shared by mirela', { exact: false })).toBeVisible();
  const log = friend.page.getByRole('log', { name: 'Console output' });
  await expect(log).toBeVisible();
  await expect(friend.page.getByLabel('Command', { exact: true })).toBeHidden();
  await expect(friend.page.getByRole('button', { name: 'Restart' })).toBeHidden();
  await expect(friend.page.getByRole('list', { name: 'Files' }).getByText('index.ts')).toBeVisible();
  await expect(friend.page.getByRole('button', { name: 'Upload' })).toBeHidden();
  await expect(friend.page.getByRole('heading', { name: 'Backups' })).toBeHidden();
  await friend.seen('a shared server on a phone');
  await look(friend.page, 'friend-phone');
  // The owner's link leads there too.
  await friend.page.goto(`/server/${id}`);
  await friend.page.waitForURL(`**/server/${id}/shared`);
  await ready(friend.page);

  // More rights: the page of the friend follows by itself.
  await list.getByText('Change vlad').click();
  await list.getByRole('checkbox', { name: 'Send commands' }).check();
  await list.getByRole('checkbox', { name: 'Start and stop' }).check();
  await list.getByRole('checkbox', { name: 'Change files' }).check();
  await list.getByRole('button', { name: 'Save' }).click();
  const command = friend.page.getByLabel('Command', { exact: true });
  await expect(command).toBeVisible();
  await command.fill('say hello');
  await command.press('Enter');
  await expect(log.getByText('say hello').first()).toBeVisible();
  await friend.page.getByRole('button', { name: 'New folder' }).click();
  await friend.page.getByRole('dialog').getByLabel('Name').fill('plugins');
  await friend.page.getByRole('dialog').getByRole('button', { name: 'OK' }).click();
  await expect(friend.page.getByRole('list', { name: 'Files' }).getByText('plugins')).toBeVisible();
  await friend.page.getByRole('button', { name: 'Restart' }).click();
  await friend.page.getByRole('alertdialog').getByRole('button', { name: 'Restart' }).click();
  const activity = page.getByRole('list', { name: 'Activity' });
  await expect(activity.getByRole('listitem').filter({ hasText: 'Restarted' })).toContainText('by vlad');
  await expect(activity.getByRole('listitem').filter({ hasText: 'Commands sent' })).toContainText('by vlad');
  await expect(activity.getByRole('listitem').filter({ hasText: 'Files changed' })).toContainText('by vlad');
  await expect.poll(() => textAt(ADDRESS)).not.toBeNull();
  await friend.page.setViewportSize(DESKTOP.viewport);
  await friend.seen('a shared server with all that is open');
  await look(friend.page, 'friend-desktop');
  await look(page, 'owner-activity');

  // Another port: players are given its address at once, and the server listens there from its next start.
  await page.getByRole('button', { name: `Make primary: ${OTHER_ADDRESS}` }).click();
  await expect(page.getByText(`Saved. Players connect at ${OTHER_ADDRESS} from the next start.`)).toBeVisible();
  await expect(page.getByRole('list', { name: 'Ports' }).getByRole('listitem').first()).toContainText(OTHER_ADDRESS);
  await expect(activity.getByRole('listitem').filter({ hasText: 'primary port' })).toBeVisible();
  await expect(friend.page.getByRole('list', { name: 'Ports' }).getByRole('listitem').first()).toContainText(
    OTHER_ADDRESS,
  );
  await owner.seen('ports of which one was chosen');
  await look(page, 'owner-port');
  expect(await textAt(ADDRESS)).not.toBeNull();
  await friend.page.getByRole('button', { name: 'Restart' }).click();
  await friend.page.getByRole('alertdialog').getByRole('button', { name: 'Restart' }).click();
  await expect.poll(() => textAt(OTHER_ADDRESS)).not.toBeNull();
  expect(await textAt(ADDRESS)).toBeNull();

  await inEveryLanguage(page, [`/server/${id}`], 'owner');
  await inEveryLanguage(friend.page, ['/dashboard', `/server/${id}/shared`], 'friend');
  await openPage(friend.page, `/server/${id}/shared`);
  await expect(log).toBeVisible();

  // The end of it is there at once, also for who reads the console.
  await page.setViewportSize(DESKTOP.viewport);
  await openPage(page, `/server/${id}`);
  await list.getByText('Change vlad').click();
  await list.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(list).toBeHidden();
  await expect(log).toBeHidden();
  await openPage(friend.page, '/dashboard');
  await expect(friend.page.getByText('Shared with you')).toBeHidden();
  expect(await statusOf(`/api/shared-servers/${id}`)).toBe(404);
  const told = await call<{ items: { kind: string }[] }>(friend.page, 'GET', '/api/notifications');
  expect(JSON.stringify(told)).toContain('subuserRemoved');
  await workAsStaff(owner, friend, id);
  expect(owner.complaints).toEqual([]);

  await call(page, 'DELETE', `/api/servers/${id}`, { name: 'Lanternwood' });
  await expect.poll(() => readdirSync(folder).filter((name) => name.length === 36)).toEqual([]);
  await owner.context.close();
  await friend.context.close();
});
