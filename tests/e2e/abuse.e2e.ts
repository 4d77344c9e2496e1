import type { Page } from '@playwright/test';
import { turnstileStandIn, TURNSTILE_SECRET } from '../support/turnstile.ts';
import { configure, DESKTOP, expect, installCopy, openVisitor, PASSPHRASE, PHONE, ready, test } from './fixtures.ts';

/** Abuse as people meet it: the challenge before a form, a reward that waits, the note on it, and the staff who decide. */

async function register(page: Page, path: string, name: string, domain: string): Promise<void> {
  await page.goto(path);
  await ready(page);
  await page.getByLabel('First name').fill('Mirela');
  await page.getByLabel('Last name').fill('Vega');
  await page.getByLabel('Username').fill(name);
  await page.getByLabel('E-mail').fill(`${name}@${domain}`);
  await page.getByLabel('Password', { exact: true }).fill(PASSPHRASE);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: /^Create (account|owner account)/ }).click();
}
/** Calls the API as the page does. */
const call = (page: Page, path: string, body: unknown) =>
  page.evaluate(
    async ([where, sent]) => {
      const response = await fetch(where, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
        body: sent,
      });
      if (!response.ok) throw new Error(await response.text());
    },
    [path, JSON.stringify(body)] as const,
  );
async function redeem(page: Page, code: string): Promise<void> {
  await page.goto('/earn/redeem');
  await ready(page);
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.getByRole('button', { name: 'Redeem' }).click();
  await expect(page.getByText('on hold for review')).toBeVisible();
}

test('a reward on hold goes from the challenge to the decision', async ({ browser }) => {
  const host = await installCopy();
  try {
    const staff = await openVisitor(browser, host, DESKTOP);
    await staff.page.goto('/auth/login');
    const setup = new URL(host.setupLink).searchParams.get('setup');
    await call(staff.page, '/api/auth/register', {
      username: 'mirela',
      email: 'mirela@example.com',
      password: PASSPHRASE,
      first_name: 'Mirela',
      last_name: 'Vega',
      terms: true,
      setup,
    });
    await configure(host, {
      abuse_threshold: '20',
      challenge: 'altcha',
      altcha_cost: '1000',
      challenge_login_after: '1',
    });
    for (const code of ['HELD-ONE', 'HELD-TWO']) {
      await call(staff.page, '/api/admin/redeem-codes', {
        code,
        note: '',
        credits: 40,
        uses_total: 5,
        min_age_days: 0,
        starts_at: null,
        ends_at: null,
        enabled: true,
      });
    }
    await staff.page.goto('/mc-admin/held-rewards');
    await expect(staff.page.getByText('Nothing to review')).toBeVisible();
    await staff.seen('no held rewards');

    // The form is refused, solves the puzzle in a worker and sends itself.
    const player = await openVisitor(browser, host, PHONE);
    await register(player.page, '/auth/register', 'tobi_k', 'mailinator.com');
    await player.page.waitForURL('**/dashboard');

    await redeem(player.page, 'held one');
    await player.seen('a redeemed code that is held');
    await player.page.getByRole('link', { name: 'on hold for review' }).click();
    await player.page.waitForURL('**/account?tab=held');
    await player.page.getByText('Add a note').click();
    await player.seen('a held reward with the form of a note');
    await player.page.getByLabel('Your note to the team').fill('I only have this address.');
    await player.page.getByRole('button', { name: 'Send note' }).click();
    await expect(player.page.getByText('Thank you.')).toBeVisible();
    await player.seen('a held reward with a note');
    await redeem(player.page, 'held two');

    await staff.page.goto('/mc-admin/held-rewards');
    await ready(staff.page);
    const withNote = staff.page.getByRole('rowheader').filter({ hasText: 'Has a note' });
    await withNote.getByText('tobi_k').click();
    await expect(withNote.getByText('Disposable e-mail address')).toBeVisible();
    await expect(withNote.getByText('I only have this address.')).toBeVisible();
    await staff.seen('held rewards with an open explanation');
    await staff.page.setViewportSize(PHONE.viewport);
    await staff.seen('held rewards with an open explanation, as cards');
    await staff.page.setViewportSize(DESKTOP.viewport);
    await withNote.getByRole('button', { name: 'Approve the reward of tobi_k' }).click();
    await expect(staff.page.getByText('Reward approved.')).toBeVisible();
    await expect(staff.page.getByRole('row', { name: /HELD-ONE/ })).toHaveCount(0);
    await staff.page.getByRole('checkbox', { name: 'Select tobi_k' }).check();
    await staff.seen('a picked reward');
    await staff.page.getByRole('region', { name: '1 selected' }).getByRole('button', { name: 'Reject' }).click();
    await staff.page.getByRole('alertdialog').getByRole('button', { name: 'Reject' }).click();
    await expect(staff.page.getByText('Reward rejected.')).toBeVisible();
    await staff.page.getByLabel('On hold', { exact: true }).selectOption({ label: 'All states' });
    await expect(staff.page.getByRole('cell', { name: 'Rejected' })).toBeVisible();
    await staff.seen('decided rewards');

    await player.page.goto('/account?tab=held');
    await expect(player.page.getByText('Paid', { exact: true })).toBeVisible();
    await expect(player.page.getByText('Rejected', { exact: true })).toBeVisible();
    await player.seen('decided rewards of a player');
    await player.page.goto('/account?tab=statement');
    await expect(player.page.getByRole('table').getByText('Reward approved')).toBeVisible();

    // A failed log-in asks for the puzzle before the next.
    await player.page.goto('/auth/logout');
    // The page sends its form by itself: whoever leaves before is still logged in.
    await player.page.waitForURL('**/auth/login?logout=done');
    await ready(player.page);
    for (const password of ['wrong wrong wrong', PASSPHRASE]) {
      await player.page.getByLabel('Username or e-mail').fill('tobi_k');
      await player.page.getByLabel('Password', { exact: true }).fill(password);
      await player.page.getByRole('button', { name: 'Log in' }).click();
      if (password !== PASSPHRASE) await expect(player.page.getByText('Username or password is wrong.')).toBeVisible();
    }
    await player.page.waitForURL('**/dashboard');
    expect(player.complaints).toEqual([]);
    expect(staff.complaints).toEqual([]);
  } finally {
    await host.stop();
  }
});

test('Turnstile and an ad-blocker check work in a browser', async ({ browser }) => {
  const host = await installCopy();
  const service = await turnstileStandIn({ hostname: new URL(host.url).hostname });
  try {
    await configure(host, {
      challenge: 'turnstile',
      outbound_private_networks: 'true',
      turnstile_url: service.base,
      turnstile_site_key: 'site',
      turnstile_secret: TURNSTILE_SECRET,
      adblock_check: 'true',
    });
    const owner = await openVisitor(browser, host, DESKTOP);
    await register(owner.page, host.setupLink, 'mirela', 'example.com');
    await owner.page.waitForURL('**/mc-admin/setup');

    service.state.mode = 'fails';
    const guest = await openVisitor(browser, host, PHONE);
    await register(guest.page, '/auth/register', 'tobi_k', 'example.com');
    await expect(
      guest.page.getByText('The check couldn’t be completed. Something in your browser may be blocking it.'),
    ).toBeVisible();
    await guest.seen('a challenge that failed');
    // Another page, another script: what was typed stays, and the next try gets in.
    service.state.mode = 'fills';
    await guest.page.evaluate(() => void delete window.turnstile);
    await guest.page.getByRole('button', { name: 'Try again' }).click();
    await guest.page.waitForURL('**/dashboard');
    expect(guest.complaints).toEqual([]);

    // The bait is kept away: no AFK. It is let through: AFK runs.
    await guest.page.route('**/api/ads/**', (route) => route.abort());
    await guest.page.goto('/earn/afk');
    await ready(guest.page);
    await guest.page.getByRole('button', { name: 'Start earning' }).click();
    await expect(
      guest.page.getByText('Earning here needs ads to load. Turn off your ad blocker for this site and try again.'),
    ).toBeVisible();
    guest.complaints.splice(0);
    await guest.page.unroute('**/api/ads/**');
    await guest.page.getByRole('button', { name: 'Start earning' }).click();
    await expect(guest.page.getByText('Running', { exact: true })).toBeVisible();
    await guest.seen('AFK after the ad-blocker check');
  } finally {
    await service.close();
    await host.stop();
  }
});
