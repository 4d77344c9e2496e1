import type { BrowserContext, Page } from '@playwright/test';
import { PAGE_TRANSITIONS, type PageTransition } from '../../shared/ui-settings.ts';
import { accessible, DESKTOP, expect, PHONE, ready, test, watch, type Installation } from './fixtures.ts';

/** The UI Customization panel in a real browser: everywhere it opens, and everything it changes is really seen. */
const NAME = 'UI Customization';
const TABS = ['Transitions', 'UI Components', 'Performance'] as const;

async function openPage(context: BrowserContext, path: string): Promise<{ page: Page; complaints: string[] }> {
  const page = await context.newPage();
  const complaints = watch(page);
  await page.goto(path);
  await ready(page);
  return { page, complaints };
}
const openPanel = async (page: Page) => {
  await page.getByRole('button', { name: NAME }).click();
  const panel = page.getByRole('dialog', { name: NAME });
  await expect(panel).toBeVisible();
  return panel;
};
/** Writes settings as the panel would, and waits until the page has them. */
async function have(page: Page, settings: object, transition: PageTransition = 'fade'): Promise<void> {
  await page.evaluate(
    ([ui, kind]) => {
      localStorage.setItem('ui-settings', ui ?? '');
      localStorage.setItem('preferredTransition', kind ?? '');
    },
    [JSON.stringify(settings), transition],
  );
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.transition ?? 'fade')).toBe(transition);
}
const property = (page: Page, name: string) =>
  page.evaluate((each) => getComputedStyle(document.documentElement).getPropertyValue(each).trim(), name);

for (const [name, { viewport, theme }] of [
  ['desktop, dark', DESKTOP],
  ['phone, light', PHONE],
] as const) {
  test(`S2.14 S4.10 the floating button opens the panel, tabs are chosen by click, nothing is wrong with any of them (${name})`, async ({
    browser,
    host,
  }) => {
    const context = await browser.newContext({ viewport, baseURL: host.url });
    await context.addCookies([{ name: 'theme', value: theme, url: host.url }]);
    const { page, complaints } = await openPage(context, '/auth/login');
    await accessible(page, 'closed');
    const panel = await openPanel(page);
    for (const tab of TABS) {
      await panel.getByRole('tab', { name: tab }).click();
      await expect(panel.getByRole('tab', { name: tab })).toHaveAttribute('aria-selected', 'true');
      await accessible(page, tab);
      expect(
        await panel.locator('.sp-drawer__body').evaluate((body) => body.scrollWidth - body.clientWidth),
        `${tab}: nothing sticks out sideways`,
      ).toBeLessThanOrEqual(0);
    }
    await page.keyboard.press('Escape');
    await expect(panel).toBeHidden();
    await expect(page.getByRole('button', { name: NAME })).toBeFocused();
    expect(complaints).toEqual([]);
    await context.close();
  });
}

test('everything works by keyboard: open, next tab, move a slider, done', async ({ browser, host }) => {
  const context = await browser.newContext({ baseURL: host.url });
  const { page } = await openPage(context, '/auth/login');
  await page.getByRole('button', { name: NAME }).focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('dialog', { name: NAME });
  await panel.getByRole('tab', { name: 'Transitions' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(panel.getByRole('tab', { name: 'UI Components' })).toBeFocused();
  await panel.getByRole('slider', { name: 'Zoom', exact: true }).focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => property(page, '--zoom')).toBe('1.1');
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe('17.6px');
  await panel.getByRole('button', { name: 'Done' }).focus();
  await page.keyboard.press('Enter');
  await expect(panel).toBeHidden();
  await context.close();
});

test('S3.9 another tab follows at once; S3.6 S3.7 both keys are in local storage', async ({ browser, host }) => {
  const context = await browser.newContext({ baseURL: host.url });
  const { page: other } = await openPage(context, '/auth/login');
  const { page } = await openPage(context, '/auth/register');
  const panel = await openPanel(page);
  await panel.getByRole('radio', { name: 'flip' }).check();
  await panel.getByRole('tab', { name: 'Performance' }).click();
  await panel.getByRole('switch', { name: 'Reduce motion' }).check();
  await expect
    .poll(() => other.evaluate(() => ({ ...document.documentElement.dataset })))
    .toMatchObject({ transition: 'flip', motion: 'reduce' });
  const stored = await page.evaluate(() => ({
    transition: localStorage.getItem('preferredTransition'),
    groups: Object.keys(JSON.parse(localStorage.getItem('ui-settings') ?? '{}') as object),
  }));
  expect(stored).toEqual({
    transition: 'flip',
    groups: ['skin', 'dropdown', 'sidebar', 'topNav', 'notifications', 'performance'],
  });
  await context.close();
});

test('the server renders with the settings, the same without scripts as with them', async ({ browser, host }) => {
  const context = await browser.newContext({ baseURL: host.url });
  const { page } = await openPage(context, '/auth/login');
  await have(
    page,
    { performance: { zoom: 1.3 }, dropdown: { opacity: 0.5, radius: 'none' }, notifications: { position: 'top-left' } },
    'rotate',
  );
  const look = (from: Page) =>
    from.evaluate(
      () =>
        ['--zoom', '--dropdown-opacity', '--dropdown-radius']
          .map((name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim())
          .join(' ') + JSON.stringify(document.documentElement.dataset.toasts),
    );
  const scripted = await look(page);
  expect(scripted).toBe('1.3 0.5 0"top-left"');
  const plain = await browser.newContext({
    baseURL: host.url,
    javaScriptEnabled: false,
    storageState: { cookies: await context.cookies(), origins: [] },
  });
  const still = await plain.newPage();
  await still.goto('/auth/login');
  expect(await look(still)).toBe(scripted);
  await plain.close();
  await context.close();
});

interface Played {
  readonly name: string;
  readonly ms: number;
}
/** Notes every animation of a new page while it plays. */
async function notePages(context: BrowserContext): Promise<(page: Page) => Promise<Played[]>> {
  await context.addInitScript(() => {
    const played: Played[] = [];
    Object.assign(window, { played });
    const native = document.startViewTransition.bind(document);
    document.startViewTransition = (change) => {
      const transition = native(change);
      const note = (): void => {
        for (const animation of document.getAnimations()) {
          if (
            !(animation instanceof CSSAnimation) ||
            !(animation.effect instanceof KeyframeEffect) ||
            animation.effect.pseudoElement !== '::view-transition-new(root)'
          )
            continue;
          played.push({ name: animation.animationName, ms: Math.round(Number(animation.effect.getTiming().duration)) });
        }
      };
      transition.ready.then(note, () => undefined);
      return transition;
    };
  });
  return (page) => page.evaluate(() => (window as Window & { played?: Played[] }).played ?? []);
}
const ARRIVALS: Readonly<Record<PageTransition, string>> = {
  fade: 'sp-page-fade',
  'slide-right': 'sp-page-from-left',
  'slide-left': 'sp-page-from-right',
  'slide-up': 'sp-page-from-below',
  'slide-down': 'sp-page-from-above',
  scale: 'sp-page-grow',
  flip: 'sp-page-flip-in',
  rotate: 'sp-page-rotate-in',
};

test('S2.9 S4.11 S9.10 pages change with the chosen transition, as long as the speed says', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({ baseURL: host.url, reducedMotion: 'no-preference' });
  const played = await notePages(context);
  const { page, complaints } = await openPage(context, '/auth/login');
  for (const [index, kind] of PAGE_TRANSITIONS.entries()) {
    await have(page, { performance: { transitionSpeed: 5 } }, kind);
    // By a link and by the browser's own button.
    if (index % 2 === 0) await page.getByRole('link', { name: 'Terms' }).first().click();
    else await page.goBack();
    await expect.poll(async () => (await played(page)).at(-1)).toEqual({ name: ARRIVALS[kind], ms: 200 });
    await expect.poll(() => played(page)).toHaveLength(index + 1);
  }
  await have(page, { performance: { transitionSpeed: 5, reduceMotion: true } });
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.motion)).toBe('reduce');
  await page.getByRole('link', { name: 'Terms' }).first().click();
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Log in');
  expect(await played(page)).toHaveLength(PAGE_TRANSITIONS.length);
  expect(complaints).toEqual([]);
  await context.close();
});

test('S9.10 a transition takes 222 ms at the default speed, and nothing moves under prefers-reduced-motion', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({ baseURL: host.url, reducedMotion: 'no-preference' });
  const played = await notePages(context);
  const { page } = await openPage(context, '/auth/login');
  await page.getByRole('link', { name: 'Terms' }).first().click();
  await expect.poll(() => played(page)).toEqual([{ name: 'sp-page-fade', ms: 222 }]);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Log in');
  expect(await played(page)).toHaveLength(1);
  await context.close();
});

test('S4.12 parts appear as chosen', async ({ browser, host }) => {
  const context = await browser.newContext({ baseURL: host.url });
  const { page } = await openPage(context, '/auth/login');
  const panel = await openPanel(page);
  for (const name of ['Fade', 'Slide', 'Scale', 'Bounce']) {
    await panel.getByRole('group', { name: 'Parts of a page' }).getByRole('radio', { name }).check();
    await expect
      .poll(() => panel.evaluate((element) => getComputedStyle(element).animationName))
      .toBe(`sp-part-${name.toLowerCase()}`);
  }
  await context.close();
});

test('settings are exported, reset and imported', async ({ browser, host }, info) => {
  const context = await browser.newContext({ baseURL: host.url, acceptDownloads: true });
  const { page } = await openPage(context, '/auth/login');
  await have(page, { performance: { zoom: 0.9 } }, 'scale');
  const panel = await openPanel(page);
  const download = page.waitForEvent('download');
  await panel.getByRole('button', { name: 'Export settings' }).click();
  const file = info.outputPath('ui-settings.json');
  await (await download).saveAs(file);
  await panel.getByRole('button', { name: 'Reset' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reset' }).click();
  await expect.poll(() => property(page, '--zoom')).toBe('1');
  const chooser = page.waitForEvent('filechooser');
  await panel.getByRole('button', { name: 'Import settings' }).click();
  await (await chooser).setFiles(file);
  await expect(panel.getByText('Settings imported')).toBeVisible();
  await expect.poll(() => property(page, '--zoom')).toBe('0.9');
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.transition)).toBe('scale');
  await context.close();
});

/** Waits until a page has fetched all that it fetches once it is idle: no script has come for a second. */
async function waitForPreloads(page: Page): Promise<void> {
  const scripts = () =>
    page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).length);
  for (let before = -1, now = await scripts(); now !== before; before = now, now = await scripts())
    await page.waitForTimeout(1000);
}

test('preloading and compression do what they say', async ({ browser, host }) => {
  const context = await browser.newContext({ baseURL: host.url });
  const asked: string[] = [];
  const { page } = await openPage(context, '/auth/login');
  // What the page fetches for itself when it has nothing else to do has come.
  await waitForPreloads(page);
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const point = () => page.getByRole('link', { name: 'Create an account' }).hover();
  await have(page, { performance: { preloading: false, assetCompression: false } });
  await expect
    .poll(async () => (await context.cookies()).find(({ name }) => name === 'ui')?.value ?? '')
    .toContain('performance.preloading:false');
  await point();
  const css = await page.request.get(
    await page.evaluate(() => document.querySelector<HTMLLinkElement>('link[rel=stylesheet]')?.href ?? ''),
    { headers: { 'Accept-Encoding': 'br, gzip' } },
  );
  expect(css.headers()['content-encoding']).toBeUndefined();
  expect(asked.filter((path) => path.endsWith('.js'))).toEqual([]);
  await have(page, {});
  await expect.poll(async () => (await context.cookies()).find(({ name }) => name === 'ui')).toBeUndefined();
  await page.mouse.move(0, 0);
  await point();
  await expect.poll(() => asked.filter((path) => path.endsWith('.js')).length).toBeGreaterThan(0);
  const small = await page.request.get(css.url(), { headers: { 'Accept-Encoding': 'br' } });
  expect(small.headers()['content-encoding']).toBe('br');
  await context.close();
});

/** Becomes the owner. */
async function signUp(page: Page, host: Installation): Promise<void> {
  await page.goto(host.setupLink);
  await ready(page);
  await page.getByLabel('First name').fill('Mirela');
  await page.getByLabel('Last name').fill('Vega');
  await page.getByLabel('Username').fill('mirela');
  await page.getByLabel('E-mail').fill('mirela@example.com');
  await page.getByLabel('Password', { exact: true }).fill('plough lantern meadow seven');
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: /^Create/ }).click();
  await page.waitForURL('**/mc-admin/setup');
}

test('the button hides nothing signed in, menus take the settings, and caching makes a quick return', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({ baseURL: host.url, viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const complaints = watch(page);
  await signUp(page, host);
  await ready(page);

  await have(page, { topNav: { opacity: 0.3, radius: 'none', animation: 'bounce' }, sidebar: { opacity: 0.2 } });
  await page.getByRole('button', { name: 'mirela, your profile' }).click();
  const menu = page.getByRole('menu').filter({ visible: true });
  await expect(menu).toBeVisible();
  expect(
    await menu.evaluate((element) => {
      const { animationName, borderRadius, backdropFilter } = getComputedStyle(element);
      return { animationName, borderRadius, backdropFilter };
    }),
  ).toEqual({
    animationName: 'sp-part-bounce',
    borderRadius: '0px',
    backdropFilter: 'blur(12px) brightness(0.35)',
  });
  await page.keyboard.press('Escape');
  await accessible(page, 'dashboard with everything let through');

  for (const caching of [true, false]) {
    await have(page, { performance: { caching } });
    await page.goto('/store');
    await ready(page);
    await page.getByRole('link', { name: 'Dashboard' }).first().click();
    await page.waitForURL('**/dashboard');
    await page.getByRole('link', { name: 'Store' }).first().click();
    await page.waitForURL('**/store');
    // The network says nothing until it is let.
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route(/\/api\/(?!user\/session|live)/, async (route) => {
      await held;
      await route.continue();
    });
    const askedAgain = page.waitForRequest(/\/api\/dashboard/);
    await page.goBack();
    if (caching) await expect(page.locator('main h1')).toContainText('Mirela');
    await askedAgain;
    if (!caching) await expect(page.locator('main h1')).not.toContainText('Mirela');
    letGo();
    await expect(page.locator('main h1')).toContainText('Mirela');
    await page.unrouteAll({ behavior: 'wait' });
  }
  expect(complaints).toEqual([]);
  await context.close();
});
