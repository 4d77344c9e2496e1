import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from '@playwright/test';
import {
  accessible,
  call,
  expect,
  installCopy,
  overflowOf,
  PASSPHRASE,
  ready,
  setupCode,
  test as base,
  watch,
  type Installation,
} from './fixtures.ts';

/**
 * What the screens promise of themselves: that nothing is covered, cut off or unnamed, with much data and long names,
 * on small screens and large ones.
 */
const LONG = 'For everybody who came to the summer party and stayed until the very last block was placed on the tower';

type State = Exclude<NonNullable<BrowserContextOptions['storageState']>, string>;
interface World {
  readonly host: Installation;
  readonly state: State;
  /** A user with a long name, a redeem code. */
  readonly user: string;
  readonly code: { readonly id: string; readonly name: string };
}

const facts = (username: string) => ({
  username,
  email: `${username}@example.com`,
  password: PASSPHRASE,
  first_name: 'Mirela',
  last_name: 'Vega',
  terms: true,
});

/** An installation with an owner, another user, and a full page of codes with long notes. */
const test = base.extend<object, { world: World }>({
  world: [
    async ({ browser }, use) => {
      const host = await installCopy();
      const context = await browser.newContext({ baseURL: host.url });
      const page = await context.newPage();
      await page.goto('/auth/login');
      await call(page, 'POST', '/api/auth/register', {
        ...facts('mirela'),
        setup: setupCode(host),
      });
      const state = await context.storageState();
      const other = await browser.newContext({ baseURL: host.url });
      const theirs = await other.newPage();
      await theirs.goto('/auth/login');
      await call(theirs, 'POST', '/api/auth/register', facts('an_extraordinarily_long_username'));
      await other.close();
      await call(page, 'POST', '/api/admin/redeem-codes/batch', {
        count: 30,
        pattern: 'SUMMER-PARTY-########',
        note: LONG,
        credits: 12_500,
        uses_total: 5,
        min_age_days: 3,
        starts_at: null,
        ends_at: null,
      });
      const { rows } = await call<{ rows: { id: string; code: string }[] }>(
        page,
        'GET',
        '/api/admin/redeem-codes?per_page=25',
      );
      const { rows: users } = await call<{ rows: { id: string; username: string }[] }>(
        page,
        'GET',
        '/api/admin/users?q=an_extra',
      );
      await context.close();
      await use({ host, state, user: users[0]?.id ?? '', code: { id: rows[0]?.id ?? '', name: rows[0]?.code ?? '' } });
      await host.stop();
    },
    { scope: 'worker' },
  ],
});

interface Look {
  readonly width: number;
  readonly height?: number;
  readonly theme?: 'dark' | 'light';
  readonly locale?: string;
  readonly scripts?: boolean;
}
async function open(
  browser: Browser,
  world: World,
  { width, height = 780, theme = 'dark', locale, scripts = true }: Look,
): Promise<{ page: Page; context: BrowserContext; complaints: string[] }> {
  const context = await browser.newContext({
    baseURL: world.host.url,
    storageState: world.state,
    viewport: { width, height },
    javaScriptEnabled: scripts,
  });
  await context.addCookies([
    { name: 'theme', value: theme, url: world.host.url },
    ...(locale === undefined ? [] : [{ name: 'locale', value: locale, url: world.host.url }]),
  ]);
  // The saved language comes before the cookie.
  if (locale !== undefined)
    await context.addInitScript((saved) => localStorage.setItem('preferredLocale', saved), locale.toUpperCase());
  const page = await context.newPage();
  return { page, context, complaints: watch(page) };
}
async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await ready(page);
}
const boxOf = async (part: Locator) => {
  const box = await part.boundingBox();
  if (!box) throw new Error('it is not shown');
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
};

test('Screen 14 the title of a document begins with what the page is about, from the server and after a navigation', async ({
  browser,
  world,
}) => {
  const { page, context, complaints } = await open(browser, world, { width: 1440 });
  const html = await (await context.request.get(`/mc-admin/users/${world.user}/edit`)).text();
  expect(/<title>([^<]*)<\/title>/.exec(html)?.[1]).toBe('an_extraordinarily_long_username · User · Spawnpoint');
  await visit(page, '/mc-admin/redeem-codes');
  await expect(page).toHaveTitle('Redeem codes · Spawnpoint');
  await page.getByRole('link', { name: world.code.name }).click();
  await expect(page).toHaveTitle(new RegExp(`^${world.code.name} · .+ · Spawnpoint$`));
  await page.goBack();
  await expect(page).toHaveTitle('Redeem codes · Spawnpoint');
  // What is not there has no name.
  await page.goto('/mc-admin/users/0190a000-0000-7000-8000-000000000000/edit');
  await expect(page).toHaveTitle(/Spawnpoint$/);
  expect(complaints.filter((each) => !each.includes('404'))).toEqual([]);
  await context.close();
});

for (const width of [360, 1440]) {
  test(`Screen 10 the floating button covers no data while a page scrolls, and comes out where it ends (${width} pixels)`, async ({
    browser,
    world,
  }) => {
    const { page, context, complaints } = await open(browser, world, { width });
    await visit(page, '/mc-admin/redeem-codes');
    const button = page.getByRole('button', { name: 'UI Customization' });
    const shown = async () => width - (await boxOf(button)).x;
    for (const to of [0, 400]) {
      await page.evaluate((y) => window.scrollTo(0, y), to);
      await expect.poll(shown).toBeLessThanOrEqual(24);
    }
    // Still a target of its own.
    expect(await shown()).toBeGreaterThanOrEqual(20);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await expect.poll(shown).toBeGreaterThan(44);
    const pager = page.getByRole('navigation', { name: /pages/i }).last();
    expect((await boxOf(pager)).bottom).toBeLessThanOrEqual((await boxOf(button)).y);
    await page.evaluate(() => window.scrollTo(0, 0));
    // At the very edge of the screen it is pointed at, comes out, and stays out.
    await page.mouse.move(width - 3, (await boxOf(button)).y + 20);
    for (let look = 0; look < 5; look += 1) {
      await page.mouse.move(width - 3 - (look % 2), (await boxOf(button)).y + 20);
      await expect.poll(shown).toBeGreaterThan(44);
    }
    await page.mouse.click(width - 3, (await boxOf(button)).y + 20);
    await expect(page.getByRole('dialog', { name: 'UI Customization' })).toBeVisible();
    await page.keyboard.press('Escape');
    await page.mouse.move(10, 10);
    await button.focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    await expect.poll(shown).toBeGreaterThan(44);
    await button.click();
    await expect(page.getByRole('dialog', { name: 'UI Customization' })).toBeVisible();
    expect(complaints).toEqual([]);
    await context.close();
  });
}

/** Where the focus is: in the bar of unsaved changes, behind it by some pixels, or clear of it. */
const focusBesideBar = (page: Page) =>
  page.evaluate(() => {
    const [at, bar] = [document.activeElement, document.querySelector('.sp-savebar')];
    if (!(at instanceof HTMLElement) || !bar) throw new Error('there is no focus, or no bar');
    const [box, over] = [at.getBoundingClientRect(), bar.getBoundingClientRect()];
    const isBeside = box.right <= over.left || box.left >= over.right;
    return {
      name: at.getAttribute('name') ?? at.textContent,
      type: at.getAttribute('type'),
      isInBar: bar.contains(at),
      behind: isBeside ? 0 : Math.max(0, Math.min(box.bottom, over.bottom) - Math.max(box.top, over.top)),
      scrolled: window.scrollY,
    };
  });

for (const width of [360, 1440]) {
  test(`what takes the focus by Tab never stands behind the bar of unsaved changes (${width} pixels)`, async ({
    browser,
    world,
  }) => {
    const { page, context, complaints } = await open(browser, world, { width });
    await visit(page, '/mc-admin/settings?group=servers');
    const [bar, review] = [page.locator('.sp-savebar'), page.getByRole('button', { name: 'Review changes' })];
    await page.getByRole('switch').first().focus();
    const behind: string[] = [];
    let [steps, changed, focus] = [0, false, await focusBesideBar(page)];
    for (; !focus.isInBar; steps += 1) {
      if (focus.behind > 0) behind.push(`${focus.name}: ${focus.behind}`);
      // The first change is made in a field that has just come up from below: now the bar appears.
      if (!changed && focus.scrolled > 0 && ['number', 'checkbox'].includes(focus.type ?? '')) {
        await page.keyboard.press(focus.type === 'checkbox' ? 'Space' : 'ArrowUp');
        await expect(bar.getByText('1 change')).toBeVisible();
        changed = true;
      } else await page.keyboard.press('Tab');
      focus = await focusBesideBar(page);
    }
    expect(behind).toEqual([]);
    expect(changed).toBe(true);
    expect(steps).toBeGreaterThan(20);
    // Nothing stands over its own buttons where the page ends, and the page stays where it is when they take the focus.
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    const button = page.getByRole('button', { name: 'UI Customization' });
    await expect.poll(async () => (await boxOf(button)).x >= (await boxOf(review)).right).toBe(true);
    await page.evaluate(() => window.scrollTo(0, 0));
    await review.evaluate((element) => element.blur());
    await review.focus();
    expect((await focusBesideBar(page)).scrolled).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
}

test('the bar of unsaved changes covers no more than the page keeps free for it, however long its words are', async ({
  browser,
  world,
}) => {
  for (const width of [360, 560, 768, 1440]) {
    const { page, context } = await open(browser, world, { width, locale: 'de' });
    await visit(page, '/mc-admin/redirect-links/create');
    const words = page.locator('.sp-savebar__what');
    await words.evaluate((element, text) => (element.textContent = text), LONG.repeat(9));
    // Some are not shown, so it is as tall as it gets.
    expect(await words.evaluate((element) => element.scrollHeight - element.clientHeight)).toBeGreaterThan(0);
    const free = await page.evaluate(() => parseFloat(getComputedStyle(document.documentElement).scrollPaddingBottom));
    expect(780 - (await boxOf(page.locator('.sp-savebar'))).y, `${width} pixels`).toBeLessThan(free);
    await context.close();
  }
});

test('on a phone on its side the chosen group of settings is in sight, and the page stays at its top', async ({
  browser,
  world,
}) => {
  const { page, context } = await open(browser, world, { width: 640, height: 360 });
  await visit(page, '/mc-admin/settings?group=advanced');
  const groups = page.getByRole('navigation', { name: 'Group' });
  for (const name of ['Advanced', 'Security', 'E-mail', 'General']) {
    const link = groups.getByRole('link', { name });
    // Without the pointer, which scrolls to what it clicks.
    if (name !== 'Advanced') await link.dispatchEvent('click');
    await expect(link).toHaveAttribute('aria-current', 'page');
    await expect
      .poll(async () => {
        const [row, at] = [await boxOf(groups), await boxOf(link)];
        return at.x >= row.x && at.right <= row.right;
      }, name)
      .toBe(true);
    expect(await page.evaluate(() => window.scrollY), name).toBe(0);
  }
  await context.close();
});

test('Screen 10 the button moves into the profile menu, from the first byte on, and is there signed out', async ({
  browser,
  world,
}) => {
  const { page, context, complaints } = await open(browser, world, { width: 1440 });
  await visit(page, '/dashboard');
  const button = page.getByRole('button', { name: 'UI Customization' });
  await button.click();
  const panel = page.getByRole('dialog', { name: 'UI Customization' });
  await panel.getByRole('tab', { name: 'UI Components' }).click();
  await panel.getByRole('switch', { name: 'Open this panel from the profile menu' }).check();
  await expect(page.locator('html')).toHaveAttribute('data-fab', 'menu');
  await page.keyboard.press('Escape');
  await expect(button).toBeHidden();
  const html = await (await context.request.get('/dashboard')).text();
  expect(/<html[^>]*data-fab="menu"/.test(html)).toBe(true);
  await visit(page, '/dashboard');
  await expect(button).toBeHidden();
  await page.getByRole('button', { name: /mirela/ }).click();
  await page.getByRole('menuitem', { name: 'UI Customization' }).click();
  await expect(panel).toBeVisible();
  await accessible(page, 'the panel opened from the menu');
  expect(complaints).toEqual([]);
  const guest = await browser.newContext({ baseURL: world.host.url });
  await guest.addCookies(
    (await context.cookies())
      .filter(({ name }) => !/spawnpoint|token/.test(name))
      .map(({ name, value }) => ({ name, value, url: world.host.url })),
  );
  const outside = await guest.newPage();
  await visit(outside, '/auth/login');
  await expect(outside.locator('html')).toHaveAttribute('data-fab', 'menu');
  await expect(outside.getByRole('button', { name: 'UI Customization' })).toBeVisible();
  await guest.close();
  await context.close();
});

test('Screen 12 a table wider than its place keeps its names, shortens long texts, and fades where there is more', async ({
  browser,
  world,
}) => {
  const { page, context, complaints } = await open(browser, world, { width: 768 });
  await visit(page, '/mc-admin/redeem-codes');
  const table = page.getByRole('region', { name: 'Redeem codes' });
  const name = page.getByRole('rowheader').first();
  await expect(name).toHaveAttribute('title', world.code.name);
  const note = page.getByTitle(LONG).first();
  const cell = await boxOf(note.locator('xpath=..'));
  expect(cell.width).toBeLessThanOrEqual(330);
  expect(await table.evaluate((wrap) => wrap.scrollWidth - wrap.clientWidth)).toBeGreaterThan(50);
  const fade = () => table.evaluate((wrap) => getComputedStyle(wrap).getPropertyValue('--sp-fade-end'));
  await expect.poll(fade).toBe('48px');
  await table.evaluate((wrap) => wrap.scrollTo(wrap.scrollWidth, 0));
  await expect.poll(fade).toBe('0px');
  const [wrap, kept] = [await boxOf(table), await boxOf(name)];
  expect(Math.abs(kept.x - wrap.x)).toBeLessThanOrEqual(2);
  // What passes below is covered.
  expect(await name.evaluate((cell) => getComputedStyle(cell).getPropertyValue('--sp-stuck'))).toBe('1');
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  await accessible(page, 'a wide table');
  expect(complaints).toEqual([]);
  await context.close();
});

test('Screen 12 on a phone a row of a staff list has two lines and leads where its name does', async ({
  browser,
  world,
}) => {
  const { page, context, complaints } = await open(browser, world, { width: 360, theme: 'light' });
  await visit(page, '/mc-admin/redeem-codes');
  await expect(page.getByRole('rowheader')).toHaveCount(25);
  const rows = await page
    .locator('tbody tr')
    .evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
  expect(Math.max(...rows)).toBeLessThanOrEqual(72);
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(2500);
  await accessible(page, 'a list of two lines');
  await visit(page, '/mc-admin/users');
  const row = page.getByRole('row').filter({ hasText: 'an_extraordinarily_long_username' });
  expect((await boxOf(row)).height).toBeLessThanOrEqual(72);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  // The end of its second line, far from the name.
  await row.click({ position: { x: 250, y: (await boxOf(row)).height - 12 } });
  await page.waitForURL(/\/edit$/);
  expect(complaints).toEqual([]);
  await context.close();
});

test('Screen 13 a button of words alone has a frame', async ({ browser, world }) => {
  const { page, context } = await open(browser, world, { width: 1440 });
  for (const path of ['/mc-admin/economy', '/dashboard', '/mc-admin/redeem-codes/create']) {
    await visit(page, path);
    const bare = await page
      .locator('#main .sp-btn[data-variant="ghost"]:not([data-icon-only])')
      .evaluateAll((all) =>
        all
          .filter(
            (button) =>
              Number.parseFloat(getComputedStyle(button).borderTopWidth) < 1 ||
              /^(?:transparent|rgba\(\d+, \d+, \d+, 0\))$/.test(getComputedStyle(button).borderTopColor),
          )
          .map(({ textContent }) => textContent),
      );
    expect(bare, path).toEqual([]);
  }
  await context.close();
});

for (const width of [360, 768]) {
  test(`Screen 15 price and button of a new server stay in reach (${width} pixels)`, async ({ browser, world }) => {
    const { page, context, complaints } = await open(browser, world, { width });
    await visit(page, '/server/create');
    const button = page.getByRole('button', { name: 'Create server' });
    const price = page.getByText('due now: free');
    for (const share of [0, 0.5, 1]) {
      await page.evaluate((of) => window.scrollTo(0, of * document.documentElement.scrollHeight), share);
      await expect(button).toBeInViewport({ ratio: 1 });
      await expect(price).toBeInViewport({ ratio: 1 });
    }
    // At the end nothing of the summary is below the bar.
    const last = page.locator('.sp-sum__notes');
    expect((await boxOf(last)).bottom).toBeLessThanOrEqual((await boxOf(page.locator('.sp-sum__act'))).y);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await accessible(page, 'the form with its bar');
    expect(complaints).toEqual([]);
    await context.close();
  });
}

test("Screen 19 file and date fields speak the page's language, keep the browser's control, and work without scripts", async ({
  browser,
  world,
}) => {
  const { page, context, complaints } = await open(browser, world, { width: 360, locale: 'de' });
  await visit(page, '/account');
  await expect(page.getByText('Datei wählen')).toBeVisible();
  await expect(page.getByText('Keine Datei gewählt')).toBeVisible();
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'mein-skin.png', mimeType: 'image/png', buffer: Buffer.from('x') });
  await expect(page.getByText('mein-skin.png')).toBeVisible();
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator('input[type="file"]').click()]);
  expect(chooser.isMultiple()).toBe(false);
  await accessible(page, 'a file field');
  await visit(page, '/account?tab=statement&from=2026-10-05');
  await expect(page.getByText('5. Okt. 2026')).toBeVisible();
  const from = page.getByLabel('Von');
  await from.fill('2026-11-03');
  await expect(page).toHaveURL(/from=2026-11-03/);
  // It is drawn anew and still has its label.
  await expect(from).toHaveValue('2026-11-03');
  await from.blur();
  await expect(page.getByText('3. Nov. 2026')).toBeVisible();
  await accessible(page, 'date fields');
  expect(complaints).toEqual([]);
  await context.close();

  const plain = await open(browser, world, { width: 360, locale: 'de', scripts: false });
  await plain.page.goto('/account');
  await expect(plain.page.getByText('Datei wählen')).toBeHidden();
  expect(
    await plain.page
      .locator('input[type="file"]')
      .evaluate((input) => getComputedStyle(input, '::file-selector-button').visibility),
  ).toBe('visible');
  await plain.context.close();
});

test('Screen 19 labels keep their controls after hydration, as their ids are the same on the server and in the browser', async ({
  browser,
  world,
}) => {
  const { page, context } = await open(browser, world, { width: 1440 });
  for (const path of [
    '/account?tab=statement',
    '/mc-admin/locations/create',
    `/mc-admin/users/${world.user}/edit`,
    '/privacy-policy',
  ]) {
    await visit(page, path);
    const ids = await page.evaluate(() =>
      // What React did not take over, as the script that begins it, is none of it.
      [...document.querySelectorAll('[id^="_R_"]')].flatMap((element) => {
        const key = Object.keys(element).find((each) => each.startsWith('__reactProps'));
        return key === undefined ? [] : [[element.id, (Reflect.get(element, key) as { id?: string }).id]];
      }),
    );
    if (path !== '/privacy-policy') expect(ids.length, path).toBeGreaterThan(2);
    expect(
      ids.filter(([inDocument, inBrowser]) => inDocument !== inBrowser),
      path,
    ).toEqual([]);
  }
  await context.close();
});

test('Screen 20 a number and its unit do not meet in a narrow field', async ({ browser, world }) => {
  const { page, context } = await open(browser, world, { width: 1440 });
  await visit(page, `/mc-admin/users/${world.user}/edit`);
  const field = page.getByLabel(/^Amount/);
  await field.fill('1000000');
  const unit = page.locator('.sp-input-group__unit').first();
  expect((await boxOf(field)).right).toBeLessThanOrEqual((await boxOf(unit)).x + 0.5);
  await context.close();
});

test('Screen 9 a chart reads the day that is pointed at or stepped to, without moving the page', async ({
  browser,
  world,
}) => {
  const { page, context, complaints } = await open(browser, world, { width: 1440, height: 1200 });
  await visit(page, '/dashboard');
  await call(page, 'POST', `/api/admin/users/${world.user}/adjust`, {
    direction: 'in',
    amount: 4_000,
    reason: 'For the chart',
  });
  await visit(page, '/mc-admin/economy?days=7');
  const step = page.getByRole('slider', { name: 'Day shown' }).first();
  const read = page.locator('.sp-chart__read').first();
  const [before, height] = [await read.textContent(), (await boxOf(step)).y];
  const box = await boxOf(step);
  await page.mouse.move(box.x + 10, box.y + 80);
  await expect(read).not.toHaveText(before ?? '');
  await page.mouse.move(5, 5);
  await expect(read).toHaveText(before ?? '');
  await step.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(read).not.toHaveText(before ?? '');
  expect(await step.getAttribute('aria-valuetext')).toBe(await read.textContent());
  expect((await boxOf(step)).y).toBe(height);
  await accessible(page, 'a chart that is stepped through');
  expect(complaints).toEqual([]);
  await context.close();
});
