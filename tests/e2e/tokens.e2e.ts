import { DESKTOP, expect, openVisitor, signUp, test, type Installation } from './fixtures.ts';

/** What the API answers a script with this token. */
async function statusFor(host: Installation, token: string, path: string): Promise<number> {
  return (await fetch(host.url + path, { headers: { Authorization: `Bearer ${token}` } })).status;
}

/** By those who write scripts: on a desktop. */
test('T35 a token is made, shown once, used by a script, and revoked', async ({ browser, host }) => {
  const { context, page, complaints, seen } = await openVisitor(browser, host, DESKTOP);
  await signUp(page, 'mirela');
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
