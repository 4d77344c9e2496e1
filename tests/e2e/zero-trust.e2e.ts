import {
  accessible,
  call,
  configure,
  expect,
  overflowOf,
  PASSPHRASE,
  ready,
  setupCode,
  test,
  watch,
} from './fixtures.ts';

test.use({ file: 'zero-trust' });

test('T35 a session in another browser is led to a confirmation and back, with scripts and without', async ({
  browser,
  host,
}) => {
  await configure(host, { zero_trust_enabled: true });
  const context = await browser.newContext({ baseURL: host.url, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const complaints = watch(page);
  await page.goto('/auth/login');
  const setup = setupCode(host);
  await call(page, 'POST', '/api/auth/register', {
    username: 'the.owner',
    email: 'the.owner@example.com',
    password: PASSPHRASE,
    first_name: 'Mirela',
    last_name: 'Vega',
    terms: true,
    setup,
  });
  // The session’s own cookie is brought to a browser that has no key of its own.
  await context.clearCookies({ name: '__Host-spawnpoint-device' });
  await page.goto('/account');
  await ready(page);
  const first = page.getByLabel('First name');
  await first.fill('Ilinca');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await expect(page).toHaveURL(/\/auth\/confirm\?to=%2Faccount/);
  await ready(page);
  for (const [width, theme] of [
    [1440, 'dark'],
    [360, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
    await accessible(page, `the confirmation (${width})`);
    const overflow = await overflowOf(page);
    expect(overflow).toBeLessThanOrEqual(0);
  }
  await page.getByLabel('Your password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText('The current password is wrong.').first()).toBeVisible();
  await page.getByLabel('Your password', { exact: true }).fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page).toHaveURL(/\/account$/);
  await ready(page);
  // What was typed waited.
  await expect(first).toHaveValue('Ilinca');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await expect(page.getByText('Saved')).toBeVisible();
  expect(complaints).toEqual([]);

  const plain = await browser.newContext({ baseURL: host.url, javaScriptEnabled: false });
  await plain.addCookies((await context.cookies()).filter(({ name }) => name !== '__Host-spawnpoint-device'));
  const form = await plain.newPage();
  await form.goto('/account');
  await form.getByRole('button', { name: 'Save' }).first().click();
  await expect(form).toHaveURL(/\/auth\/confirm\?to=%2Faccount/);
  await form.getByLabel('Your password', { exact: true }).fill(PASSPHRASE);
  await form.getByRole('button', { name: 'Confirm' }).click();
  await expect(form).toHaveURL(/\/account$/);
  await plain.close();
});
