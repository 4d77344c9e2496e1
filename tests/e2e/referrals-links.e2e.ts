import { createServer, type Server } from 'node:http';
import type { Page } from '@playwright/test';
import { createLinkServices, LINK_KEYS, type LinkServices } from '../support/link-services.ts';
import { configure, DESKTOP, expect, openVisitor, PASSPHRASE, PHONE, ready, setupCode, test } from './fixtures.ts';

/**
 * Inviting somebody, and going through sponsors' pages and back, as a player on a phone and as the owner; who is
 * invited sits at a desktop.
 */
test.describe.configure({ mode: 'serial' });

let services: LinkServices;
let sponsors: Server;

async function register(page: Page, path: string, name: string): Promise<void> {
  await page.goto(path);
  await ready(page);
  await page.getByLabel('First name').fill('Mirela');
  await page.getByLabel('Last name').fill('Vega');
  await page.getByLabel('Username').fill(name);
  await page.getByLabel('E-mail').fill(`${name}@example.com`);
  await page.getByLabel('Password', { exact: true }).fill(PASSPHRASE);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: /^Create (account|owner account)/ }).click();
  await page.waitForURL(path.includes('setup=') ? '**/mc-admin/setup' : '**/dashboard');
}

test.beforeAll(async ({ host }) => {
  services = createLinkServices(Date.now);
  sponsors = createServer((request, response) => {
    const answer = services.answer(
      new Request(`http://127.0.0.1${request.url ?? '/'}`, { method: request.method ?? 'GET' }),
    );
    void answer.text().then((text) => response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text));
  });
  await new Promise<void>((resolve) => sponsors.listen(0, '127.0.0.1', resolve));
  const address = sponsors.address();
  const base = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const settings = {
    outbound_private_networks: 'true',
    link_linkvertise_enabled: 'true',
    link_linkvertise_user: '123456',
    link_linkvertise_key: LINK_KEYS.linkvertise,
    link_linkvertise_host: `${base}/linkvertise`,
    link_linkvertise_api: `${base}/linkvertise`,
    link_linkvertise_min_seconds: '0',
    link_linkvertise_cooldown_minutes: '0',
    link_shareus_enabled: 'true',
    link_shareus_key: LINK_KEYS.shareus,
    link_shareus_api: `${base}/shareus`,
    link_shareus_min_seconds: '0',
    early_supporters_enabled: 'true',
    early_supporters_count: '12',
  };
  await configure(host, settings);
});
test.afterAll(() => void sponsors.close());

// First, because nobody registers before there is an owner.
test('the owner sees the pages that a player sees', async ({ browser, host }) => {
  const { context, page, seen } = await openVisitor(browser, host, DESKTOP);
  await register(page, `/auth/register?setup=${setupCode(host)}`, 'owner');
  for (const path of ['/earn/referrals', '/earn/links', '/earn/links/return']) {
    await page.goto(path);
    await seen(`${path} as the owner`);
  }
  await context.close();
});

test("inviting and sponsors' pages work", async ({ browser, host }) => {
  const player = await openVisitor(browser, host, PHONE);
  const { page, seen } = player;
  await register(page, '/auth/register', 'host_player');
  // The settings reached the running server with the owner's pages.
  await expect(page.getByText('12 places left')).toBeVisible();
  await seen('the dashboard with the places of early supporters');

  // Whoever registers has a link from the start.
  await page.goto('/earn/referrals');
  const link = await page.getByLabel('Your link').inputValue();
  expect(link).toMatch(/\/auth\/register\?ref=[2-9a-z]{8}$/);
  await expect(page.getByRole('img', { name: 'QR code of your referral link' })).toBeVisible();
  await seen('referrals without anybody yet');

  const friend = await openVisitor(browser, host, DESKTOP);
  const path = new URL(link).pathname + new URL(link).search;
  await friend.page.goto(path);
  await expect(friend.page.getByText('The code is valid.', { exact: false })).toBeVisible();
  await friend.seen('registering with a code');
  await register(friend.page, path, 'newcomer');
  await friend.page.goto('/earn/referrals');
  await expect(friend.page.getByRole('heading', { name: 'You were invited' })).toBeVisible();
  await friend.seen('referrals of a newcomer');
  await friend.context.close();

  await page.goto('/earn/referrals');
  await expect(page.getByText('newcomer')).toBeVisible();
  await expect(page.getByText('Not all conditions met yet.')).toBeVisible();
  await seen('referrals with one of them');

  // The settings reach the running server within seconds.
  await expect
    .poll(
      async () => (await page.goto('/earn/links'), page.getByRole('button', { name: 'Start with ShareUs' }).count()),
      { timeout: 90_000 },
    )
    .toBe(1);
  await seen('links');
  await page.getByRole('button', { name: 'Start with Linkvertise' }).click();
  await page.waitForURL('**/earn/links/return?**');
  await expect(page.getByText('Your balance is now', { exact: false })).toBeVisible();
  await seen('back from a sponsor, paid');
  await page.reload();
  await expect(page.getByText('This link was already paid.')).toBeVisible();
  await seen('back from a sponsor, twice');

  await page.route('https://shareus.io/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><html lang="en"><title>Sponsor</title><a href="${services.targetOf(route.request().url())}">Continue</a></html>`,
    }),
  );
  await page.getByRole('link', { name: 'Back to sponsors' }).click();
  await page.getByRole('button', { name: 'Start with ShareUs' }).click();
  await page.getByRole('link', { name: 'Continue' }).click();
  await expect(page.getByText('are on hold for review.', { exact: false })).toBeVisible();
  await seen('back from a sponsor, held');
  await page.getByRole('link', { name: 'Back to sponsors' }).click();
  await expect(page.getByText('On hold')).toBeVisible();
  await seen('links after two of them');
  await page.goto('/earn/links/return');
  await expect(page.getByRole('heading', { name: 'Nothing to confirm' })).toBeVisible();
  await seen('back without a claim');
  await player.context.close();
});
