import type { Page } from '@playwright/test';
import { LOCALES } from '#shared/i18n/locales.ts';
import { call, configure, expect, overflowOf, ready, setupCode, signUp, test, uploadImage, watch } from './fixtures.ts';

/**
 * The screens on which people talk with each other, in every language: they fit on a phone and on a desktop, and
 * complain of nothing. How each looks otherwise, the test of all routes sees.
 */
const WIDTHS = [360, 1440];

/** A ticket with an answer, an announcement, an image, a link and a reply to keep. Out: the pages that show them. */
async function fill(page: Page): Promise<readonly string[]> {
  const kept = { position: 0, enabled: true };
  const department = await call<{ id: string }>(page, 'POST', '/api/admin/departments', {
    ...kept,
    name: 'Technical',
    description: '',
    hours: 'Mon–Sat, 10:00–22:00',
  });
  const reply = { ...kept, name: 'Port', text: 'Hi {{user}}, set the port of #{{number}}.' };
  const canned = await call<{ id: string }>(page, 'POST', '/api/admin/canned-replies', reply);
  const ticket = await call<{ id: string }>(page, 'POST', '/api/tickets', {
    department: department.id,
    priority: 'high',
    subject: 'Cannot join on port 25588',
    text: 'Since **16:50** nobody can join.',
  });
  const news = await call<{ id: string }>(page, 'POST', '/api/admin/announcements', {
    texts: [{ locale: 'en', title: 'Faster disks', summary: 'On Tuesday.', body: 'All of **them**.' }],
    tags: ['update'],
    picture: '',
    audience: 'everyone',
    targets: [],
    pinned: true,
    urgent: true,
    notifies: true,
    publish_at: 'now',
    end_at: null,
  });
  const image = await uploadImage(page, '/api/images');
  return [
    '/ticket',
    '/ticket/create',
    `/ticket/${ticket.id}`,
    '/announcements',
    `/announcements/${news.id}`,
    '/account?tab=notifications',
    '/images',
    '/images/config',
    `/images/${image}/delete`,
    '/mc-admin/tickets',
    `/mc-admin/tickets/${ticket.id}`,
    '/mc-admin/tickets/reports',
    '/mc-admin/departments',
    `/mc-admin/canned-replies/${canned.id}/edit`,
    '/mc-admin/announcements',
    '/mc-admin/announcements/create',
    `/mc-admin/announcements/${news.id}/edit`,
    '/mc-admin/images',
    '/mc-admin/image-reports',
    '/mc-admin/redirect-links',
    '/mc-admin/redirect-links/create',
  ];
}

test('the screens of tickets, announcements, notifications, images and links fit in each of the six languages', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({ baseURL: host.url });
  const page = await context.newPage();
  await configure(host, { image_hosting_enabled: true, image_price: 0 });
  await signUp(page, 'oana', setupCode(host));
  const paths = await fill(page);
  const complaints = watch(page);
  for (const locale of LOCALES) {
    await page.evaluate((saved) => localStorage.setItem('preferredLocale', saved), locale.toUpperCase());
    await context.addCookies([{ name: 'locale', value: locale, url: host.url }]);
    for (const path of paths) {
      await page.goto(path);
      await ready(page);
      const shown = `${path} in ${locale}`;
      expect(await page.evaluate(() => [document.documentElement.lang, location.pathname]), shown).toEqual([
        locale === 'md' ? 'ro-MD' : locale,
        path.split('?')[0],
      ]);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        expect(await overflowOf(page), `${shown} at ${width} pixels`).toBeLessThanOrEqual(0);
        const cut = page
          .locator('.sp-btn')
          .evaluateAll((buttons) =>
            buttons.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent),
          );
        expect(await cut, `words of buttons that are cut, ${shown} at ${width} pixels`).toEqual([]);
      }
      expect(complaints, shown).toEqual([]);
    }
  }
  await context.close();
});
