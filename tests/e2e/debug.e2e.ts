import type { Page } from '@playwright/test';
import { accessible, DESKTOP, expect, openVisitor, overflowOf, ready, test, watch } from './fixtures.ts';

const PASSWORD = 'plough lantern meadow nine';

const panelOf = (page: Page) => page.getByRole('region', { name: 'Debug panel' });
const tabOf = (page: Page, name: string) => panelOf(page).getByRole('tab', { name: new RegExp(`^${name}`) });

/** Types into the terminal, runs it, and tells what came of it. */
async function run(page: Page, code: string): Promise<string> {
  const done = panelOf(page).locator('.sp-debug__ran');
  const before = await done.count();
  await page.getByLabel('Terminal: runs what you type').fill(code);
  await page.keyboard.press('Enter');
  await expect(done).toHaveCount(before + 1);
  const last = done.last().locator('> div').last();
  await expect(last).not.toContainText('running');
  return (await last.textContent()) ?? '';
}

/** What the terminal understands. */
async function speak(page: Page): Promise<void> {
  expect(await run(page, "(await fetch('/api/system/settings')).status")).toContain('200');
  expect(await run(page, "fetch('/api/system/settings').then((answer) => answer.json())")).toContain('success: true');
  expect(await run(page, 'const kept = 41')).toContain('undefined');
  expect(await run(page, 'kept + 1')).toContain('42');
  expect(await run(page, 'let = = 3')).toContain('SyntaxError');
}

/** Opens tabs one after the other: axe finds nothing, and nothing sticks out sideways. */
async function openEach(page: Page, tabs: readonly string[]): Promise<void> {
  for (const each of tabs) {
    await tabOf(page, each).click();
    await expect(tabOf(page, each)).toHaveAttribute('aria-selected', 'true');
    await accessible(page, each);
    const overflow = await overflowOf(page);
    expect(overflow, `${each}: nothing sticks out sideways`).toBeLessThanOrEqual(0);
  }
}

test('S2.15 S2.16 S2.17 any visitor opens the debug panel on the login page and works with it', async ({
  browser,
  host,
}) => {
  const { context, page, complaints } = await openVisitor(browser, host, DESKTOP);
  await page.goto('/auth/login');
  await ready(page);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('textbox', { name: /name/i }).first().fill('nobody');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Username or password is wrong.')).toBeVisible();

  await page.keyboard.press('Control+i');
  await expect(panelOf(page)).toBeVisible();
  await expect(tabOf(page, 'Network')).toBeFocused();
  const login = panelOf(page).getByRole('button', { name: /POST.*401/ });
  await login.first().click();
  const detail = panelOf(page).getByRole('group', { name: /^POST/ });
  await expect(detail).toContainText('"password": "•••"');
  await expect(detail).toContainText('LOGIN_FAILED');
  expect(await panelOf(page).textContent()).not.toContain(PASSWORD);
  await accessible(page, 'network');

  await tabOf(page, 'Console').click();
  expect(await run(page, '1+1')).toContain('2');
  await speak(page);
  expect(await run(page, "throw new RangeError('too far')")).toContain('RangeError: too far');
  expect(await run(page, 'null.x')).toContain('TypeError');
  await page.keyboard.press('ArrowUp');
  await expect(page.getByLabel('Terminal: runs what you type')).toHaveValue('null.x');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.type("console.info('hello', 'there')");
  await page.keyboard.press('Enter');
  await expect(panelOf(page).getByRole('log')).toContainText('hello there');
  await accessible(page, 'console');
  // What the terminal caught is no error of the page; what the page does not catch is.
  await page.evaluate(() => void setTimeout(() => void Promise.reject(new Error('left alone'))));
  await tabOf(page, 'Errors').click();
  await expect(panelOf(page).getByText('Unhandled Promise Rejection: Error: left alone')).toBeVisible();
  await expect(panelOf(page).getByText('too far')).toHaveCount(0);
  await accessible(page, 'errors');
  expect(complaints.splice(0)).toEqual(['uncaught: left alone']);

  await openEach(page, ['App', 'Storage', 'Settings']);
  await page.keyboard.press('Escape');
  await expect(panelOf(page)).toHaveCount(0);
  expect(complaints).toEqual([]);
  await context.close();
});

for (const [width, theme] of [
  [768, 'light'],
  [360, 'dark'],
] as const) {
  test(`every tab of the debug panel lies within a small window (${width} pixels)`, async ({ browser, host }) => {
    const context = await browser.newContext({
      viewport: { width, height: 740 },
      baseURL: host.url,
      hasTouch: width < 768,
    });
    await context.addCookies([{ name: 'theme', value: theme, url: host.url }]);
    const page = await context.newPage();
    const complaints = watch(page);
    await page.goto('/auth/login');
    await ready(page);
    await page.keyboard.press('Control+i');
    await expect(tabOf(page, 'Network')).toBeFocused();
    await openEach(page, ['Network', 'Console', 'Errors', 'App', 'Storage', 'Settings']);
    await page.keyboard.press('Escape');
    await expect(panelOf(page)).toHaveCount(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
}

test('S4.10 the customisation panel leads to the debug panel without a keyboard, and its cross closes it', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
    baseURL: host.url,
  });
  const page = await context.newPage();
  const complaints = watch(page);
  await page.goto('/auth/login');
  await ready(page);
  await page.getByRole('button', { name: 'UI Customization' }).tap();
  await page.getByRole('dialog').getByRole('button', { name: 'Debug panel' }).tap();
  await tabOf(page, 'App').tap();
  await expect(tabOf(page, 'App')).toHaveAttribute('aria-selected', 'true');
  await panelOf(page).getByRole('button', { name: 'Close debug panel' }).tap();
  await expect(panelOf(page)).toHaveCount(0);
  expect(complaints).toEqual([]);
  await context.close();
});

test('the panel opens on an error page too, by its button, is there over a modal dialog, and closing returns the focus', async ({
  page,
  host,
}) => {
  const complaints = watch(page);
  await page.goto(`${host.url}/terms-of-service`);
  await ready(page);
  const button = page.getByRole('button', { name: 'Debug panel' });
  await button.click();
  await expect(panelOf(page)).toBeVisible();
  // A modal dialog makes everything outside of it dead; the panel is inside then.
  await page.evaluate(() => {
    const dialog = document.createElement('dialog');
    dialog.setAttribute('aria-label', 'A question');
    document.body.append(dialog);
    dialog.showModal();
  });
  await tabOf(page, 'App').click();
  await expect(tabOf(page, 'App')).toHaveAttribute('aria-selected', 'true');
  await page.evaluate(() => document.querySelector('dialog[open]')?.remove());
  await tabOf(page, 'Storage').click();
  await expect(tabOf(page, 'Storage')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Escape');
  await expect(panelOf(page)).toHaveCount(0);
  await expect(button).toBeFocused();

  await page.goto(`${host.url}/no-such-page`);
  await ready(page);
  await page.keyboard.press('Control+i');
  await expect(panelOf(page)).toBeVisible();
  expect(complaints.filter((line) => !line.includes('/no-such-page'))).toEqual([]);
});
