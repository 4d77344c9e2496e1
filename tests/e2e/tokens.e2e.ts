import { expect, expectWhole, signUp, test, watch, type Installation } from './fixtures.ts';

test.use({ file: 'tokens' });

/** API tokens from the first to the last, on a wide screen and on a phone. */
const SIZES = [
  { name: 'desktop, dark', viewport: { width: 1440, height: 900 }, theme: 'dark' },
  { name: 'phone, light', viewport: { width: 360, height: 740 }, theme: 'light' },
] as const;

/** What the API answers a script with this token. */
async function statusFor(host: Installation, token: string, path: string): Promise<number> {
  return (await fetch(host.url + path, { headers: { Authorization: `Bearer ${token}` } })).status;
}

for (const [index, { name, viewport, theme }] of SIZES.entries())
  test(`T35 a token is made, shown once, used by a script, and revoked (${name})`, async ({ browser, host }) => {
    const context = await browser.newContext({ viewport, baseURL: host.url });
    await context.addCookies([{ name: 'theme', value: theme, url: host.url }]);
    const page = await context.newPage();
    const complaints = watch(page);
    const seen = (what: string) => expectWhole(page, complaints, what);
    await signUp(page, `mirela${index}`);
    await page.goto('/account?tab=tokens');
    await expect(page.getByText('No tokens yet')).toBeVisible();
    await seen('without tokens');

    await page.getByRole('link', { name: 'Create token' }).click();
    await page.getByLabel('Name').fill('Discord bot');
    await page.getByLabel('Your servers: read').check();
    await seen('the form');
    await page.getByRole('button', { name: 'Create token' }).click();
    await expect(page.getByRole('heading', { name: 'Discord bot is ready' })).toBeVisible();
    const token = (await page.locator('.sp-fresh__token code').textContent()) ?? '';
    expect(token).toMatch(/^sp_live_/);
    await seen('a fresh token');

    expect(await statusFor(host, token, '/api/servers')).toBe(200);
    expect(await statusFor(host, token, '/api/account')).toBe(403);
    await page.goto('/account?tab=tokens');
    await expect(page.getByText('Your servers: read')).toBeVisible();
    expect(await page.content()).not.toContain(token);
    await seen('the list');

    await page.getByRole('button', { name: 'Revoke Discord bot' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await expect(page.getByText('Token revoked.')).toBeVisible();
    expect(await statusFor(host, token, '/api/servers')).toBe(401);
    expect(complaints).toEqual([]);
    await context.close();
  });
