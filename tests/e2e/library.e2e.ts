import type { Page } from '@playwright/test';
import { pngOf } from '#tests/support/pictures.ts';
import { call, expect, expectWhole, ready, setupCode, signUp, test, watch } from './fixtures.ts';

/** The library of the host's own pictures, and the picker that shows it (behaviour 8.4, attacks T42). */
const file = (name: string, width: number, height = width, tint = 0) => ({
  name,
  mimeType: 'image/png',
  buffer: Buffer.from(pngOf(width, height, tint)),
});
const picker = (page: Page) => page.getByRole('dialog', { name: 'Choose a picture' });
const open = async (page: Page, path: string): Promise<void> => {
  await page.goto(path);
  await ready(page);
};

test('staff choose pictures of the library for a text, the look and an egg, and see where one is used', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({ baseURL: host.url, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const complaints = watch(page);
  await signUp(page, 'oana', setupCode(host));

  await test.step('a picture is added in place and chosen with the keyboard for a text', async () => {
    await open(page, '/mc-admin/announcements/create');
    const english = page.locator('.sp-card').filter({ has: page.getByRole('heading', { name: 'English' }) });
    await english.getByLabel('Title').fill('A new map');
    await english.getByLabel('Text').fill('Look: ');
    await english.getByRole('button', { name: 'From the library' }).click();
    await expect(picker(page).getByText('No pictures yet')).toBeVisible();
    for (const [name, width, height] of [
      ['tower.png', 400, 400],
      ['valley with a very long name that does not fit into its tile.png', 1600, 500],
    ] as const) {
      await picker(page)
        .getByLabel('Add image')
        .setInputFiles(file(name, width, height, width));
      await expect(picker(page).getByRole('radio', { name })).toBeChecked();
    }
    await picker(page).getByRole('searchbox', { name: 'Name' }).fill('nothing of this name');
    await expect(picker(page).getByRole('radio')).toHaveCount(0);
    await picker(page).getByRole('searchbox', { name: 'Name' }).fill('');
    await picker(page).getByRole('radio', { name: 'valley' }).focus();
    await page.keyboard.press('ArrowDown');
    await expect(picker(page).getByRole('radio', { name: 'tower.png' })).toBeChecked();
    await expectWhole(page, complaints, 'the picker');
    await page.keyboard.press('Enter');
    await expect(english.getByLabel('Text')).toHaveValue(
      /^Look: !\[tower\]\(\/api\/system\/pictures\/[0-9a-f]{32}\/wide\)/,
    );
    const shown = page.getByRole('img', { name: 'tower', exact: true });
    await expect(shown).toHaveAttribute('width', '400');
    await expect(shown).toHaveAttribute('srcset', /card 400w/);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Nobody sees it yet.')).toBeVisible();
  });

  await test.step('what does not fit is said in the picker, and another one is taken on a phone', async () => {
    await page.setViewportSize({ width: 360, height: 780 });
    await open(page, '/mc-admin/settings?group=appearance');
    const icon = page.locator('.sp-set__picture', { has: page.locator('input[name="icon_picture"]') });
    await icon.getByRole('button', { name: 'From the library' }).click();
    await picker(page).getByRole('radio', { name: 'valley' }).check();
    await picker(page).getByRole('button', { name: 'Use it' }).click();
    await expect(picker(page).getByRole('alert')).toBeVisible();
    await expectWhole(page, complaints, 'the picker on a phone');
    await picker(page).getByRole('radio', { name: 'tower.png' }).check();
    await picker(page).getByRole('button', { name: 'Use it' }).click();
    await expect(picker(page)).toHaveCount(0);
    await expect(icon.getByRole('img')).toBeVisible();
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  await test.step('an egg shows a picture in the place of its block', async () => {
    const { rows } = await call<{ rows: { id: string }[] }>(page, 'GET', '/api/admin/eggs');
    await open(page, `/mc-admin/eggs/${rows[0]?.id ?? ''}/edit`);
    await page.getByRole('button', { name: 'From the library' }).click();
    await picker(page).getByRole('radio', { name: 'tower.png' }).check();
    await picker(page).getByRole('button', { name: 'Use it' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.locator('h1 img.sp-block, .sp-page__head img.sp-block, img.sp-block').first()).toBeVisible();
    await expectWhole(page, complaints, 'an egg with a picture');
  });

  await test.step('an egg category shows a picture where players choose their software', async () => {
    const { rows } = await call<{ rows: { id: string; name: string }[] }>(page, 'GET', '/api/admin/egg-categories');
    await open(page, `/mc-admin/egg-categories/${rows[0]?.id ?? ''}/edit`);
    await page.getByRole('button', { name: 'From the library' }).click();
    await picker(page).getByRole('radio', { name: 'tower.png' }).check();
    await picker(page).getByRole('button', { name: 'Use it' }).click();
    await expectWhole(page, complaints, 'an egg category with a picture');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('status').first()).toBeVisible();
    await open(page, '/server/create');
    const shown = page.locator('.sp-eggs__tabs img');
    await expect(shown).toHaveCount(1);
    await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    await expectWhole(page, complaints, 'the software with a picture of its category');
  });

  await test.step('it gets another name, and stays what it was', async () => {
    await open(page, '/mc-admin/images');
    await page.getByRole('button', { name: 'Rename tower.png' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('castle.png');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await expect(page.getByRole('link', { name: 'Delete castle.png' })).toBeVisible();
    await expectWhole(page, complaints, 'the library after a new name');
  });

  await test.step('its delete page names the announcement, the egg and the category', async () => {
    await open(page, '/mc-admin/images');
    await page.getByRole('link', { name: 'Delete castle.png' }).click();
    await expect(page.getByRole('link', { name: 'Announcement: A new map' })).toBeVisible();
    await expect(page.getByRole('link', { name: /^Egg: / })).toBeVisible();
    await expect(page.getByRole('link', { name: /^Egg category: / })).toBeVisible();
    await expectWhole(page, complaints, 'the delete page');
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await expect(page.getByRole('link', { name: 'Delete castle.png' })).toHaveCount(0);
    await expect(page.getByRole('link', { name: /Delete valley/ })).toBeVisible();
  });
});
