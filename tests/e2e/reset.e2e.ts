import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { expect, openVisitor, PHONE, test, type Installation } from './fixtures.ts';

/**
 * Somebody forgot their password: from the log-in to the letter (read with the operator's command), and back with a new
 * one.
 */
const WHO = 'tobi_k';
const FIRST = 'plough lantern meadow seven';
const NEXT = 'seven copper kettles singing';

const run = promisify(execFile);

/** The newest link for an address, in what `mail list` prints. */
async function linkFor(host: Installation, address: string): Promise<string> {
  const { stdout } = await run(host.binary, ['mail', 'list'], {
    env: { PATH: process.env.PATH ?? '', DATA_DIR: host.dataDir },
  });
  const mail = stdout
    .split(/\n(?=\d{4}-\d\d-\d\dT)/)
    .find((each) => each.includes(`To: ${address}`) && each.includes('passwordReset'));
  return /http:\S+\/auth\/reset-password\?token=\S+/.exec(mail ?? '')?.[0] ?? '';
}

async function logIn(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel('Username or e-mail').fill(name);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

test('T36 a forgotten password is replaced, from the log-in and back to it', async ({ browser, host }) => {
  const { context, page, seen } = await openVisitor(browser, host, PHONE);
  await page.request.post('/api/auth/register', {
    headers: { Origin: host.url },
    data: {
      username: WHO,
      email: `${WHO}@example.com`,
      password: FIRST,
      first_name: 'Mirela',
      last_name: 'Vega',
      terms: true,
    },
  });
  // The session of the registration is somebody's on another device.
  const elsewhere = await context.cookies();
  await context.clearCookies({ name: /^(__Host-spawnpoint|user_token)$/ });

  await page.goto('/auth/login');
  await seen('the log-in');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.waitForURL('**/auth/forgot-password');
  await seen('asking for the letter');
  await page.getByLabel('Username or e-mail').fill(WHO.toUpperCase());
  await page.getByRole('button', { name: 'Send reset link' }).click();
  await expect(page.getByRole('heading', { name: 'Ask for your link' })).toBeVisible();
  await seen('the letter is written');

  await expect.poll(() => linkFor(host, `${WHO}@example.com`)).not.toBe('');
  const link = new URL(await linkFor(host, `${WHO}@example.com`));
  await page.goto(link.pathname + link.search);
  await seen('the page of the link');
  await page.getByLabel('New password').fill('password123');
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByLabel('New password')).toHaveAttribute('aria-invalid', 'true');
  await seen('a refused password');
  await page.getByLabel('New password').fill(NEXT);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.waitForURL('**/auth/login?reset=done');
  await expect(page.getByText('Your new password is set.')).toBeVisible();
  await seen('the log-in after it');

  await logIn(page, WHO, FIRST);
  await expect(page.getByText('Username or password is wrong.')).toBeVisible();
  await logIn(page, WHO, NEXT);
  await page.waitForURL('**/dashboard');
  await seen('the dashboard');

  const other = await openVisitor(browser, host, PHONE);
  await other.context.addCookies(elsewhere);
  const old = await (await other.context.request.get('/api/user/session')).json();
  expect(old).toMatchObject({ success: false });
  await other.context.clearCookies();
  await other.page.goto(link.pathname + link.search);
  await expect(other.page.getByRole('heading', { name: 'This link no longer works' })).toBeVisible();
  await other.seen('a link that was used');
  await other.context.close();
  await context.close();
});
