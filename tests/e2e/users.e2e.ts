import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { Secret, TOTP } from 'otpauth';
import {
  accessible,
  call,
  expect,
  overflowOf,
  PASSPHRASE,
  ready,
  setupCode,
  signUp,
  test,
  watch,
  type Installation,
} from './fixtures.ts';

/** What staff do with a user: find them by their PIN, note something, end a session, ban, and lift the ban. */
const SIZES = [
  { width: 1440, height: 900, theme: 'dark' },
  { width: 360, height: 740, theme: 'light' },
] as const;

async function visitor(browser: Browser, host: Installation) {
  const context = await browser.newContext({ viewport: SIZES[0], baseURL: host.url });
  const page = await context.newPage();
  const complaints = watch(page);
  const seen = async (what: string) => {
    for (const { width, height, theme } of SIZES) {
      await page.setViewportSize({ width, height });
      await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
      await ready(page);
      await accessible(page, `${what} (${width})`);
      const overflow = await overflowOf(page);
      expect(overflow, `${what}: nothing sticks out sideways at ${width}`).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize(SIZES[0]);
    expect(complaints, what).toEqual([]);
  };
  return { page, seen };
}

test('T34 staff find a user by their PIN, note something, ban them, and the user reads why at the log-in', async ({
  browser,
  host,
}) => {
  const owner = await visitor(browser, host);
  await signUp(owner.page, 'the.owner', setupCode(host));
  const player = await visitor(browser, host);
  await signUp(player.page, 'lantern');
  await player.page.goto('/account');
  await ready(player.page);
  await player.page.getByRole('button', { name: 'New PIN' }).click();
  const pin = (await player.page.locator('.sp-pin').textContent()) ?? '';
  expect(pin).toMatch(/^\d{3} \d{3}$/);

  const { page, seen } = owner;
  await page.goto(`/mc-admin/users?q=${encodeURIComponent(pin)}`);
  await ready(page);
  await page.getByRole('link', { name: 'lantern' }).click();
  await page.getByRole('link', { name: 'Notes' }).click();
  await page.getByLabel('New note').fill('Asked about a lost server.');
  await page.getByRole('button', { name: 'Add note' }).click();
  await expect(page.getByText('Note added.')).toBeVisible();
  await seen('the notes on a user');
  for (const [tab, shown] of [
    ['Profile', 'Accounts in game panels get the new name.'],
    ['Ways in', 'No API tokens.'],
    ['Signals', 'Nothing is on hold.'],
    ['Activity', 'New support PIN'],
    ['Servers', 'No servers.'],
    ['Payments', 'No payments.'],
  ] as const) {
    await page.getByRole('navigation', { name: 'Parts of this user' }).getByRole('link', { name: tab }).click();
    await expect(page.getByText(shown).first()).toBeVisible();
    if (tab === 'Profile' || tab === 'Ways in') await seen(`${tab} of a user`);
  }
  await page.getByRole('link', { name: 'Access' }).click();
  await page.getByLabel('For how long').selectOption('30');
  await page.getByLabel('Reason').fill('Two accounts');
  await seen('the access of a user');
  await page.getByRole('button', { name: 'Ban', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Ban', exact: true }).click();
  await expect(page.getByText('lantern is banned.')).toBeVisible();
  await expect(page.getByText('Not logged in anywhere.')).toBeVisible();
  await seen('a banned user');

  const banned = await visitor(browser, host);
  await banned.page.goto('/auth/login');
  await ready(banned.page);
  const logIn = async () => {
    await banned.page.getByLabel('Username or e-mail').fill('lantern');
    await banned.page.getByLabel('Password', { exact: true }).fill(PASSPHRASE);
    await banned.page.getByRole('button', { name: 'Log in', exact: true }).click();
  };
  await logIn();
  await expect(banned.page.getByText('Reason: Two accounts')).toBeVisible();
  await expect(banned.page.getByText(/^The ban ends on /)).toBeVisible();
  await page.getByRole('button', { name: 'Lift the ban' }).click();
  await expect(page.getByText('The ban is lifted.')).toBeVisible();
  await logIn();
  await expect(banned.page).toHaveURL(/\/dashboard$/);
});

test('staff see what hangs on an account, and close it by typing its name', async ({ browser, host }) => {
  const owner = await visitor(browser, host);
  await owner.page.goto('/auth/login');
  await call(owner.page, 'POST', '/api/auth/login', { login: 'the.owner', password: PASSPHRASE });
  const player = await visitor(browser, host);
  const name = 'a.very.long.name.of.a.player.1234';
  await signUp(player.page, name.slice(0, 32));
  const { page, seen } = owner;
  await page.goto(`/mc-admin/users?q=a.very`);
  await ready(page);
  await page.getByRole('link', { name: /^a\.very/ }).click();
  await page.getByRole('link', { name: 'Delete' }).click();
  await ready(page);
  await seen('the delete page of a user');
  await page.getByRole('radio', { name: /^Delete entirely/ }).check();
  await page.getByLabel(/^Type/).fill('somebody else');
  await page.getByRole('button', { name: 'Close account' }).click();
  await expect(page.getByText('That isn’t the name.')).toBeVisible();
  await expect(page.getByRole('radio', { name: /^Delete entirely/ })).toBeChecked();
  await page.getByLabel(/^Type/).fill(name.slice(0, 32));
  await page.getByRole('button', { name: 'Close account' }).click();
  await expect(page.getByText(/^The account is closed\./)).toBeVisible();
  await player.page.goto('/account');
  await expect(player.page).toHaveURL(/\/auth\/login/);
});

/** Gives a user two ways in as other tests make them: a passkey, and an account at Discord. */
function addWays(host: Installation, username: string): void {
  const database = new Database(join(host.dataDir, 'spawnpoint.db'));
  const { id } = database.query('SELECT id FROM users WHERE username = ?').get(username) as { id: string };
  const [link, passkey] = ['01890000-0000-7000-8000-00000000000a', '01890000-0000-7000-8000-00000000000b'];
  database.run(
    `INSERT INTO linked_identities (id, user_id, provider, subject, name, scopes, tokens, version, refreshing_until_ms, linked_ms, updated_ms)
     VALUES (?, ?, 'discord', '123456789012345678', 'meadow#1', '', 'sealed', 1, 0, 0, 0)`,
    [link, id],
  );
  database.run(
    `INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, transports, multi_device, backed_up, name, created_ms)
     VALUES (?, ?, 'credential', 'key', 0, '[]', 1, 1, 'Phone', 0)`,
    [passkey, id],
  );
  database.close();
}

test('T31 T35 staff remove a passkey, unlink an account, turn the second factor off, and change the username', async ({
  browser,
  host,
}) => {
  const player = await visitor(browser, host);
  await signUp(player.page, 'meadow');
  await call(player.page, 'POST', '/api/auth/2fa/setup', { password: PASSPHRASE });
  const { pending } = await call<{ pending: { secret: string } }>(player.page, 'GET', '/api/auth/2fa');
  const code = new TOTP({ secret: Secret.fromBase32(pending.secret) }).generate();
  await call(player.page, 'POST', '/api/auth/2fa/setup/confirm', { code });
  addWays(host, 'meadow');
  const { page, seen } = await visitor(browser, host);
  await page.goto('/auth/login');
  await call(page, 'POST', '/api/auth/login', { login: 'the.owner', password: PASSPHRASE });
  await page.goto('/mc-admin/users?q=meadow');
  await ready(page);
  await page.getByRole('link', { name: 'meadow' }).click();
  await page.getByRole('link', { name: 'Ways in' }).click();
  await expect(page.getByText('meadow#1')).toBeVisible();
  await seen('the ways in of a user who has them all');
  for (const [button, ok, said] of [
    ['Remove the passkey Phone', 'Remove', 'The passkey is removed.'],
    ['Unlink Discord', 'Unlink', 'The account is unlinked.'],
    ['Turn off second factor', 'Turn off second factor', 'The second factor is off.'],
  ] as const) {
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: ok, exact: true }).click();
    await expect(page.getByText(said)).toBeVisible();
    await expect(page.getByRole('button', { name: button })).toHaveCount(0);
  }
  for (const none of ['No passkeys.', 'No linked accounts.', 'No API tokens.'])
    await expect(page.getByText(none)).toBeVisible();
  await page.getByRole('link', { name: 'Profile', exact: true }).click();
  const card = page.locator('section', { has: page.getByRole('heading', { name: 'Username' }) }).last();
  await card.getByLabel('Username').fill('lantern');
  await card.getByRole('button', { name: 'Save' }).click();
  await expect(card.getByText('This username is taken.').first()).toBeVisible();
  await card.getByLabel('Username').fill('meadow.new');
  await card.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The username is changed.')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('meadow.new');
  await seen('the profile of a renamed user');
});

test('T39 a form in one tab changes nothing when another tab has become somebody else, and the page becomes theirs', async ({
  browser,
  host,
}) => {
  const { page } = await visitor(browser, host);
  await signUp(page, 'first.tab');
  // As a tab that sleeps: nothing tells it what another one did.
  await page.route('**/api/events', () => undefined);
  await page.goto('/account');
  await ready(page);
  const other = await page.context().newPage();
  await signUp(other, 'second.tab');
  await page.getByLabel('First name').fill('Somebody');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await expect(page.getByRole('button', { name: /^second\.tab,/ })).toBeVisible();
  await expect(page.getByLabel('First name')).toHaveValue('Mirela');
  const name = async () => (await call<{ first_name: string }>(other, 'GET', '/api/account')).first_name;
  expect(await name()).toBe('Mirela');
  await call(other, 'POST', '/api/auth/login', { login: 'first.tab', password: PASSPHRASE });
  expect(await name()).toBe('Mirela');
});
