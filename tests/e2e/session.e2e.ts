import type { Browser, BrowserContext, Page } from '@playwright/test';
import { expect, PASSPHRASE, ready, test, watch, type Installation } from './fixtures.ts';

/**
 * The session in real browsers: what lies in local storage, its round of 60 seconds, how it ends, and two tabs of one
 * browser.
 */
const SESSION = '**/api/user/session';
let made = 0;

interface Player {
  readonly context: BrowserContext;
  readonly username: string;
  /** Opens a page of the player; its clock can be moved. */
  open(path: string): Promise<Page>;
  /** Questions to the session endpoint so far. */
  asked(): number;
}

async function player(browser: Browser, host: Installation): Promise<Player> {
  const context = await browser.newContext({ baseURL: host.url, viewport: { width: 1024, height: 720 } });
  await context.clock.install();
  const username = `session${(made += 1)}`;
  let asked = 0;
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/user/session') asked += 1;
  });
  const open = async (path: string) => {
    const page = await context.newPage();
    await page.goto(path);
    await ready(page);
    return page;
  };
  const first = await open('/auth/register');
  await first.evaluate(
    async (body) =>
      void (await fetch('/api/auth/register', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      })),
    JSON.stringify({
      username,
      email: `${username}@example.com`,
      password: PASSPHRASE,
      first_name: 'Mirela',
      last_name: 'Vega',
      terms: true,
    }),
  );
  await first.close();
  return { context, username, open, asked: () => asked };
}
async function logIn(page: Page, username: string): Promise<void> {
  await page.getByLabel(/^Username or e-mail/).fill(username);
  await page.getByLabel('Password', { exact: true }).fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Log in' }).click();
}
const stored = (page: Page) => page.evaluate(() => ({ ...localStorage }) as Record<string, string>);
const cookies = async (context: BrowserContext) => (await context.cookies()).map(({ name }) => name);

async function dialogOf(page: Page, title: string, texts: readonly string[]): Promise<void> {
  const dialog = page.getByRole('alertdialog', { name: title, exact: true });
  await expect(dialog).toBeVisible();
  for (const text of texts) await expect(dialog.getByText(text, { exact: true })).toBeVisible();
}
const ok = (page: Page) => page.getByRole('alertdialog').getByRole('button', { name: 'OK', exact: true }).click();

test('S3.1 S3.3 S3.4 S3.5 S3.8 S4.5 a page leaves its entries in local storage, and a log-out leaves what it should of them', async ({
  browser,
  host,
}) => {
  const { context, username, open } = await player(browser, host);
  const page = await open('/dashboard');
  const complaints = watch(page);
  await expect.poll(async () => (await stored(page)).username).toBe(username);
  const entries = await stored(page);
  expect(entries).toMatchObject({
    email: `${username}@example.com`,
    credits: '0',
    servers: '0',
    user_permissions: '[]',
    preferredLocale: 'EN',
    locale: 'en',
  });
  const json = (key: string) => JSON.parse(entries[key] ?? 'null') as Record<string, unknown>;
  expect(json('app_settings')).toMatchObject({ app_name: 'Spawnpoint', server_renew_days: 30, company_vat: '' });
  expect(Object.keys(json('feature_flags'))).toHaveLength(13);
  expect(json('debug_info')).toMatchObject({
    debug_os: '',
    debug_os_kernel: '',
    debug_telemetry: false,
    debug: { useRedis: null },
  });
  await page.goto('/auth/logout');
  await page.waitForURL('**/auth/login?logout=done');
  await expect
    .poll(async () =>
      Object.keys(await stored(page)).filter((key) =>
        ['username', 'email', 'credits', 'user_permissions', 'session_keys'].includes(key),
      ),
    )
    .toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

/**
 * How many answers a tab has heard of from the line between the tabs. The page's own listener is older, so that it has
 * heard of each before.
 */
async function listenIn(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = Object.assign(window, { answers: 0 });
    new BroadcastChannel('spawnpoint-session').addEventListener(
      'message',
      ({ data }: MessageEvent<{ kind: string }>) => void (data.kind === 'answer' && (counted.answers += 1)),
    );
  });
  return () => page.evaluate(() => (window as Window & { answers?: number }).answers ?? 0);
}

test('S4.3 S4.4 S7.1 one question a minute goes past every cache, however many tabs are open', async ({
  browser,
  host,
}) => {
  const { context, open, asked } = await player(browser, host);
  const tabs = [await open('/dashboard'), await open('/store')];
  const heard = await Promise.all(tabs.map(listenIn));
  /**
   * A minute, and until every tab has heard what came of it. The clocks of the tabs are moved one after the other: in
   * one step, a tab would hear by its own clock a minute too early, and a tab that hears nothing for a minute and a
   * half asks for itself. In small steps they stay together, as in life.
   */
  const minute = async (count: number) => {
    for (let second = 0; second < 60; second += 10) await context.clock.runFor(10_000);
    for (const answers of heard) await expect.poll(answers).toBe(count);
    expect(asked()).toBe(count);
  };
  expect(asked()).toBe(0);
  const question = Promise.race(tabs.map((tab) => tab.waitForRequest(SESSION)));
  await minute(1);
  const headers = await (await question).allHeaders();
  expect(headers['cache-control']).toContain('no-cache');
  const response = await (await question).response();
  expect(response?.headers()['cache-control']).toContain('no-cache');
  await minute(2);
  await context.close();
});

test('a log-out in one tab is seen in the other, and so is the next log-in', async ({ browser, host }) => {
  const { context, username, open } = await player(browser, host);
  const [a, b] = [await open('/dashboard'), await open('/account?tab=sessions')];
  const complaints = [...watch(a), ...watch(b)];
  await a.goto('/auth/logout');
  await a.waitForURL('**/auth/login?logout=done');
  await b.waitForURL('**/auth/login');
  expect((await stored(b)).username).toBeUndefined();
  await ready(a);
  await logIn(a, username);
  // The page that the other tab wanted to keep is the stored target of both: whoever comes first takes it, the other
  // goes to the dashboard.
  for (const page of [a, b]) await page.waitForURL(/\/(account\?tab=sessions|dashboard)$/);
  await expect.poll(async () => (await stored(b)).username).toBe(username);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a log-in in one tab stays, although another is answered after it that the session before has ended', async ({
  browser,
  host,
}) => {
  const { context, username, open } = await player(browser, host);
  const page = await open('/store');
  const complaints = watch(page);
  // The question of the first tab is answered now, and its answer held back.
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(
    SESSION,
    async (route) => {
      await context.clearCookies({ name: '__Host-spawnpoint' });
      const refusal = await route.fetch({ headers: { ...route.request().headers(), cookie: 'user_token=1' } });
      expect(await refusal.json()).toMatchObject({ success: false });
      reached.resolve();
      await released.promise;
      await route.fulfill({ response: refusal });
    },
    { times: 1 },
  );
  await page.clock.runFor(60_000);
  await reached.promise;
  const marker = async () => (await context.cookies()).find(({ name }) => name === 'user_token')?.value;
  const ended = await marker();
  const next = await context.newPage();
  await next.goto('/auth/login');
  await ready(next);
  await logIn(next, username);
  await next.waitForURL('**/dashboard');
  const current = await marker();
  expect(current).toMatch(/^[0-9a-f-]{36}$/);
  expect(current).not.toBe(ended);
  // The first tab asks once more, by itself; the other has questions of its own.
  const again = page.waitForResponse(async (response) => {
    if (new URL(response.url()).pathname !== '/api/user/session') return false;
    return ((await response.json()) as { success: boolean }).success;
  });
  released.resolve();
  await again;
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  expect(await marker()).toBe(current);
  await page.goto('/account');
  await ready(page);
  expect(new URL(page.url()).pathname).toBe('/account');
  expect(complaints).toEqual([]);
  await context.close();
});

test('a page for a guest that arrives after a log-in in another tab leaves that one its marker', async ({
  browser,
  host,
}) => {
  const { context, username, open } = await player(browser, host);
  await context.clearCookies({ name: '__Host-spawnpoint' });
  const late = await context.newPage();
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await late.route(
    '**/terms-of-service',
    async (route) => {
      const guests = await route.fetch();
      reached.resolve();
      await released.promise;
      await route.fulfill({ response: guests });
    },
    { times: 1 },
  );
  const arrived = late.goto('/terms-of-service');
  await reached.promise;
  const next = await open('/auth/login');
  await logIn(next, username);
  await next.waitForURL('**/dashboard');
  released.resolve();
  await arrived;
  await expect.poll(async () => (await stored(late)).username).toBe(username);
  expect(await cookies(context)).toContain('user_token');
  await next.reload();
  await ready(next);
  expect(new URL(next.url()).pathname).toBe('/dashboard');
  await context.close();
});

test('S8.1 S4.6 S4.8 a 503 shows Server Unavailable, an empty local storage and the login, and the look comes back', async ({
  browser,
  host,
}) => {
  const { context, open } = await player(browser, host);
  await context.addCookies([{ name: 'theme', value: 'light', url: host.url }]);
  const page = await open('/store');
  await page.evaluate(() => localStorage.setItem('preferredTransition', 'flip'));
  await expect.poll(() => cookies(context)).toContain('ui');
  await page.route(SESSION, (route) => route.fulfill({ status: 503, body: 'busy' }));
  await page.clock.runFor(60_000);
  await dialogOf(page, 'Server Unavailable', ['The server is currently unavailable. Please try again later.']);
  expect(await stored(page)).toEqual({});
  expect(await cookies(context)).not.toContain('user_token');
  expect(new URL(page.url()).pathname).toBe('/store');
  await ok(page);
  await page.waitForURL('**/auth/login');
  await ready(page);
  await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('light');
  await expect
    .poll(async () => await stored(page))
    .toMatchObject({
      preferredTransition: 'flip',
      preferredLocale: 'EN',
      theme: 'light',
      redirectAfterLogin: '/store',
    });
  await context.close();
});

test('S8.2 S4.6 a session that was ended elsewhere shows Session Error, the login, and leads back to the page', async ({
  browser,
  host,
}) => {
  const { context, username, open } = await player(browser, host);
  const page = await open('/store');
  const other = await browser.newContext({ baseURL: host.url });
  const elsewhere = await other.newPage();
  await elsewhere.goto('/auth/login');
  await ready(elsewhere);
  await logIn(elsewhere, username);
  await elsewhere.waitForURL('**/dashboard');
  // Ending all other sessions is seen at once, by the live line, or at the latest with the next round.
  expect(
    await elsewhere.evaluate(async () => (await fetch('/api/account/sessions', { method: 'DELETE' })).status),
  ).toBe(200);
  await page.clock.runFor(60_000);
  await dialogOf(page, 'Session Error', ['Your session has expired or is invalid.', 'Please log in again.']);
  expect(await stored(page)).toEqual({});
  await ok(page);
  await page.waitForURL('**/auth/login');
  await ready(page);
  await logIn(page, username);
  await page.waitForURL('**/store');
  await Promise.all([context.close(), other.close()]);
});

test('S8.4 S4.9 a session that cannot start makes three more tries 2 s apart, then shows Error, and the login', async ({
  browser,
  host,
}) => {
  const { context, username, open, asked } = await player(browser, host);
  await context.clearCookies();
  const page = await open('/auth/login');
  await page.route(SESSION, (route) => route.abort());
  const before = asked();
  await logIn(page, username);
  await expect.poll(asked).toBe(before + 1);
  for (const tries of [2, 3, 4]) {
    await page.clock.runFor(2000);
    await expect.poll(asked).toBe(before + tries);
  }
  await dialogOf(page, 'Error', ['Failed to start session. Please try again.']);
  await ok(page);
  await page.waitForURL('**/auth/login');
  await context.close();
});

test('S4.7 TW0_FA_BLOCKED goes straight to the second factor', async ({ browser, host }) => {
  const { context, open } = await player(browser, host);
  const page = await open('/dashboard');
  await page.route(SESSION, (route) =>
    route.fulfill({
      status: 200,
      contentType: 'application/json',
      body: '{"success":false,"error_code":"TW0_FA_BLOCKED"}',
    }),
  );
  const gone = page.waitForRequest(
    (request) => request.isNavigationRequest() && new URL(request.url()).pathname === '/auth/2fa/verify',
  );
  await page.clock.runFor(60_000);
  await gone;
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await context.close();
});
