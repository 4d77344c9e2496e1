import type { Browser, Page } from '@playwright/test';
import { pngOf } from '#tests/support/pictures.ts';
import {
  configure,
  expect,
  expectWhole,
  ready,
  setupCode,
  signUp,
  test,
  watch,
  type Installation,
} from './fixtures.ts';

/** Staff at a desk and a player on a phone, side by side (behaviour 7.4). */
const DESK = { width: 1440, height: 900 };
const PHONE = { width: 360, height: 780 };

interface Visitor {
  readonly page: Page;
  readonly complaints: string[];
}

async function visitor(browser: Browser, host: Installation, viewport: typeof DESK): Promise<Visitor> {
  const context = await browser.newContext({ baseURL: host.url, viewport });
  const page = await context.newPage();
  return { page, complaints: watch(page) };
}
const card = ({ page }: Visitor, name: string) =>
  page.locator('.sp-card').filter({ has: page.getByRole('heading', { name, exact: true, level: 2 }) });
const open = async ({ page }: Visitor, path: string): Promise<void> => {
  await page.goto(path);
  await ready(page);
};

test('staff announce something urgent, and a player sees, reads and answers it', async ({ browser, host }) => {
  await configure(host, { announcements_public: true });
  const [staff, player] = [await visitor(browser, host, DESK), await visitor(browser, host, PHONE)];
  await signUp(staff.page, 'oana', setupCode(host));
  await signUp(player.page, 'mirela');
  await open(player, '/announcements');
  await expect(player.page.getByRole('heading', { name: 'Nothing new' })).toBeVisible();
  await expectWhole(player.page, player.complaints, 'an empty board');

  await test.step('staff write it, see how it will look, and keep a draft', async () => {
    await open(staff, '/mc-admin/announcements');
    await staff.page.getByRole('link', { name: 'Write an announcement' }).click();
    const english = card(staff, 'English');
    await english.getByLabel('Title').fill('Frankfurt is down');
    await english.getByLabel('Text').fill('We **work** on it.\n\n<img src=x onerror=alert(1)>\n');
    await english.getByLabel('Insert a picture').setInputFiles({
      name: 'graph [1].png',
      mimeType: 'image/png',
      buffer: Buffer.from(pngOf(300, 100)),
    });
    await expect(english.getByLabel('Text')).toHaveValue(
      /!\[graph {2}1\]\(\/api\/system\/pictures\/[0-9a-f]{32}\/wide\)/,
    );
    const preview = card(staff, 'Preview');
    await expect(preview.locator('strong', { hasText: 'work' })).toBeVisible();
    await expect(preview.getByRole('img', { name: 'graph 1' })).toBeVisible();
    await expect(preview).toContainText('<img src=x onerror=alert(1)>');
    await staff.page.getByLabel('Tags').fill('Outage, Frankfurt');
    await staff.page.getByRole('switch', { name: 'Urgent' }).check();
    await expectWhole(staff.page, staff.complaints, 'the editor');
    await staff.page.getByRole('button', { name: 'Save' }).click();
    await expect(staff.page.getByText('Nobody sees it yet.')).toBeVisible();
    await player.page.reload();
    await expect(player.page.getByRole('heading', { name: 'Nothing new' })).toBeVisible();
  });

  await test.step('it is published, and the player sees it without reloading', async () => {
    await staff.page.getByLabel('Publish', { exact: true }).selectOption('now');
    await staff.page.getByRole('button', { name: 'Save' }).click();
    await expect(staff.page.getByText('Published', { exact: true }).first()).toBeVisible();
    await expectWhole(staff.page, staff.complaints, 'a published one');
    const banner = player.page.locator('.sp-banner', { hasText: 'Frankfurt is down' });
    await expect(banner).toBeVisible();
    await expectWhole(player.page, player.complaints, 'the banner over the board');
    await banner.getByRole('link').click();
    await expect(player.page.getByRole('heading', { name: 'Frankfurt is down' })).toBeVisible();
    await expect(player.page.getByRole('img', { name: 'graph 1' })).toBeVisible();
    // It was read.
    await expect(banner).toHaveCount(0);
  });

  await test.step('the player answers with a click, and takes that back', async () => {
    const sad = player.page.getByRole('button', { name: 'Sad' });
    // What was clicked shows before it is kept.
    const kept = player.page.waitForResponse((answer) => answer.request().method() !== 'GET' && answer.ok());
    await sad.click();
    await expect(sad).toHaveAttribute('aria-pressed', 'true');
    await expect(sad).toContainText('1');
    await kept;
    await player.page.reload();
    await ready(player.page);
    await expectWhole(player.page, player.complaints, 'an announcement with a reaction');
    await sad.click();
    await expect(sad).toHaveAttribute('aria-pressed', 'false');
  });

  await test.step('what it said before is brought back', async () => {
    const english = card(staff, 'English');
    await english.getByLabel('Title').fill('Frankfurt is back');
    await staff.page.getByRole('button', { name: 'Save' }).click();
    await expect(staff.page.getByRole('heading', { name: 'Frankfurt is back', level: 1 })).toBeVisible();
    const history = card(staff, 'History');
    await history.locator('summary').nth(1).click();
    await history.getByRole('button', { name: 'Restore' }).first().click();
    await expect(staff.page.getByRole('heading', { name: 'Frankfurt is down', level: 1 })).toBeVisible();
    await expectWhole(staff.page, staff.complaints, 'the history');
  });

  await test.step('a visitor without an account reads it, and staff delete it', async () => {
    const guest = await visitor(browser, host, PHONE);
    await open(guest, '/news');
    await guest.page.getByRole('link', { name: 'Frankfurt is down' }).click();
    await expect(guest.page.getByRole('heading', { name: 'Frankfurt is down' })).toBeVisible();
    await expectWhole(guest.page, guest.complaints, 'the public page');
    await staff.page.getByRole('link', { name: 'Delete' }).click();
    await staff.page.getByRole('button', { name: 'Delete' }).click();
    await expect(staff.page.getByText('The announcement was deleted.')).toBeVisible();
    await expectWhole(staff.page, staff.complaints, 'the list');
  });
});
