import type { Browser, Page } from '@playwright/test';
import { accessible, expect, install, overflowOf, PASSPHRASE, ready, test, watch } from './fixtures.ts';

/** Somebody with a mouse and a keyboard, and how often they needed which. */
interface Visitor {
  readonly page: Page;
  readonly complaints: string[];
  readonly needed: { clicks: number; fields: number };
  click(name: string | RegExp): Promise<void>;
  fill(label: string | RegExp, value: string): Promise<void>;
  /** The page as it is: nothing complains, nothing sticks out, axe finds nothing. */
  seen(what: string): Promise<void>;
}

async function visitor(browser: Browser, baseURL: string, width = 1440): Promise<Visitor> {
  const context = await browser.newContext({ baseURL, viewport: { width, height: 900 } });
  const page = await context.newPage();
  const complaints = watch(page);
  const needed = { clicks: 0, fields: 0 };
  return {
    page,
    complaints,
    needed,
    async click(name) {
      needed.clicks += 1;
      await page.getByRole('button', { name }).click();
    },
    async fill(label, value) {
      needed.fields += 1;
      await page.getByLabel(label, { exact: typeof label === 'string' }).fill(value);
    },
    async seen(what) {
      await ready(page);
      await accessible(page, what);
      const over = await overflowOf(page);
      expect(over, `${what}: nothing sticks out sideways`).toBeLessThanOrEqual(0);
      expect(complaints, what).toEqual([]);
    },
  };
}

async function register({ page, fill, click, needed }: Visitor, path: string, name: string): Promise<void> {
  await page.goto(path);
  await ready(page);
  await fill('First name', 'Mirela');
  await fill('Last name', 'Vega');
  await fill(/^Username/, name);
  await fill(/^E-mail/, `${name}@example.com`);
  await fill('Password', PASSPHRASE);
  needed.clicks += 1;
  await page.getByRole('checkbox').check();
  await click(/^Create (account|owner account)/);
}

const openStep = (page: Page, title: string) => page.getByRole('heading', { level: 2, name: title });

test('an owner comes from the one-time link to a host that a player can use, with few clicks and fields', async ({
  browser,
}) => {
  const host = await install();
  const owner = await visitor(browser, host.url);
  const { page, click, fill, seen } = owner;
  await register(owner, host.setupLink, 'mirela');
  await page.waitForURL('**/mc-admin/setup');
  await fill(/^Name of the installation/, 'Lantern');
  await click('Save and check');
  // This machine alone reaches it: the guide says so, and goes on without.
  await expect(page.getByText('Browsers reach you by HTTPS', { exact: true })).toBeVisible();
  await expect(page.getByText(/^Put a proxy with a certificate/)).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: 'Set up Lantern' })).toBeVisible();
  await seen('the address, which is not right yet');
  await click('Skip for now');
  await expect(openStep(page, 'E-mail')).toBeVisible();
  await seen('the mail server');
  await click('Skip for now');
  await click('Use the built-in panel');
  await expect(openStep(page, 'What players can create')).toBeVisible();
  await click('Check the catalogue');
  await expect(openStep(page, 'What new users get')).toBeVisible();
  await click('Save and check');
  await expect(openStep(page, 'How credits are earned')).toBeVisible();
  await click('Save and check');
  await expect(openStep(page, 'Let players pay')).toBeVisible();
  await seen('payments');

  // What is left is on the overview too.
  await page.goto('/mc-admin');
  await expect(page.getByText('6 of 9 steps')).toBeVisible();
  await page.getByRole('link', { name: 'Continue' }).click();
  await expect(openStep(page, 'Let players pay')).toBeVisible();
  await click('Skip for now');
  await fill('Company', 'Lantern SRL');
  await fill('Street', 'Strada Lungă 1');
  await fill('City', 'Iași');
  await fill('Country', 'RO');
  await click('Save and check');
  await expect(openStep(page, 'Backups')).toBeVisible();
  await seen('backups');
  await click('Save, back up and verify');
  await expect(page.getByRole('heading', { name: 'You’re open' })).toBeVisible();
  await seen('the guide when it is finished');
  await page.goto('/mc-admin');
  await ready(page);
  await expect(page.getByText('Finish setting up')).toHaveCount(0);

  const player = await visitor(browser, host.url, 360);
  await register(player, '/auth/register', 'tobi_k');
  await player.page.waitForURL('**/dashboard');
  await player.page.goto('/server/create');
  await player.page.getByRole('textbox', { name: /^Name/ }).fill('Lanternwood');
  await player.page.getByRole('radio', { name: /Frankfurt/ }).check({ force: true });
  await player.page.getByRole('radio', { name: /^Vanilla/ }).check({ force: true });
  await player.page.getByRole('button', { name: 'Create server' }).click();
  await player.page.waitForURL(/\/server\/[0-9a-f-]{36}$/);
  await expect(player.page.getByText('Active', { exact: true }).first()).toBeVisible();
  expect(player.complaints).toEqual([]);

  // Five minutes, at three seconds a click and ten a field.
  expect(owner.needed).toEqual({ clicks: 12, fields: 10 });
  expect(owner.needed.clicks * 3 + owner.needed.fields * 10).toBeLessThan(300);

  // The guide stays in reach of the settings once it is finished.
  await page.goto('/mc-admin/settings');
  await page.getByRole('link', { name: 'Set-up guide' }).click();
  await expect(page.getByText('9 of 9 steps')).toBeVisible();
  await page.goto('/mc-admin/backups');
  await expect(page.getByRole('table').getByText('Verified')).toBeVisible();

  // On a phone, a step that was skipped is opened again.
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/mc-admin/setup?step=mail');
  await fill(/^Mail server/, '127.0.0.1');
  await fill(/^Port of the mail server/, '9');
  await fill(/^Sender address/, 'no-reply@example.com');
  await click('Save and send a test e-mail');
  await expect(page.getByText('The mail server takes e-mails', { exact: true })).toBeVisible();
  await expect(page.getByText(/ECONNREFUSED/)).toBeVisible();
  await seen('a mail server that does not answer, on a phone');
  await page.goto('/mc-admin/settings?group=mail');
  await ready(page);
  await click('Test: Mail server, to your own address');
  await expect(page.getByText('Refused', { exact: true })).toBeVisible();
  await seen('a test of the mail server, on a phone');
  await page.context().close();
  await player.page.context().close();
  await host.stop();
});
