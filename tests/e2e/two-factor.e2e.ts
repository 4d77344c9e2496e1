import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Secret, TOTP } from 'otpauth';
import { DESKTOP, expect, openVisitor, PASSPHRASE, PHONE, ready, test, type Visitor } from './fixtures.ts';

/** The second factor from the set-up to its end. A code counts once, so that each step takes another one. */
const STEP_MS = 30_000;

async function signUp({ page }: Visitor, username: string): Promise<void> {
  await page.goto('/auth/login');
  const status = await page.evaluate(
    async (body) =>
      (await fetch('/api/auth/register', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }))
        .status,
    JSON.stringify({
      username,
      email: `${username}@example.com`,
      password: PASSPHRASE,
      first_name: 'Mirela',
      last_name: 'Vega',
      terms: true,
    }),
  );
  expect(status).toBe(200);
}

async function logIn({ page }: Visitor, username: string): Promise<void> {
  await page.getByLabel(/^Username or e-mail/).fill(username);
  await page.getByLabel('Password', { exact: true }).fill(PASSPHRASE);
  // The session leads to the second step by a document of its own, which takes the place of what the router may show
  // first.
  const loaded = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Log in' }).click();
  await loaded;
  await expect(page).toHaveURL(/\/auth\/2fa\/verify$/);
  await ready(page);
}

async function pass({ page }: Visitor, code: string): Promise<void> {
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Verify' }).click();
}

/** Sets it up from the account page. Out: the secret as it is shown, and the recovery codes. */
async function setUp(who: Visitor): Promise<{ secret: string; codes: string[] }> {
  await who.page.goto('/account?tab=security');
  await ready(who.page);
  await who.page.locator('a[href="/auth/2fa/setup"]').click();
  await who.page.waitForURL('**/auth/2fa/setup');
  return confirm(who);
}

/** The same, from the page of the set-up on. */
async function confirm({ page, seen }: Visitor): Promise<{ secret: string; codes: string[] }> {
  await seen('before the set-up');
  await page.getByLabel('Your password').fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible();
  await seen('QR code and secret');
  const secret = (await page.locator('.sp-factor__secret code').innerText()).replaceAll(' ', '');
  await page.getByLabel('Code from the app').fill('000000');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await expect(page.getByText('This code is wrong or was already used.', { exact: false }).first()).toBeVisible();
  await seen('a wrong code');
  await page.getByLabel('Code from the app').fill(codeOf(secret, 0));
  await page.getByRole('button', { name: 'Turn on' }).click();
  const list = page.getByRole('list', { name: 'Recovery codes' });
  await expect(list.getByRole('listitem')).toHaveCount(10);
  await seen('recovery codes');
  const codes = await list.getByRole('listitem').allInnerTexts();
  await page.getByRole('link', { name: 'I’ve saved them' }).click();
  await page.waitForURL('**/account?tab=security');
  return { secret, codes };
}
const codeOf = (secret: string, steps: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * STEP_MS });

async function logOut({ page }: Visitor): Promise<void> {
  await page.goto('/auth/logout');
  await page.waitForURL('**/auth/login?logout=done');
  await ready(page);
}

test('T30 T31 T32 S4.7 a user sets it up, logs in with a code and with a recovery code, and switches it off', async ({
  browser,
  host,
}) => {
  const username = 'factor';
  const who = await openVisitor(browser, host, PHONE);
  await signUp(who, username);
  const { secret, codes } = await setUp(who);
  await logOut(who);

  const { page, seen } = who;
  await page.goto('/store?from=link');
  await page.waitForURL('**/auth/login');
  await ready(page);
  await logIn(who, username);
  await seen('the second step');
  // Nothing else is open, by link or by address, and the wanted page is not forgotten over it.
  expect((await page.request.get('/api/account')).status()).toBe(403);
  await pass(who, 'AAAAA-AAAAA');
  await expect(page.getByText('This code is wrong or was already used.', { exact: false }).first()).toBeVisible();
  await seen('a refused code');
  await pass(who, codeOf(secret, 1));
  await page.waitForURL('**/store?from=link');
  await seen('the wanted page');

  const other = await openVisitor(browser, host, PHONE);
  await other.page.goto('/auth/login');
  await ready(other.page);
  await logIn(other, username);
  await other.page.goto('/account?tab=sessions');
  await other.page.waitForURL('**/auth/2fa/verify');
  await ready(other.page);
  await pass(other, codes[0] ?? '');
  await other.page.waitForURL('**/account?tab=sessions');
  await other.seen('after a recovery code');

  await page.goto('/auth/2fa/setup');
  await expect(page.getByText('9 recovery codes left', { exact: false })).toBeVisible();
  await seen('a factor that is on');
  const part = page.getByRole('region', { name: 'Turn off' });
  await part.getByLabel('Your password').fill(PASSPHRASE);
  await part.getByLabel('Code').fill(codes[1] ?? '');
  await part.getByRole('button', { name: 'Turn off' }).click();
  await expect(page.getByText('Two-factor authentication is off.')).toBeVisible();
  await seen('turned off');
  await logOut(who);
  await page.getByLabel(/^Username or e-mail/).fill(username);
  await page.getByLabel('Password', { exact: true }).fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/dashboard');
  expect([who.complaints, other.complaints]).toEqual([[], []]);
  await who.context.close();
  await other.context.close();
});

test('T31 cancelling ends an unfinished set-up, and leads to the form where the factor is on, and a log-out needs no code', async ({
  browser,
  host,
}) => {
  const who = await openVisitor(browser, host, DESKTOP);
  const { page, complaints } = who;
  await signUp(who, 'cancels');
  await page.goto('/auth/2fa/setup');
  await ready(page);
  await page.getByLabel('Your password').fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.waitForURL('**/account?tab=security');
  await page.goto('/auth/2fa/setup');
  await expect(page.getByLabel('Your password')).toBeVisible();
  await setUp(who);
  await page.goto('/auth/2fa/setup/disband');
  await page.waitForURL((url) => url.pathname === '/auth/2fa/setup');
  await expect(page.getByRole('region', { name: 'Turn off' })).toBeVisible();
  await logOut(who);
  await logIn(who, 'cancels');
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.waitForURL('**/auth/login?logout=done');
  expect((await who.context.cookies()).map(({ name }) => name)).not.toContain('user_token');
  expect(complaints).toEqual([]);
  await who.context.close();
});

test('T30 force_2fa leads every page to the set-up, until there is one', async ({ browser, host }) => {
  const who = await openVisitor(browser, host, DESKTOP);
  const { page, complaints } = who;
  await signUp(who, 'forced');
  await page.goto('/dashboard');
  await ready(page);
  const force = (whom: string) =>
    promisify(execFile)(host.binary, ['settings', 'set', 'force_2fa', whom], {
      env: { PATH: process.env.PATH ?? '', DATA_DIR: host.dataDir },
    });
  await force('all');
  try {
    await expect.poll(async () => (await page.request.get('/api/account')).status(), { timeout: 120_000 }).toBe(403);
    await page.locator('a[href="/store"]').first().click();
    await page.waitForURL('**/auth/2fa/setup');
    await expect(
      page.getByText('This host requires two-factor authentication. Set it up to continue.', { exact: false }),
    ).toBeVisible();
    await page.goto('/account');
    await page.waitForURL('**/auth/2fa/setup');
    await confirm(who);
    await who.seen('the account');
    expect((await page.request.get('/api/account')).status()).toBe(200);
  } finally {
    await force('nobody');
  }
  expect(complaints).toEqual([]);
  await who.context.close();
});
