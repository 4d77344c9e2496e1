import type { Page } from '@playwright/test';
import { pngOf } from '#tests/support/pictures.ts';
import { accessible, call, expect, ready, setupCode, test, watch } from './fixtures.ts';

const picture = (name: string, width: number, height = width) => ({
  name,
  mimeType: 'image/png',
  buffer: Buffer.from(pngOf(width, height)),
});
/** Reviews and saves what was changed. */
async function save(page: Page, count: number): Promise<void> {
  const changes = count === 1 ? '1 change' : `${count} changes`;
  await expect(page.getByText(changes, { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Review changes' }).click();
  const dialog = page.getByRole('dialog', { name: `Save ${changes}?` });
  const sure = dialog.getByRole('checkbox', { name: 'I understand what this changes.' });
  await expect(dialog).toBeVisible();
  if ((await sure.count()) > 0) await sure.check();
  await dialog.getByRole('button', { name: `Save ${changes}` }).click();
  await expect(page.getByText(/^\d settings? (?:was|were) saved\.$/)).toBeVisible();
}

test("an owner gives the installation its look, sees it before saving, and finds the way back from the host's code", async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: host.url });
  const page = await context.newPage();
  const complaints = watch(page);
  const whole = async (what: string): Promise<void> => {
    await ready(page);
    await accessible(page, what);
    expect(complaints.splice(0), what).toEqual([]);
  };
  await page.goto('/auth/login');
  await call(page, 'POST', '/api/auth/register', {
    username: 'mirela',
    email: 'mirela@example.com',
    password: 'plough lantern meadow seven',
    first_name: 'Mirela',
    last_name: 'Vega',
    terms: true,
    setup: setupCode(host),
  });
  await page.goto('/mc-admin/settings?group=appearance');
  await ready(page);
  const accent = page.getByLabel('Accent colour, light theme', { exact: true });
  await accent.fill('#ffcc00');
  await expect(page.getByText('Hard to see: contrast 1.3 : 1 on the page, 3 is needed.')).toBeVisible();
  await page.getByRole('button', { name: 'Use #a78507' }).click();
  await expect(accent).toHaveValue('#a78507');
  const preview = page.locator('.sp-look[data-theme="light"]');
  await expect(preview.locator('.sp-btn')).toHaveCSS('background-color', 'rgb(167, 133, 7)');

  await page.getByLabel('Icon', { exact: true }).setInputFiles(picture('wide.png', 300, 200));
  await expect(page.getByText('The picture has to be square.')).toBeVisible();
  await page.getByLabel('Icon', { exact: true }).setInputFiles(picture('icon.png', 256));
  await expect(page.getByRole('img', { name: 'Icon' })).toBeVisible();
  await page.getByLabel('Your logo', { exact: true }).setInputFiles(picture('logo.png', 400, 100));
  await expect(page.locator('.sp-look .sp-logo').first()).toBeVisible();
  await page.getByLabel('Theme at the first visit').selectOption('light');
  complaints.splice(0);
  await whole('an appearance that is not saved');
  await save(page, 4);

  const guest = await browser.newPage({ baseURL: host.url });
  await guest.goto('/auth/login');
  await expect(guest.locator('html')).toHaveAttribute('data-theme', 'light');
  await expect(guest.locator('.sp-auth__brand .sp-logo')).toBeVisible();
  expect(
    await guest.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()),
  ).toBe('#a78507');
  await accessible(guest, 'the log-in page in the colours of the host');
  const icon = await guest.locator('link[rel=icon]').getAttribute('href');
  expect((await guest.request.get(icon ?? '')).headers()['content-type']).toBe('image/png');

  await page.goto('/mc-admin/settings?group=code');
  await ready(page);
  await page.getByRole('button', { name: 'Open the editor' }).first().click();
  const editor = page.getByRole('textbox', { name: 'Your own stylesheet' }).last();
  await expect(editor).toBeFocused();
  await page.keyboard.insertText('h1 { color: rgb(9, 8, 7); }');
  await expect(page.locator('.cm-line').first()).toContainText('rgb(9, 8, 7)');
  await whole('the editor');
  await save(page, 1);
  await page.goto('/mc-admin/settings?group=code');
  await expect(page.getByRole('heading', { level: 1 })).toHaveCSS('color', 'rgb(9, 8, 7)');
  await page.getByRole('link', { name: 'Open this page in safe mode' }).click();
  await expect(page.getByRole('link', { name: 'Leave safe mode' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveCSS('color', 'rgb(9, 8, 7)');
  await whole('safe mode');

  await expectPressToClick(await context.newPage());
  await context.close();
  await guest.close();
});

/** Presses a link while its page is hydrated: nothing makes room for itself before the press has become a click. */
async function expectPressToClick(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const held = new Promise<string>((resolve) =>
    devtools.once('Fetch.requestPaused', ({ requestId }) => resolve(requestId)),
  );
  await devtools.send('Fetch.enable', { patterns: [{ urlPattern: '*/assets/entry-*' }] });
  await page.goto('/mc-admin/settings?group=code', { waitUntil: 'commit' });
  const requestId = await held;
  const link = page.getByRole('link', { name: 'Open this page in safe mode' });
  await link.hover();
  await page.mouse.down();
  await devtools.send('Fetch.continueRequest', { requestId });
  await ready(page);
  const editor = page.getByRole('button', { name: 'Open the editor' }).first();
  await expect(editor).toBeHidden();
  await page.mouse.up();
  await expect(page.getByRole('link', { name: 'Leave safe mode' })).toBeVisible();
  await expect(editor).toBeVisible();
}
