import type { Browser, Page } from '@playwright/test';
import {
  accessible,
  expect,
  overflowOf,
  PASSPHRASE,
  ready,
  setupCode,
  test,
  watch,
  type Installation,
} from './fixtures.ts';

test.use({ file: 'economy-admin' });

/**
 * The staff's side of the economy: codes, store, users, figures and kill switches; and what the user sees of it. The
 * plain pages, each at both widths in both themes, are looked at by the test of all routes.
 */
const DESKTOP = { viewport: { width: 1440, height: 900 }, theme: 'dark' } as const;
const PHONE = { viewport: { width: 360, height: 740 }, theme: 'light' } as const;

interface Person {
  readonly page: Page;
  /** The page is hydrated, nothing complains, nothing sticks out, and axe finds nothing. */
  seen(what: string): Promise<void>;
  /** Opens a page: all of that but axe, which sees the plain pages in the test of all routes. */
  visit(path: string): Promise<void>;
  /** The same page once more on a phone, in the other theme, then back. */
  onPhone(path: string): Promise<void>;
  close(): Promise<void>;
}

async function person(browser: Browser, host: Installation, username: string, setup?: string): Promise<Person> {
  const context = await browser.newContext({ viewport: DESKTOP.viewport, baseURL: host.url });
  const page = await context.newPage();
  const complaints = watch(page);
  const whole = async (what: string): Promise<void> => {
    await ready(page);
    const over = await overflowOf(page);
    expect(over, `${what}: nothing sticks out sideways`).toBeLessThanOrEqual(0);
    expect(complaints.splice(0), what).toEqual([]);
  };
  const seen = async (what: string): Promise<void> => {
    await ready(page);
    await accessible(page, what);
    await whole(what);
  };
  const as = async ({ viewport, theme }: typeof DESKTOP | typeof PHONE): Promise<void> => {
    await page.setViewportSize(viewport);
    await context.addCookies([{ name: 'theme', value: theme, url: host.url }]);
  };
  const visit = async (path: string): Promise<void> => {
    await page.goto(path);
    await whole(path);
  };
  await as(DESKTOP);
  await page.goto('/auth/login');
  const facts = {
    username,
    email: `${username}@example.com`,
    password: PASSPHRASE,
    first_name: 'Mirela',
    last_name: 'Vega',
    terms: true,
  };
  await call(page, '/api/auth/register', setup === undefined ? facts : { ...facts, setup });
  return {
    page,
    seen,
    visit,
    onPhone: async (path) => {
      await as(PHONE);
      await visit(path);
      await seen(`${path} on a phone`);
      await as(DESKTOP);
    },
    close: () => context.close(),
  };
}

/** A command of the API, as the page sends it. */
async function call(page: Page, path: string, body: unknown): Promise<void> {
  const status = await page.evaluate(
    async ([where, sent]) => {
      const response = await fetch(where, {
        method: 'POST',
        headers: { 'Idempotency-Key': crypto.randomUUID(), 'Content-Type': 'application/json' },
        body: sent,
      });
      return `${response.status} ${response.ok ? '' : await response.text()}`;
    },
    [path, JSON.stringify(body)] as const,
  );
  expect(status.trim(), path).toBe('200');
}

/** Says yes to the question of a dialog; `what` names it where axe should look at it. */
async function confirm({ page, seen }: Person, button: string, what?: string): Promise<void> {
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toBeVisible();
  if (what !== undefined) await seen(what);
  await dialog.getByRole('button', { name: button, exact: true }).click();
}

async function makeCodes(owner: Person): Promise<string> {
  const { page, visit, seen } = owner;
  await visit('/mc-admin/redeem-codes/batch');
  await page.getByLabel(/^Number of codes/).fill('3');
  await page.getByLabel(/^Pattern/).fill('FAIR-###');
  await page.getByLabel(/Credits per code/).fill('900');
  await page.getByRole('button', { name: 'Create codes' }).click();
  await expect(page.getByText('At least 8 characters have to be random').first()).toBeVisible();
  await page.getByLabel(/^Pattern/).fill('FAIR-####-####');
  await page.getByRole('button', { name: 'Create codes' }).click();
  const list = page.getByLabel('New codes, one per line');
  await expect(list).toBeVisible();
  await seen('the new codes');
  const codes = (await list.inputValue()).split('\n');
  expect(codes).toHaveLength(3);
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await expect(page.getByRole('rowheader', { name: codes[0] ?? '' })).toBeVisible();
  return codes[0] ?? '';
}

async function editStore(owner: Person): Promise<void> {
  const { page, visit, seen } = owner;
  await visit('/mc-admin/store-items');
  await page.getByRole('link', { name: 'memory 1024' }).click();
  await page.waitForURL(/\/edit$/);
  await seen('a store item');
  await page.getByLabel(/Price per unit/).fill('160');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL(/\/mc-admin\/store-items\?/);
  await expect(page.getByText('memory 1024 was saved.')).toBeVisible();
}

async function spend(player: Person, code: string): Promise<void> {
  const { page, visit, seen, onPhone } = player;
  await call(page, '/api/earn/redeem', { code });
  await visit('/store');
  await expect(page.getByRole('button', { name: /^Buy for 160.*Memory/ })).toBeVisible();
  await page.getByRole('button', { name: /^Buy for 160.*Memory/ }).click();
  await confirm(player, 'Buy');
  await expect(page.getByText(/^Bought\./)).toBeVisible();
  await visit('/account?tab=statement');
  await page.locator('summary', { hasText: 'Store purchase Memory' }).click();
  await expect(page.getByText('Bought in the store: Memory. The limit went up at the same moment.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Open the store' })).toBeVisible();
  await seen('a row that says why');
  await onPhone('/account?tab=statement');
}

async function lookAfter(owner: Person): Promise<void> {
  const { page, visit, seen, onPhone } = owner;
  await visit('/mc-admin/users');
  await page.getByRole('searchbox').fill('tobi');
  await expect(page.getByRole('rowheader')).toHaveCount(1);
  await onPhone('/mc-admin/users?sort=-credits');
  await visit('/mc-admin/users?q=tobi');
  await page.getByRole('link', { name: 'tobi_k' }).click();
  await page.waitForURL(/\/edit$/);
  const here = new URL(page.url()).pathname;
  await expect(page.getByRole('heading', { name: 'Adjust credits' })).toBeVisible();
  await page.getByLabel(/^Amount/).fill('60');
  await page.getByLabel(/^Reason/).fill('Outage on 9 Nov');
  await page.getByRole('button', { name: 'Adjust' }).click();
  await confirm(owner, 'Adjust', 'confirming an adjustment');
  await expect(page.getByText('Done. The balance is now 800 credits.')).toBeVisible();
  await expect(page.getByRole('rowheader', { name: /^Adjustment by the host/ })).toBeVisible();
  await page.getByRole('button', { name: 'Refund: Memory +1 GB' }).click();
  await confirm(owner, 'Refund');
  await expect(page.getByText('Purchase refunded.')).toBeVisible();
  await expect(page.getByText(/^Refunded \d/)).toBeVisible();
  await seen('a user after adjustment and refund');
  await onPhone(here);
}

async function switchOff(owner: Person, player: Person): Promise<void> {
  const { page, visit, seen, onPhone } = owner;
  await visit('/mc-admin/economy');
  await expect(page.getByRole('img', { name: /^Chart/ })).toHaveCount(2);
  await page.getByText('As a table').first().click();
  await expect(page.getByRole('table', { name: 'Credits minted and burnt' })).toBeVisible();
  await seen('the economy with its table');
  await page.getByRole('link', { name: '30 days' }).click();
  await page.waitForURL(/days=30/);
  await page.getByRole('button', { name: 'Stop: Redeem codes' }).click();
  await confirm(owner, 'Stop');
  await expect(page.getByText('Redeem codes: stopped.')).toBeVisible();
  expect((await player.page.goto('/earn/redeem'))?.status()).toBe(404);
  await page.getByRole('button', { name: 'Resume: Redeem codes' }).click();
  await confirm(owner, 'Resume');
  await expect(page.getByText('Redeem codes: resumed.')).toBeVisible();
  await onPhone('/mc-admin/economy?days=7');
}

test('staff make codes, price the store, help a user and stop a source, and the user reads why', async ({
  browser,
  host,
}) => {
  const owner = await person(browser, host, 'mirela', setupCode(host));
  const player = await person(browser, host, 'tobi_k');
  const code = await makeCodes(owner);
  await editStore(owner);
  await spend(player, code);
  await lookAfter(owner);

  await player.visit('/account?tab=statement');
  await player.page.locator('summary', { hasText: 'Adjustment by the host' }).click();
  await expect(player.page.getByText('Outage on 9 Nov')).toBeVisible();
  await player.page.getByRole('button', { name: /^Notifications/ }).click();
  await expect(player.page.getByRole('link', { name: 'The host added 60 credits: Outage on 9 Nov' })).toBeVisible();

  await switchOff(owner, player);
  // A player meets none of it.
  for (const path of [
    '/mc-admin/users',
    '/mc-admin/economy',
    '/mc-admin/store-items',
    '/mc-admin/redeem-codes/batch',
  ]) {
    expect((await player.page.goto(path))?.status(), path).toBe(403);
  }
  await owner.close();
  await player.close();
});
