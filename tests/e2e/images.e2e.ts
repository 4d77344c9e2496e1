import type { Browser, Page } from '@playwright/test';
import { pngOf } from '#tests/support/pictures.ts';
import {
  configure,
  expect,
  expectWhole,
  overflowOf,
  ready,
  setupCode,
  signUp,
  test,
  watch,
  type Installation,
} from './fixtures.ts';

/** Images of a player: uploaded by hand and by a program, found again, shown to others, deleted (behaviour 5.5). */
const DESK = { width: 1440, height: 900 };
const PHONE = { width: 360, height: 780 };

async function visit(browser: Browser, host: Installation, viewport = DESK) {
  const context = await browser.newContext({
    baseURL: host.url,
    viewport,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  return { page, complaints: watch(page) };
}
const file = (name: string, width: number, height = width) => ({
  name,
  mimeType: 'image/png',
  buffer: Buffer.from(pngOf(width, height)),
});
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
async function see(page: Page, complaints: readonly string[], what: string): Promise<void> {
  await expectWhole(page, complaints, what);
  await page.setViewportSize(PHONE);
  expect(await overflowOf(page), `${what}: nothing sticks out on a phone`).toBeLessThanOrEqual(0);
  await page.setViewportSize(DESK);
}

test('a player uploads images by hand and with ShareX, gives links away and deletes them', async ({
  browser,
  host,
}) => {
  await configure(host, { image_hosting_enabled: true, image_price: 0 });
  const { page, complaints } = await visit(browser, host);
  await signUp(page, 'mirela', setupCode(host));

  await page.goto('/images');
  await expect(page.getByRole('heading', { name: 'No images yet' })).toBeVisible();
  await see(page, complaints, 'a library without images');
  await page
    .getByLabel('Choose images')
    .setInputFiles([file('spawn-tower.png', 320, 200), file('ice-bridge.png', 200)]);
  const tile = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('checkbox', { name: `Select ${name}` }) });
  await expect(tile('spawn-tower.png')).toBeVisible();
  await expect(tile('ice-bridge.png')).toBeVisible();
  await page
    .getByLabel('Choose images')
    .setInputFiles({ name: 'plans.psd', mimeType: 'image/png', buffer: Buffer.from('8BPS') });
  await expect(page.getByText('No credits were taken.')).toBeVisible();
  await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(40, 30);
    canvas.getContext('2d')?.fillRect(0, 0, 20, 20);
    const data = new DataTransfer();
    data.items.add(new File([await canvas.convertToBlob()], 'pasted.png', { type: 'image/png' }));
    document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  });
  await expect(tile('pasted.png')).toBeVisible();
  await see(page, complaints, 'a library with images');

  await tile('spawn-tower.png').getByRole('button', { name: 'Copy link of spawn-tower.png' }).click();
  const link = await clipboard(page);
  await tile('ice-bridge.png').getByRole('button', { name: 'What to do with ice-bridge.png' }).click();
  await page.getByRole('menuitem', { name: 'Copy as Markdown' }).click();
  expect(await clipboard(page)).toMatch(/^!\[ice-bridge\.png\]\(http\S+\/i\/[\w-]{22}\.png\)$/);

  await page.goto('/images/config');
  await page.getByRole('textbox', { name: /^Title/ }).fill('<b>Spawn</b> "tower"');
  await page.getByRole('textbox', { name: /^Colour/ }).fill('#3fb950');
  await see(page, complaints, 'programs and link cards');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  await page.getByRole('button', { name: 'Make a key' }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: /^Download .*\.sxcu$/ }).click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await downloading).createReadStream()) chunks.push(chunk as Buffer);
  const config = JSON.parse(Buffer.concat(chunks).toString()) as {
    RequestURL: string;
    Headers: Record<string, string>;
    FileFormName: string;
  };
  const form = new FormData();
  form.set(config.FileFormName, new Blob([pngOf(90)]), 'from ShareX "ü".png');
  const sent = await fetch(config.RequestURL, { method: 'POST', headers: config.Headers, body: form });
  const answer = (await sent.json()) as { url: string; delete_url: string };
  expect(sent.status).toBe(201);

  const guest = await visit(browser, host, PHONE);
  await guest.page.goto(link);
  await expect(guest.page.getByRole('heading', { name: '<b>Spawn</b> "tower"' })).toBeVisible();
  expect(await guest.page.locator('meta[property="og:title"]').getAttribute('content')).toBe('<b>Spawn</b> "tower"');
  expect(await guest.page.locator('meta[name="theme-color"]').getAttribute('content')).toBe('#3fb950');
  const shown = await guest.page.locator('meta[property="og:image"]').getAttribute('content');
  expect((await fetch(shown ?? '')).headers.get('content-type')).toBe('image/webp');
  await expectWhole(guest.page, guest.complaints, 'the page of an image on a phone');

  await guest.page.goto(answer.delete_url);
  await ready(guest.page);
  await guest.page.getByRole('button', { name: 'Delete image' }).click();
  await expect(guest.page.getByRole('heading', { name: 'The image is deleted' })).toBeVisible();
  expect((await fetch(answer.url)).status).toBe(404);

  await page.goto('/images');
  await page.getByRole('checkbox', { name: 'Select ice-bridge.png' }).check();
  await page.getByRole('checkbox', { name: 'Select pasted.png' }).check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('2 images deleted')).toBeVisible();
  await expect(tile('ice-bridge.png')).toHaveCount(0);
  await see(page, complaints, 'a library after a deletion');

  await page.goto('/mc-admin/images/create');
  await page.locator('input[type=file]').setInputFiles(file('banner.png', 400, 120));
  await page.getByRole('textbox', { name: /^Name/ }).fill('Winter banner');
  await see(page, complaints, 'a new picture of the host');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByText('Winter banner').first()).toBeVisible();
  await see(page, complaints, 'the library of the host');
  await page.getByRole('link', { name: 'Delete Winter banner' }).click();
  await see(page, complaints, 'the question before a picture is deleted');
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await expect(page.getByRole('heading', { name: 'No pictures yet' })).toBeVisible();
});
