import type { Browser } from '@playwright/test';
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

test.use({ file: 'users' });

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
