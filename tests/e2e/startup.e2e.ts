import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { accessible, expect, install, ready, test, watch, type Installation } from './fixtures.ts';

/** The start-up order, what the host adds, safe mode and the pages of failures, in a real browser against the binary. */
const PASSWORD = 'correct horse battery';
const STEPS = ['custom assets', 'access check', 'app creation', 'locale', 'plugins', 'ad client code', 'mount'];
/** A plugin as a host would write it: a module with a default export. */
const HATS = `export default { id: 'hats', setup(host) {
  host.addTexts({ en: { hats: 'Hats', today: 'Hat of the day' }, de: { hats: 'Hüte' } });
  host.addPage('', { title: 'hats', mount: (element) => { element.textContent = 'Twelve hats'; } });
  host.addMenuEntry({ label: 'hats', page: '', group: 'community', icon: 'crown' });
  host.addPanel('dashboard.side', { id: 'today', title: 'today', mount: (element) => { element.textContent = 'A bowler'; } });
  host.addPanel('account.tab', { id: 'mine', title: 'hats', mount: (element) => { element.textContent = 'None yet'; } });
} };`;

/** Changes a setting from outside, as an operator does while the server runs; the value from standard input. */
function set(host: Installation, key: string, value: string): void {
  execFileSync(host.binary, ['settings', 'set', key, '-'], {
    env: { DATA_DIR: host.dataDir, LOG_LEVEL: 'error' },
    input: value,
  });
}
/** Waits until the running server has noticed. */
async function noticed(host: Installation, done: (custom: Record<string, unknown>) => boolean): Promise<void> {
  await expect
    .poll(
      async () =>
        done(
          ((await (await fetch(`${host.url}/api/system/settings`)).json()) as { custom: Record<string, unknown> })
            .custom,
        ),
      { timeout: 90_000 },
    )
    .toBe(true);
}
async function signIn(browser: Browser, host: Installation): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: host.url });
  const page = await context.newPage();
  await page.goto('/auth/login');
  await ready(page);
  await page.getByLabel(/username or e-mail/i).fill('owner');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.waitForURL('**/dashboard');
  await page.close();
  return context;
}
async function open(context: BrowserContext, path: string): Promise<{ page: Page; complaints: string[] }> {
  const page = await context.newPage();
  const complaints = watch(page);
  await page.goto(path);
  await ready(page);
  return { page, complaints };
}

test.beforeAll(({ host }) => {
  execFileSync(
    host.binary,
    ['user', 'create', '--username', 'owner', '--email', 'owner@example.org', '--role', 'owner', '--password-stdin'],
    { env: { DATA_DIR: host.dataDir, LOG_LEVEL: 'error' }, input: PASSWORD },
  );
});

test('S2.1 the Console tab shows every step of the start-up with its time, in order', async ({ browser, host }) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: host.url });
  const { page, complaints } = await open(context, '/auth/login');
  await page.keyboard.press('Control+i');
  await page.getByRole('tab', { name: 'Console' }).click();
  await expect(page.getByText(/^mount: \d+ ms/)).toBeVisible();
  const shown = await page.locator('body').innerText();
  const places = STEPS.map((step) => shown.search(new RegExp(`${step}: \\d+ ms`)));
  expect(places.every((place) => place >= 0)).toBe(true);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(complaints).toEqual([]);
  await context.close();
});

test("S7.2 S7.3 the host's stylesheet wins, its script runs under the nonce, and a change arrives with the next page", async ({
  browser,
  host,
}) => {
  const file = join(host.dataDir, 'own.css');
  writeFileSync(file, 'h1 {\n\tcolor: rgb(1, 2, 3);\n}\n');
  execFileSync(host.binary, ['settings', 'set', 'custom_css', '--file', file], {
    env: { DATA_DIR: host.dataDir, LOG_LEVEL: 'error' },
  });
  set(host, 'custom_js', 'window.own = document.documentElement.dataset.ready === undefined ? "before" : "after";\n');
  await noticed(host, ({ css, js }) => css !== null && js !== null);
  const context = await browser.newContext({ baseURL: host.url });
  const { page, complaints } = await open(context, '/auth/login');
  expect(await page.evaluate(() => ('own' in window ? window.own : null))).toBe('before');
  const colour = () =>
    page
      .locator('h1')
      .first()
      .evaluate((element) => getComputedStyle(element).color);
  expect(await colour()).toBe('rgb(1, 2, 3)');
  set(host, 'custom_css', 'h1 { color: rgb(4, 5, 6); }');
  await expect
    .poll(
      async () => {
        await page.reload();
        return colour();
      },
      { timeout: 90_000 },
    )
    .toBe('rgb(4, 5, 6)');
  expect(complaints).toEqual([]);
  await context.close();
  set(host, 'custom_css', '');
  await noticed(host, ({ css }) => css === null);
});

test("T41 safe mode goes without the host's code, says so, and can be left", async ({ browser, host }) => {
  set(host, 'custom_js', 'window.own = true;');
  await noticed(host, ({ js }) => js !== null);
  const context = await signIn(browser, host);
  const { page, complaints } = await open(context, '/dashboard?safe=1');
  expect(await page.evaluate(() => 'own' in window)).toBe(false);
  await expect(
    page.getByText('Safe mode: this page runs without your custom stylesheet, script, plugins and ads.'),
  ).toBeVisible();
  await accessible(page, 'safe mode');
  await page.getByRole('link', { name: 'Leave safe mode' }).click();
  await page.waitForURL('**/dashboard');
  await ready(page);
  expect(await page.evaluate(() => 'own' in window)).toBe(true);
  await expect(
    page.getByText('Safe mode: this page runs without your custom stylesheet, script, plugins and ads.'),
  ).toHaveCount(0);
  expect(complaints).toEqual([]);
  await context.close();
});

test('plugins add to menu, dashboard, account and pages after the page is hydrated; S4.14 S8.9 one that fails is logged', async ({
  browser,
  host,
}) => {
  set(host, 'client_plugins', '/plugins/hats.js\n/plugins/gone.js\n');
  await noticed(host, ({ plugins }) => Array.isArray(plugins) && plugins.length === 2);
  const context = await signIn(browser, host);
  await context.route('**/plugins/hats.js', (route) => route.fulfill({ contentType: 'text/javascript', body: HATS }));
  const { page, complaints } = await open(context, '/dashboard');
  await expect(page.getByRole('heading', { name: 'Hat of the day' })).toBeVisible();
  await expect(page.getByText('A bowler')).toBeVisible();
  await accessible(page, 'a panel of a plugin');
  await page.getByRole('link', { name: 'Hats' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Hats' })).toBeVisible();
  await expect(page.getByText('Twelve hats')).toBeVisible();
  await page.reload();
  await expect(page.getByText('Twelve hats')).toBeVisible();
  await page.goto('/account?tab=hats.mine');
  await expect(page.getByText('None yet')).toBeVisible();
  expect(complaints.some((line) => line.includes('plugin /plugins/gone.js failed'))).toBe(true);
  // The browser's own remark about the missing file comes with it; nothing else is wrong.
  expect(complaints.filter((line) => !line.includes('/plugins/gone.js'))).toEqual([]);
  await context.close();
  set(host, 'client_plugins', '');
  await noticed(host, ({ plugins }) => Array.isArray(plugins) && plugins.length === 0);
});

test('S4.13 S7.4 ads ask for their script with the client id; where that cannot be had the page goes on with a warning', async ({
  browser,
  host,
}) => {
  set(host, 'google_ads_client_id', 'ca-pub-1234567890123456');
  set(host, 'google_ads_enabled', 'true');
  await noticed(host, ({ ads }) => ads === true);
  const context = await browser.newContext({ baseURL: host.url });
  const asked: string[] = [];
  await context.route('https://pagead2.googlesyndication.com/**', (route) => {
    asked.push(route.request().url());
    return route.abort();
  });
  const { page, complaints } = await open(context, '/auth/login');
  await expect
    .poll(() => asked)
    .toEqual(['https://pagead2.googlesyndication.com/pagead/js/adsbygoogle.js?client=ca-pub-1234567890123456']);
  await expect.poll(() => complaints.some((line) => line.startsWith('warning: ads skipped'))).toBe(true);
  await context.route('**/api/system/ga-ads', (route) => route.fulfill({ status: 503, body: '' }));
  complaints.length = 0;
  await page.reload();
  await ready(page);
  await expect
    .poll(() => complaints.some((line) => line.startsWith('warning: ads skipped: the ad client code is unavailable')))
    .toBe(true);
  await context.close();
  set(host, 'google_ads_enabled', 'false');
  await noticed(host, ({ ads }) => ads === false);
});

test('S2.3 S4.15 a page whose hydration throws is replaced by Application Error', async ({ browser, host }) => {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    baseURL: host.url,
    locale: 'de-DE',
  });
  const page = await context.newPage();
  await page.addInitScript(() => {
    // What a broken extension may do: React begins by listening to its root.
    const native = EventTarget.prototype.addEventListener;
    EventTarget.prototype.addEventListener = function addEventListener(
      this: EventTarget,
      ...parts: Parameters<typeof native>
    ) {
      if (this instanceof Element && this.id === 'root') throw new Error('broken from outside');
      native.apply(this, parts);
    };
  });
  await page.goto('/auth/login');
  await expect(page.getByRole('heading', { level: 1, name: 'Anwendungsfehler' })).toBeVisible();
  await page.evaluate(() => localStorage.setItem('preferredLocale', 'EN'));
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Application Error' })).toBeVisible();
  await expect(
    page.getByText('Sorry, something went wrong. Please try refreshing the page.', { exact: true }),
  ).toBeVisible();
  await expect(page.locator('#root')).toHaveCount(0);
  await accessible(page, 'Application Error');
  await context.close();
});

test('what a page runs before it is hydrated is named in its head, and is not found out one after another', async ({
  browser,
  host,
}) => {
  const context = await signIn(browser, host);
  const page = await context.newPage();
  await page.addInitScript(() => {
    const hydrated = () => document.documentElement?.dataset.ready !== undefined;
    const seen = new MutationObserver(() => hydrated() && performance.mark('hydrated') && seen.disconnect());
    seen.observe(document, { attributes: true, childList: true, subtree: true });
  });
  for (const path of ['/dashboard', '/account', '/store', '/images', '/mc-admin']) {
    await page.goto(path);
    await ready(page);
    const late = await page.evaluate(() => {
      const [mark] = performance.getEntriesByName('hydrated');
      const named = [...document.querySelectorAll<HTMLLinkElement>('link[rel=modulepreload]')].map(({ href }) => href);
      return performance
        .getEntriesByType('resource')
        .filter(({ name, startTime }) => /\/assets\/c-\w+\.js$/.test(name) && startTime < (mark?.startTime ?? Infinity))
        .filter(({ name }) => !named.includes(name))
        .map(({ name }) => name);
    });
    expect([path, late]).toEqual([path, []]);
  }
  await context.close();
});

test('Screen 11 the saved language is loaded before anything of the page is painted, and nothing is hydrated in another one', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    baseURL: host.url,
    locale: 'fr-FR',
  });
  const { page, complaints } = await open(context, '/auth/login');
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
  expect(await page.evaluate(() => localStorage.getItem('preferredLocale'))).toBe('FR');
  await page.evaluate(() => localStorage.setItem('preferredLocale', 'DE'));
  await page.addInitScript(() => {
    // Every heading that was there when a frame was painted, over all loads of the page.
    const look = () => {
      const heading = document.querySelector('h1')?.textContent ?? '';
      const seen = JSON.parse(sessionStorage.getItem('seen') ?? '[]') as string[];
      if (heading !== '' && !seen.includes(heading)) sessionStorage.setItem('seen', JSON.stringify([...seen, heading]));
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.reload();
  await ready(page);
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect(page.getByRole('button', { name: 'Anmelden', exact: true })).toBeVisible();
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('seen'))).toBe('["Anmelden"]');
  expect((await context.cookies()).find(({ name }) => name === 'locale')?.value).toBe('de');
  // From now on the first byte has it: the page is asked for once.
  const documents: string[] = [];
  page.on('request', (request) => void (request.isNavigationRequest() && documents.push(request.url())));
  await page.reload();
  await ready(page);
  expect(documents).toHaveLength(1);
  expect(complaints).toEqual([]);
  await context.close();
});

test('S2.6 a lost connection is shown by a note first, and /ws explains, and returns by itself', async ({
  browser,
  host,
}) => {
  const context = await signIn(browser, host);
  // Fetched ahead, when the connection is watched.
  const watched = context.waitForEvent('response', async (response) =>
    // The screen of /ws, whose texts are those of the connection.
    /\/assets\/c-\w+\.js$/.test(response.url()) ? /\("connection"\)/.test(await response.text()) : false,
  );
  const { page } = await open(context, '/dashboard');
  await watched;
  let away = true;
  await context.route('**/healthz', (route) => (away ? route.abort() : route.continue()));
  for (const path of ['**/api/**', '**/assets/**'])
    await context.route(path, (route) => (away ? route.abort() : route.continue()));
  // The next page finds nobody: neither its code nor its data can be had.
  await page.getByRole('link', { name: 'Store' }).first().click();
  await expect(page.getByText('Can’t reach the server. Trying again…')).toBeVisible();
  await accessible(page, 'the note of the lost connection');
  away = false;
  await expect(page.getByText('Can’t reach the server. Trying again…')).toBeHidden();
  // What could not be shown comes by itself.
  await expect(page.getByRole('heading', { level: 1, name: 'Store' })).toBeVisible();
  await context.unroute('**/assets/**');
  away = true;
  await page.goto('/ws?from=%2Fearn%2Fredeem');
  await ready(page);
  await expect(page.getByRole('heading', { level: 1, name: 'Connection lost' })).toBeVisible();
  await accessible(page, '/ws');
  away = false;
  await page.waitForURL('**/earn/redeem');
  await context.close();
});

test('S2.2 S8.6 S8.7 a port that a proxy hides from the server is noticed by the browser, which shows overlay and error', async ({
  browser,
}) => {
  const strict = await install({}, []);
  const context = await browser.newContext({
    baseURL: strict.url,
    extraHTTPHeaders: { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'panel.example.com' },
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  expect((await page.goto('/auth/login'))?.status()).toBe(200);
  await expect(page.getByRole('heading', { level: 1, name: 'Access Denied' })).toBeVisible();
  for (const text of [
    'HTTP connection (use HTTPS)',
    'Invalid domain access (use proper domain)',
    `Port ${new URL(strict.url).port} (use reverse proxy)`,
    `${strict.url}/auth/login`,
  ])
    await expect(page.getByText(text, { exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Refresh Page' })).toBeVisible();
  expect(errors).toEqual(['Spawnpoint cannot be used on HTTP, IP or port access.']);
  await accessible(page, 'the overlay');
  await context.close();
  const direct = await browser.newContext({ baseURL: strict.url });
  const refused = await direct.newPage();
  expect((await refused.goto('/auth/login'))?.status()).toBe(403);
  await expect(refused.getByRole('heading', { level: 1, name: 'Access Denied' })).toBeVisible();
  await direct.close();
  await strict.stop();
});
