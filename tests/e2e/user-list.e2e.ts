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
