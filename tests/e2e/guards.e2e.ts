import type { Browser, BrowserContext, Page } from '@playwright/test';
import { accessible, expect, PASSPHRASE, ready, test, watch, type Installation } from './fixtures.ts';

/** The guard, its dialogs and the scroll position. The windows are low, so that there is something to scroll. */
const WIDE = { width: 1280, height: 600 } as const;
const PHONE = { width: 360, height: 640 } as const;

interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: string[];
}

async function visitor(
  browser: Browser,
  host: Installation,
  viewport: { width: number; height: number },
): Promise<Visitor> {
  const context = await browser.newContext({ viewport, baseURL: host.url });
  const page = await context.newPage();
  return { context, page, complaints: watch(page) };
}
const accounts = new Set<string>();
/**
 * A player with a session, made by the API as the page would: one for each width of the window, because new accounts
 * are few an hour from one address.
 */
async function player(
  browser: Browser,
  host: Installation,
  viewport: { width: number; height: number },
): Promise<Visitor & { username: string }> {
  const who = await visitor(browser, host, viewport);
  const username = `guarded${viewport.width}`;
  await who.page.goto('/auth/login');
  const person = {
    username,
    email: `${username}@example.com`,
    password: PASSPHRASE,
    first_name: 'Mirela',
    last_name: 'Vega',
    terms: true,
  };
  const [path, body] = accounts.has(username)
    ? ['/api/auth/login', { login: username, password: PASSPHRASE }]
    : ['/api/auth/register', person];
  const status = await who.page.evaluate(
    async ([to, sent]) =>
      (await fetch(to, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: sent })).status,
    [path, JSON.stringify(body)] as const,
  );
  expect(status).toBe(200);
  accounts.add(username);
  return { ...who, username };
}
/**
 * A navigation inside the page to an address that may have no link: the router is told as by the browser's history.
 * Nothing is loaded anew.
 */
async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    const { idx = 0 } = (history.state ?? {}) as { idx?: number };
    history.pushState({ usr: null, key: `k${idx}`, idx: idx + 1 }, '', to);
    window.dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  }, path);
}
const top = (page: Page) => page.evaluate(() => window.scrollY);
const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key);

async function dialogOf(page: Page, title: string, texts: readonly string[]): Promise<void> {
  const dialog = page.getByRole('alertdialog', { name: title, exact: true });
  await expect(dialog).toBeVisible();
  for (const text of texts) await expect(dialog.getByText(text, { exact: true })).toBeVisible();
  await accessible(page, title);
  await dialog.getByRole('button', { name: 'OK', exact: true }).click();
}

test('S2.11 S2.12 a guest comes to the page they wanted, by the address bar and by a link', async ({
  browser,
  host,
}) => {
  const { username, context } = await player(browser, host, PHONE);
  await context.close();
  const guest = await visitor(browser, host, PHONE);
  const { page, complaints } = guest;
  await page.goto('/account?tab=statement');
  await page.waitForURL('**/auth/login');
  await ready(page);
  await expect.poll(() => stored(page, 'redirectAfterLogin')).toBe('/account?tab=statement');
  expect((await guest.context.cookies()).map((each) => each.name)).not.toContain('redirect_after_login');
  await follow(page, '/store?from=link');
  await page.waitForURL('**/auth/login');
  await expect.poll(() => stored(page, 'redirectAfterLogin')).toBe('/store?from=link');
  await page.getByLabel(/^Username or e-mail/).fill(username);
  await page.getByLabel('Password', { exact: true }).fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/store?from=link');
  expect(await stored(page, 'redirectAfterLogin')).toBeNull();
  expect(complaints).toEqual([]);
  await guest.context.close();
});

test('S2.4 S2.12 a logged-in visitor goes from the login to the stored target, else to the dashboard', async ({
  browser,
  host,
}) => {
  const { page, context, complaints } = await player(browser, host, WIDE);
  await page.goto('/auth/login');
  await page.waitForURL('**/dashboard');
  await ready(page);
  await page.evaluate(() => localStorage.setItem('redirectAfterLogin', '/account?tab=sessions'));
  await page.goto('/auth/register');
  await page.waitForURL('**/account?tab=sessions');
  expect(await stored(page, 'redirectAfterLogin')).toBeNull();
  await follow(page, '/auth/login');
  await page.waitForURL('**/dashboard');
  expect(complaints).toEqual([]);
  await context.close();
});

test('T51 rights that somebody writes into the browser’s storage open nothing', async ({ browser, host }) => {
  const { page, context } = await player(browser, host, WIDE);
  await page.goto('/dashboard');
  await ready(page);
  await page.evaluate(() => localStorage.setItem('user_permissions', '["admin.root"]'));
  expect((await page.goto('/mc-admin/users'))?.status()).toBe(403);
  await dialogOf(page, 'Access Denied', ['You do not have permission to access this resource.']);
  await page.goto('/dashboard');
  await ready(page);
  await page.evaluate(() => localStorage.setItem('user_permissions', '["admin.root"]'));
  await follow(page, '/mc-admin/users');
  await dialogOf(page, 'Access Denied', ['You do not have permission to access this resource.']);
  expect((await page.request.get('/api/admin/users')).status()).toBe(403);
  await expect.poll(() => stored(page, 'user_permissions')).toBe('[]');
  await context.close();
});

test('S2.10 S8.3 without the permission an address and a link show Access Denied, then the page of 403', async ({
  browser,
  host,
}) => {
  const { page, context } = await player(browser, host, WIDE);
  const response = await page.goto('/mc-admin/eggs');
  expect(response?.status()).toBe(403);
  await dialogOf(page, 'Access Denied', ['You do not have permission to access this resource.']);
  await expect(page).toHaveURL(/\/errors\/403$/);
  await page.goto('/dashboard');
  await ready(page);
  await follow(page, '/mc-admin/eggs');
  await dialogOf(page, 'Access Denied', ['You do not have permission to access this resource.']);
  await page.waitForURL('**/errors/403');
  await context.close();
});

test('S8.1 a part of the server that is away is named by the page, which offers another try, and the session lives', async ({
  browser,
  host,
}) => {
  const { page, context } = await player(browser, host, PHONE);
  await page.goto('/dashboard');
  await ready(page);
  await page.route('**/api/store*', (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: '{"success":false,"error_code":"SERVER_UNAVAILABLE"}',
    }),
  );
  await follow(page, '/store');
  await expect(page.getByText('The server is currently unavailable. Please try again later.')).toBeVisible();
  await accessible(page, 'a page that could not be had');
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await page.unroute('**/api/store*');
  await page.getByRole('link', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Store', exact: true })).toBeVisible();
  expect((await context.cookies()).map((each) => each.name)).toContain('user_token');
  await context.close();
});

// Another bar, another length of the page.
for (const [name, viewport] of [
  ['desktop', WIDE],
  ['phone', PHONE],
] as const) {
  test(`S2.8 every navigation scrolls to the top, going back too (${name})`, async ({ browser, host }) => {
    const { page, context, complaints } = await player(browser, host, { ...viewport, height: 420 });
    await page.goto('/terms-of-service');
    await ready(page);
    await page.goto('/store');
    await ready(page);
    await page.evaluate(() => window.scrollTo(0, 300));
    await expect.poll(() => top(page)).toBeGreaterThan(200);
    // The phone's bar has a shorter word for it.
    await page
      .getByRole('link', { name: /^(Dashboard|Home)$/ })
      .first()
      .evaluate((link) => (link as HTMLElement).click());
    await page.waitForURL('**/dashboard');
    await expect.poll(() => top(page)).toBe(0);
    await page.evaluate(() => window.scrollTo(0, 200));
    await page.goBack();
    await page.waitForURL('**/store');
    await expect(page.getByRole('heading', { level: 1, name: 'Store' })).toBeVisible();
    await expect.poll(() => top(page)).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
}
