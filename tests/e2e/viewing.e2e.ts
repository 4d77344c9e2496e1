import type { Browser, Page } from '@playwright/test';
import { accessible, call, expect, overflowOf, ready, setupCode, test, watch, type Installation } from './fixtures.ts';

test.use({ file: 'viewing' });

/** Staff view as a user: the bar on every page, what is shut, and the way back; without scripts as well. */
const SIZES = [
  { width: 1440, height: 900, theme: 'dark' },
  { width: 360, height: 740, theme: 'light' },
] as const;

async function visitor(browser: Browser, host: Installation, username: string, setup?: string) {
  const context = await browser.newContext({ viewport: SIZES[0], baseURL: host.url });
  const page = await context.newPage();
  const complaints = watch(page);
  await page.goto('/auth/login');
  const person = {
    username,
    email: `${username}@example.com`,
    password: 'plough lantern meadow seven',
    first_name: 'Mirela',
    last_name: 'Vega',
    terms: true,
  };
  await call(page, 'POST', '/api/auth/register', setup === undefined ? person : { ...person, setup });
  return { page, context, complaints };
}

async function seen(page: Page, what: string): Promise<void> {
  for (const { width, height, theme } of SIZES) {
    await page.setViewportSize({ width, height });
    await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
    await ready(page);
    await accessible(page, `${what} (${width})`);
    const overflow = await overflowOf(page);
    expect(overflow, `${what}: nothing sticks out sideways at ${width}`).toBeLessThanOrEqual(0);
    await expect(page.getByRole('complementary', { name: 'Viewing as a user' })).toBeInViewport();
  }
  await page.setViewportSize(SIZES[0]);
}

test('T39 staff view as a user with a bar on every page, change nothing, and are back by one click', async ({
  browser,
  host,
}) => {
  const owner = await visitor(browser, host, 'the.owner', setupCode(host));
  const player = await visitor(browser, host, 'lantern.of.the.meadow.lane.32ch');
  const { page } = owner;
  await page.goto('/mc-admin/users?q=lantern');
  await ready(page);
  await page.getByRole('link', { name: 'lantern' }).click();
  await page.getByRole('button', { name: 'View as user' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'View as user' }).click();
  await expect(page).toHaveURL(/\/dashboard$/);
  await ready(page);
  const bar = page.getByRole('complementary', { name: 'Viewing as a user' });
  await expect(bar).toContainText('You are viewing as lantern.of.the.meadow.lane.32ch until');
  await seen(page, 'the dashboard of somebody else');
  await page.getByRole('link', { name: 'Store', exact: true }).first().click();
  await expect(page).toHaveURL(/\/store$/);
  await expect(bar).toBeVisible();
  await page.getByRole('link', { name: 'Account', exact: true }).first().click();
  await expect(page.getByText('You are viewing as somebody else: nothing can be changed')).toBeVisible();
  await seen(page, 'what is shut');
  const refused = await page.evaluate(async () => {
    const answer = await fetch('/api/account/support-pin', { method: 'POST' });
    return [answer.status, ((await answer.json()) as { error_code: string }).error_code];
  });
  expect(refused).toEqual([403, 'VIEWING_READ_ONLY']);
  // The user is notified at once.
  await player.page.goto('/dashboard');
  await ready(player.page);
  await player.page.getByRole('button', { name: 'Notifications' }).click();
  await expect(player.page.getByText('A member of staff looked at the site as you see it.')).toBeVisible();
  await bar.getByRole('button', { name: 'Stop viewing' }).click();
  await expect(page).toHaveURL(/\/mc-admin\/users\/[^/]+\/edit$/);
  await ready(page);
  await expect(bar).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'View as user' })).toBeVisible();
  expect([...owner.complaints, ...player.complaints]).toEqual([]);

  const address = page.url();
  const plain = await browser.newContext({ baseURL: host.url, javaScriptEnabled: false });
  await plain.addCookies(await owner.context.cookies());
  const form = await plain.newPage();
  await form.goto(address);
  await form.getByRole('button', { name: 'View as user' }).click();
  await expect(form).toHaveURL(/\/dashboard$/);
  await form.getByRole('button', { name: 'Stop viewing' }).click();
  await expect(form).toHaveURL(address);
  await plain.close();
});
