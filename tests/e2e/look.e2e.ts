import type { Browser, BrowserContextOptions, Page } from '@playwright/test';
import { png } from '../support/png.ts';
import {
  accessible,
  expect,
  installCopy,
  overflowOf,
  PASSPHRASE,
  ready,
  test as base,
  watch,
  type Installation,
} from './fixtures.ts';

type State = Exclude<NonNullable<BrowserContextOptions['storageState']>, string>;

/** An installation with an owner who is logged in. */
const test = base.extend<object, { owner: { readonly host: Installation; readonly state: State } }>({
  owner: [
    async ({ browser }, use) => {
      const host = await installCopy();
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(host.setupLink);
      await ready(page);
      for (const [label, value] of [
        ['First name', 'Mirela'],
        ['Last name', 'Vega'],
        ['Username', 'mirela'],
        ['E-mail', 'mirela@example.com'],
      ] as const)
        await page.getByLabel(label).fill(value);
      await page.getByLabel('Password', { exact: true }).fill(PASSPHRASE);
      await page.getByRole('checkbox').check();
      await page.getByRole('button', { name: /^Create (account|owner account)/ }).click();
      await page.waitForURL('**/mc-admin/setup');
      const state = await context.storageState();
      await context.close();
      await use({ host, state });
      await host.stop();
    },
    { scope: 'worker' },
  ],
});

interface Owner {
  readonly host: Installation;
  readonly state: State;
}
async function openAs(
  browser: Browser,
  { host, state }: Owner,
  options: BrowserContextOptions & { theme?: string } = {},
): Promise<{ page: Page; complaints: string[]; close(): Promise<void> }> {
  const { theme = 'dark', ...rest } = options;
  const context = await browser.newContext({
    baseURL: host.url,
    storageState: state,
    viewport: { width: 1440, height: 900 },
    ...rest,
  });
  await context.addCookies([{ name: 'theme', value: theme, url: host.url }]);
  const page = await context.newPage();
  const complaints = watch(page);
  return { page, complaints, close: () => context.close() };
}
const visit = async (page: Page, path: string) => {
  await page.goto(path);
  await ready(page);
};

test('the command palette is opened, searched and left by keyboard', async ({ browser, owner }) => {
  const { page, complaints, close } = await openAs(browser, owner);
  await visit(page, '/dashboard');
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search or jump to' });
  await expect(field).toBeFocused();
  await expect(page.getByRole('option', { name: /^Dashboard/ }).first()).toBeVisible();
  await accessible(page, 'the open palette');
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);

  await page.keyboard.type('loc');
  const first = page.getByRole('listbox').getByRole('option', { selected: true });
  await expect(first).toHaveText(/^Locations/);
  await page.keyboard.press('ArrowDown');
  await expect(first).toHaveText(/^New location/);
  await accessible(page, 'the palette with results');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/mc-admin/locations/create');
  await expect(field).toBeHidden();

  await page.getByRole('button', { name: /^Search or jump to/ }).click();
  await expect(page.getByRole('group', { name: 'Recent' }).getByRole('option')).toHaveText([/^New location/]);
  await page.keyboard.type('> theme');
  await expect(first).toHaveText('Switch to light');
  await page.keyboard.press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');

  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await page.keyboard.type('zzzz');
  await expect(page.getByText('No results for “zzzz”.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(field).toBeHidden();
  expect(complaints).toEqual([]);
  await close();
});

for (const [width, theme] of [
  [360, 'light'],
  [768, 'dark'],
] as const) {
  test(`the command palette lies within a small window (${width} pixels)`, async ({ browser, owner }) => {
    const { page, complaints, close } = await openAs(browser, owner, { theme, viewport: { width, height: 780 } });
    await visit(page, '/dashboard');
    await page.getByRole('button', { name: /^Search or jump to/ }).click();
    await expect(page.getByRole('combobox', { name: 'Search or jump to' })).toBeFocused();
    await page.keyboard.type('loc');
    await expect(page.getByRole('listbox').getByRole('option', { selected: true })).toHaveText(/^Locations/);
    await accessible(page, 'the palette with results');
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/mc-admin/locations');
    expect(complaints).toEqual([]);
    await close();
  });
}

/** Notes what moves on a page, by the parts that did. */
async function noteShifts(page: Page): Promise<() => Promise<string[] | undefined>> {
  await page.addInitScript(() => {
    const shifts: string[] = [];
    Object.assign(window, { shifts });
    type Shift = PerformanceEntry & { readonly sources: readonly { readonly node: Node | null }[] };
    const nameOf = (node: Node | null) =>
      node instanceof Element
        ? `${node.nodeName} ${node.getAttribute('class') ?? ''}`
        : `text in ${node?.parentElement?.className ?? 'nothing'}`;
    new PerformanceObserver((list) =>
      list
        .getEntries()
        .forEach((entry) => shifts.push((entry as Shift).sources.map(({ node }) => nameOf(node)).join(', '))),
    ).observe({ type: 'layout-shift', buffered: true });
  });
  return () => page.evaluate(() => (window as Window & { shifts?: string[] }).shifts);
}

for (const [width, theme] of [
  [360, 'light'],
  [768, 'dark'],
  [1440, 'dark'],
] as const) {
  test(`the skin comes without moving anything (${width} pixels)`, async ({ browser, owner }) => {
    const { page, complaints, close } = await openAs(browser, owner, { theme, viewport: { width, height: 780 } });
    const shifts = await noteShifts(page);
    await visit(page, '/account');
    await expect(page.locator('.sp-skin')).toHaveAttribute('data-state', 'scene');
    await expect(page.getByText('mirela as a block figure')).toBeAttached();
    expect(await shifts()).toEqual([]);
    await accessible(page, 'the account with a skin');
    expect(complaints).toEqual([]);
    await close();
  });
}

test('the skin is chosen, shown and taken off', async ({ browser, owner }) => {
  const { page, complaints, close } = await openAs(browser, owner, {
    theme: 'light',
    viewport: { width: 360, height: 780 },
  });
  await visit(page, '/account');
  const field = page.getByLabel('Picture');
  await field.setInputFiles({ name: 'large.png', mimeType: 'image/png', buffer: Buffer.alloc(70_000) });
  await page.getByRole('button', { name: 'Use this picture' }).click();
  await expect(page.getByText('The file is larger than 64 KB.').first()).toBeVisible();
  await field.setInputFiles({ name: 'wide.png', mimeType: 'image/png', buffer: Buffer.from(png({ width: 128 })) });
  await page.getByRole('button', { name: 'Use this picture' }).click();
  await expect(page.getByText('A skin has to be 64×64 or 64×32 pixels.').first()).toBeVisible();
  await accessible(page, 'a refused picture');

  const shown = page.waitForResponse(
    (response) => /\/api\/users\/.+\/skin\.png/.test(response.url()) && response.status() === 200,
  );
  await field.setInputFiles({ name: 'skin.png', mimeType: 'image/png', buffer: Buffer.from(png()) });
  await page.getByRole('button', { name: 'Use this picture' }).click();
  await expect(page.getByText('This is you now.')).toBeVisible();
  expect((await shown).headers()['content-type']).toBe('image/png');
  await page.getByRole('button', { name: 'Use the default skin' }).click();
  await expect(page.getByText('You’re wearing the default skin again.')).toBeVisible();
  expect(complaints).toEqual([]);
  await close();
});

test('the skin is flat without scripts and the form works, and a file far too large is answered with a page', async ({
  browser,
  owner,
}) => {
  const { page, close } = await openAs(browser, owner, { javaScriptEnabled: false });
  await page.goto('/account');
  await page
    .getByLabel('Picture')
    .setInputFiles({ name: 'skin.png', mimeType: 'image/png', buffer: Buffer.from(png({ height: 32 })) });
  await page.getByRole('button', { name: 'Use this picture' }).click();
  await expect(page.getByText('This is you now.')).toBeVisible();
  await expect(page.locator('.sp-skin image').first()).toHaveAttribute('href', /^\/api\/users\/.+\/skin\.png\?v=/);
  await page.getByRole('button', { name: 'Use the default skin' }).click();
  await expect(page.locator('.sp-skin image').first()).toHaveAttribute('href', '/assets/skin.png');
  await page
    .getByLabel('Picture')
    .setInputFiles({ name: 'skin.png', mimeType: 'image/png', buffer: Buffer.alloc(1_200_000) });
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('button', { name: 'Use this picture' }).click();
  expect((await answered).status()).toBe(413);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await close();
});

test('a browser that cannot draw in three dimensions keeps the flat picture and fetches nothing for it', async ({
  browser,
  owner,
}) => {
  const { page, complaints, close } = await openAs(browser, owner);
  const heavy: string[] = [];
  page.on('response', async (response) => {
    if (response.request().resourceType() === 'script' && /WebGLRenderer/.test(await response.text()))
      heavy.push(response.url());
  });
  await page.addInitScript(() => {
    const asked = Object.assign(window, { asked: 0 });
    HTMLCanvasElement.prototype.getContext = () => {
      asked.asked += 1;
      return null;
    };
  });
  await visit(page, '/account');
  await page.waitForFunction(() => (window as Window & { asked?: number }).asked === 2);
  await page.waitForLoadState('networkidle');
  await expect(page.locator('.sp-skin')).toHaveAttribute('data-state', 'flat');
  await expect(page.locator('.sp-skin__flat')).toBeVisible();
  expect(heavy).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('S9.6 S9.9 the figure is drawn when it comes near or lazy loading is off, with fewer pixels unless optimisation is off', async ({
  browser,
  owner,
}) => {
  for (const settings of [{}, { performance: { lazyLoading: false, imageOptimization: false } }] as const) {
    const eager = 'performance' in settings;
    // Too low for the figure to be within 50 pixels of what is seen.
    const { page, complaints, close } = await openAs(browser, owner, {
      viewport: { width: 360, height: 90 },
      deviceScaleFactor: 3,
    });
    await page.addInitScript((kept) => {
      localStorage.setItem('ui-settings', kept);
      const asked = Object.assign(window, { asked: 0 });
      const native = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function getContext(this: HTMLCanvasElement, ...parts: unknown[]) {
        asked.asked += 1;
        return Reflect.apply(native, this, parts) as never;
      };
    }, JSON.stringify(settings));
    await visit(page, '/account');
    await page.waitForLoadState('networkidle');
    const skin = page.locator('.sp-skin');
    if (eager) await expect(skin).toHaveAttribute('data-state', 'scene');
    else
      expect([
        await skin.getAttribute('data-state'),
        await page.evaluate(() => (window as Window & { asked?: number }).asked),
      ]).toEqual(['flat', 0]);
    await skin.scrollIntoViewIfNeeded();
    await expect(skin).toHaveAttribute('data-state', 'scene');
    const pixels = () =>
      page.locator('.sp-skin__scene').evaluate((canvas) => (canvas as HTMLCanvasElement).width / canvas.clientWidth);
    expect(await pixels()).toBeCloseTo(eager ? 3 : 2, 1);
    expect(complaints).toEqual([]);
    await close();
  }
});

test('the figure walks, and stands still for those who asked for stillness', async ({ browser, owner }) => {
  for (const reducedMotion of ['no-preference', 'reduce'] as const) {
    const { page, close } = await openAs(browser, owner, { reducedMotion });
    await visit(page, '/account');
    await expect(page.locator('.sp-skin')).toHaveAttribute('data-state', 'scene');
    const figure = page.locator('.sp-skin__in');
    const first = await figure.screenshot();
    if (reducedMotion === 'reduce') {
      for (let look = 0; look < 3; look += 1) expect((await figure.screenshot()).equals(first)).toBe(true);
    } else await expect.poll(async () => (await figure.screenshot()).equals(first)).toBe(false);
    await close();
  }
});

test('S5.8 a phone still has everything at the largest zoom: nothing sticks out, and the panel keeps its head where it is', async ({
  browser,
  owner,
}) => {
  const { page, complaints, close } = await openAs(browser, owner, { viewport: { width: 360, height: 740 } });
  await page.addInitScript(() => localStorage.setItem('ui-settings', JSON.stringify({ performance: { zoom: 1.5 } })));
  for (const path of ['/dashboard', '/account', '/store', '/mc-admin']) {
    await visit(page, path);
    await expect.poll(() => page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe('24px');
    expect(await overflowOf(page), path).toBeLessThanOrEqual(0);
  }
  await page.getByRole('button', { name: 'UI Customization' }).click();
  const panel = page.getByRole('dialog', { name: 'UI Customization' });
  await panel.getByRole('tab', { name: 'UI Components' }).click();
  await panel.getByRole('switch', { name: 'Rotate automatically' }).focus();
  expect(await panel.evaluate((drawer) => drawer.scrollHeight - drawer.clientHeight)).toBe(0);
  await expect(panel.getByRole('button', { name: 'Close' })).toBeInViewport();
  expect(complaints).toEqual([]);
  await close();
});

test('every page below its area says where it is', async ({ browser, owner }) => {
  const { page, close } = await openAs(browser, owner);
  const way = page.getByRole('navigation', { name: 'Breadcrumb' });
  for (const [path, steps] of [
    ['/server/create', ['Dashboard', 'Create server']],
    ['/mc-admin/locations', ['Admin area', 'Hosting', 'Locations']],
    ['/mc-admin/redeem-codes/create', ['Admin area', 'Economy', 'Redeem codes', 'New redeem code']],
  ] as const) {
    await visit(page, path);
    await expect(way.getByRole('listitem')).toHaveText([...steps]);
    await expect(way.locator('[aria-current="page"]')).toHaveText(steps.at(-1) ?? '');
  }
  await way.getByRole('link', { name: 'Redeem codes' }).click();
  await page.waitForURL('**/mc-admin/redeem-codes');
  await close();
});

test('staff go from a page of players to any page of the admin area, on and back, within one document', async ({
  browser,
  owner,
}) => {
  const { page, complaints, close } = await openAs(browser, owner);
  await visit(page, '/dashboard');
  const documents: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'document') documents.push(request.url());
  });
  // Neither the first page of the admin area nor the routes of staff are loaded yet.
  await page.evaluate(() => {
    const { idx = 0 } = (history.state ?? {}) as { idx?: number };
    history.pushState({ usr: null, key: 'staff', idx: idx + 1 }, '', '/mc-admin/redeem-codes/create');
    window.dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  });
  const way = page.getByRole('navigation', { name: 'Breadcrumb' });
  await expect(way.getByRole('listitem')).toHaveText(['Admin area', 'Economy', 'Redeem codes', 'New redeem code']);
  await way.getByRole('link', { name: 'Redeem codes' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Redeem codes' })).toBeVisible();
  await page.getByRole('link', { name: 'Player view' }).first().click();
  await page.waitForURL('**/dashboard');
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Redeem codes' })).toBeVisible();
  expect(documents).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

/** The last one: it changes the password, which ends the sessions of all others. */
test('the bell shows what comes while the page is open, by keyboard', async ({ browser, owner }) => {
  const { page, complaints, close } = await openAs(browser, owner);
  await visit(page, '/dashboard');
  const bell = page.getByRole('button', { name: /^Notifications/ });
  await bell.focus();
  await page.keyboard.press('Enter');
  const list = page.getByRole('region', { name: 'Notifications' });
  await expect(list).toBeFocused();
  await accessible(page, 'the open bell');
  await page.keyboard.press('Escape');
  await expect(bell).toBeFocused();

  const status = await page.evaluate(
    async ([current, password]) =>
      (
        await fetch('/api/account/password', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ current, password }),
        })
      ).status,
    [PASSPHRASE, 'another four words entirely'],
  );
  expect(status).toBe(200);
  await expect(bell).toHaveAccessibleName('Notifications, 1 unread');
  await page.keyboard.press('Enter');
  await expect(list.getByRole('heading', { name: 'Account' })).toBeVisible();
  await expect(list.getByRole('link', { name: 'Your password was changed.' })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(list.getByRole('button', { name: 'Mark all as read' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(bell).toHaveAccessibleName('Notifications, 0 unread');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/account?tab=sessions');
  await expect(list).toBeHidden();
  expect(complaints).toEqual([]);
  await close();
});
