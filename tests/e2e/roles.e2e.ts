import { expect, expectWhole, PASSPHRASE, setupCode, signUp, test, watch } from './fixtures.ts';

test.use({ file: 'roles' });

test('an owner makes a role, chooses its permissions, sees who gains what, and deletes it again', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: host.url });
  const page = await context.newPage();
  const complaints = watch(page);
  const whole = (what: string) => expectWhole(page, complaints, what);
  await signUp(page, 'mirela', setupCode(host));
  await page.goto('/mc-admin/roles');
  await whole('the list');
  await page.getByRole('link', { name: 'Create role' }).click();
  await page.getByLabel('Name').fill('Desk');
  await page.getByLabel('Rank').fill('100');
  await page.getByRole('button', { name: 'Create role' }).click();
  await expect(page.getByText('Choose a rank below your own').first()).toBeVisible();
  await whole('a refused form');
  await page.getByLabel('Rank').fill('40');
  await page.getByLabel('Start like').selectOption('Support');
  await page.getByRole('button', { name: 'Create role' }).click();

  await expect(page.getByText('The role was created.')).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search name, text or key' }).fill('redeem codes');
  await page.getByRole('checkbox', { name: 'Desk: Redeem codes, See redeem codes' }).check();
  const review = page.getByRole('region').or(page.locator('section')).filter({ hasText: 'Before you save' }).last();
  await expect(review.getByText('admin.redeem.codes.list')).toBeVisible();
  await whole('the matrix');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('1 change was saved.')).toBeVisible();
  // The role of the owners is above everybody.
  await expect(page.getByRole('checkbox', { name: 'Owner: Full access, Everything' })).toBeDisabled();

  await page.setViewportSize({ width: 360, height: 740 });
  await page.reload();
  await whole('the matrix on a phone');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/mc-admin/roles');
  await page.getByRole('link', { name: 'Desk' }).click();
  await page.getByLabel('Name').fill('Front desk');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The role was saved.')).toBeVisible();
  await page.getByRole('link', { name: 'Front desk' }).click();
  await page.getByRole('link', { name: 'Delete' }).click();
  await whole('the page that deletes');
  await page.getByLabel('Type “Front desk” to confirm').fill('Front desk');
  await page.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('The role was deleted.')).toBeVisible();
  await expect(page.getByRole('rowheader', { name: 'Front desk' })).toHaveCount(0);
  expect(complaints).toEqual([]);
  await context.close();
});

test('the matrix is saved without scripts, and a player meets none of it', async ({ browser, host }) => {
  const context = await browser.newContext({ baseURL: host.url });
  const page = await context.newPage();
  await signUp(page, 'tobi_k');
  for (const path of ['/mc-admin/roles', '/mc-admin/roles/create'])
    expect((await page.goto(path))?.status(), path).toBe(403);
  await context.close();

  const plain = await browser.newContext({ baseURL: host.url, javaScriptEnabled: false });
  const still = await plain.newPage();
  await still.goto('/auth/login');
  await still.getByLabel('Username or e-mail').fill('mirela');
  await still.getByLabel('Password', { exact: true }).fill(PASSPHRASE);
  await still.getByRole('button', { name: 'Log in' }).click();
  await still.goto('/mc-admin/roles');
  await still.getByRole('link', { name: '9', exact: true }).click();
  await still.getByRole('checkbox', { name: 'VIP: Player permissions, VPN allowed' }).check();
  await still.getByRole('button', { name: 'Save' }).click();
  await expect(still.getByText('1 change was saved.')).toBeVisible();
  await plain.close();
});
