import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { accessible, call, expect, overflowOf, ready, setupCode, test, watch, type Installation } from './fixtures.ts';

test.use({ file: 'user-list' });

/** What staff do with the list of users: filter it, choose columns, take it as a file, and command several at once. */
const SIZES = [
  { width: 1440, height: 900, theme: 'dark' },
  { width: 360, height: 740, theme: 'light' },
] as const;

/** Registers somebody from a browser of their own. */
async function signUp(browser: Browser, host: Installation, username: string, setup?: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: SIZES[0], baseURL: host.url })).newPage();
  await page.goto('/auth/login');
  const person = {
    username,
    email: `${username}@example.com`,
    password: 'plough lantern meadow seven',
    first_name: 'Mirela',
    last_name: 'Vega',
    terms: true,
  };
  await call(page, 'POST', '/api/auth/register', setup === undefined ? person : { ...person, setup });
  return page;
}

async function seen(page: Page, what: string): Promise<void> {
  for (const { width, height, theme } of SIZES) {
    await page.setViewportSize({ width, height });
    await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
    await ready(page);
    await accessible(page, `${what} (${width})`);
    const overflow = await overflowOf(page);
    expect(overflow, `${what}: nothing sticks out sideways at ${width}`).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize(SIZES[0]);
}

test('Screen 3 staff narrow the list of users, choose its columns, export it, and give several a role and write to them', async ({
  browser,
  host,
}) => {
  const page = await signUp(browser, host, 'the.owner', setupCode(host));
  for (const name of ['lantern', 'meadow']) await (await signUp(browser, host, name)).context().close();
  const complaints = watch(page);
  await page.goto('/mc-admin/users?sort=username');
  await ready(page);
  await expect(page.getByText('3 users')).toBeVisible();
  await page.getByRole('button', { name: 'Columns' }).click();
  await seen(page, 'the menu of columns');
  await page.getByRole('menuitemcheckbox', { name: 'Second factor' }).click();
  await expect(page.getByRole('columnheader', { name: 'Second factor' })).toBeVisible();
  await page.getByLabel('Spending').selectOption('true');
  await expect(page).toHaveURL(/unspent=true/);
  await page.getByLabel('Last seen').selectOption('week');
  await expect(page).toHaveURL(/unspent=true.*seen=week.*columns=/);
  await expect(page.getByRole('columnheader', { name: 'Last seen' })).toHaveAttribute('aria-sort', 'descending');
  await seen(page, 'the narrowed list');
  await page.getByLabel('Last seen').selectOption('never');
  await expect(page.getByRole('heading', { name: 'No results' })).toBeVisible();
  await page.getByRole('link', { name: 'Clear' }).click();
  await expect(page).toHaveURL(/columns=/);
  await expect(page.getByText('3 users')).toBeVisible();

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export as CSV' }).click();
  expect((await download).suggestedFilename()).toMatch(/^users-\d{4}-\d{2}-\d{2}\.csv$/);

  const select = async (...names: readonly string[]) => {
    for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  };
  await select('lantern', 'meadow', 'the.owner');
  await page.getByRole('button', { name: 'Give a role' }).click();
  await seen(page, 'the dialog of the role');
  await page.getByRole('dialog').getByLabel('Role', { exact: true }).selectOption({ label: 'VIP' });
  await page.getByRole('dialog').getByRole('button', { name: 'Give a role' }).click();
  await expect(page.getByText('2 users have the role now.')).toBeVisible();
  await expect(page.getByText('Not done for 1 user.')).toBeVisible();
  await expect(page.getByRole('cell', { name: 'VIP' })).toHaveCount(2);
  await select('lantern', 'meadow');
  await seen(page, 'the bar of the commands');
  await page.getByRole('button', { name: 'Write an e-mail' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await expect(dialog.getByLabel('Subject')).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByLabel('Subject').fill('Maintenance tonight');
  await dialog.getByLabel('Message').fill('The servers are away for an hour.');
  await seen(page, 'the dialog of the e-mail');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByText('2 e-mails are on their way.')).toBeVisible();
  await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(0);
  expect(complaints).toEqual([]);
});

/** Has so many users in the database, whose names begin with `crowd` and whose addresses are not confirmed. */
function addCrowd(host: Installation, count: number): void {
  const database = new Database(join(host.dataDir, 'spawnpoint.db'));
  const taken = `(username, username_key, email, email_key, id, password_hash, first_name, last_name, role_id, locale,
    status, verified_ms, terms_ms, password_version, created_ms, updated_ms)`;
  database.transaction(() => {
    database.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO users ${taken} SELECT printf('crowd%05d', i), printf('crowd%05d', i), printf('c%05d@example.com', i),
         printf('c%05d@example.com', i), printf('01890000-0000-7000-8000-%012d', i), password_hash, 'Ann', 'Lee', role_id,
         locale, 'active', NULL, terms_ms, 1, created_ms, updated_ms
       FROM n, (SELECT * FROM users WHERE username = 'lantern') AS lantern`,
      [count],
    );
    database.run(
      "INSERT INTO ledger_balances (account, balance) SELECT 'user:' || id, 0 FROM users WHERE username LIKE 'crowd%'",
    );
  })();
  database.close();
}

test('staff command all users who match, see how far it has come, and cancel it', async ({ browser, host }) => {
  addCrowd(host, 6000);
  const context = await browser.newContext({ viewport: SIZES[0], baseURL: host.url });
  const page = await context.newPage();
  await page.goto('/auth/login');
  await call(page, 'POST', '/api/auth/login', { login: 'the.owner', password: 'plough lantern meadow seven' });
  const complaints = watch(page);
  await page.goto('/mc-admin/users?q=crowd');
  await ready(page);
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  await page.getByRole('button', { name: 'Select all who match' }).click();
  await expect(page.getByRole('region', { name: 'All 6,000 users who match' })).toBeVisible();
  await page.getByRole('button', { name: 'Confirm addresses' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Confirm addresses' }).click();
  const progress = page.getByRole('progressbar');
  await expect(progress).toBeVisible();
  await expect(page.getByText(/ of 6,000 users/)).toBeVisible();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(page.getByText(/^Stopped after [\d,]+ users?\./)).toBeVisible();
  await seen(page, 'a command that was cancelled');
  await page.reload();
  await ready(page);
  await expect(progress).toHaveCount(0);
  const left = await call<{ count: number }>(page, 'GET', '/api/admin/users/all/count?q=crowd&unverified=true');
  expect(left.count).toBeGreaterThan(0);
  expect(complaints).toEqual([]);
});
