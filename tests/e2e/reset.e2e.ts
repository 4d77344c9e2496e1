import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { accessible, expect, overflowOf, ready, test, watch, type Installation } from './fixtures.ts';

test.use({ file: 'reset' });

/**
 * Somebody forgot their password: from the log-in to the letter (read with the operator's command), and back with a new
 * one.
 */
const SIZES = [
  { name: 'desktop, dark', viewport: { width: 1440, height: 900 }, theme: 'dark', who: 'mirela' },
  { name: 'phone, light', viewport: { width: 360, height: 740 }, theme: 'light', who: 'tobi_k' },
] as const;
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

/** Nothing on the console, nothing that axe finds, nothing that sticks out sideways. */
async function sound(page: Page, complaints: readonly string[], what: string): Promise<void> {
  await ready(page);
  await accessible(page, what);
  expect(await overflowOf(page), `${what}: nothing sticks out sideways`).toBeLessThanOrEqual(0);
  expect(complaints, what).toEqual([]);
}

async function logIn(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel('Username or e-mail').fill(name);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

for (const { name, viewport, theme, who } of SIZES) {
  test(`T36 a forgotten password is replaced, from the log-in and back to it (${name})`, async ({ browser, host }) => {
    const context = await browser.newContext({ baseURL: host.url, viewport });
    await context.addCookies([{ name: 'theme', value: theme, url: host.url }]);
    const page = await context.newPage();
    const complaints = watch(page);
    await page.request.post('/api/auth/register', {
      headers: { Origin: host.url },
      data: {
        username: who,
        email: `${who}@example.com`,
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
    await sound(page, complaints, 'the log-in');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.waitForURL('**/auth/forgot-password');
    await sound(page, complaints, 'asking for the letter');
    await page.getByLabel('Username or e-mail').fill(who.toUpperCase());
    await page.getByRole('button', { name: 'Send reset link' }).click();
    await expect(page.getByRole('heading', { name: 'Ask for your link' })).toBeVisible();
    await sound(page, complaints, 'the letter is written');

    await expect.poll(() => linkFor(host, `${who}@example.com`)).not.toBe('');
    const link = new URL(await linkFor(host, `${who}@example.com`));
    await page.goto(link.pathname + link.search);
    await sound(page, complaints, 'the page of the link');
    await page.getByLabel('New password').fill('password123');
    await page.getByRole('button', { name: 'Set password' }).click();
    await expect(page.getByLabel('New password')).toHaveAttribute('aria-invalid', 'true');
    await sound(page, complaints, 'a refused password');
    await page.getByLabel('New password').fill(NEXT);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.waitForURL('**/auth/login?reset=done');
    await expect(page.getByText('Your new password is set.')).toBeVisible();
    await sound(page, complaints, 'the log-in after it');

    await logIn(page, who, FIRST);
    await expect(page.getByText('Username or password is wrong.')).toBeVisible();
    await logIn(page, who, NEXT);
    await page.waitForURL('**/dashboard');
    await sound(page, complaints, 'the dashboard');

    const other = await browser.newContext({ baseURL: host.url, viewport });
    await other.addCookies(elsewhere);
    const old = await (await other.request.get('/api/user/session')).json();
    expect(old).toMatchObject({ success: false });
    const stale = await other.newPage();
    const grumbles = watch(stale);
    await other.clearCookies();
    await stale.goto(link.pathname + link.search);
    await expect(stale.getByRole('heading', { name: 'This link no longer works' })).toBeVisible();
    await sound(stale, grumbles, 'a link that was used');
    await other.close();
    await context.close();
  });
}
