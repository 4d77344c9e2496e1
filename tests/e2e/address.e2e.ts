import { call, configure, expect, expectWhole, ready, setupCode, signUp, test, watch } from './fixtures.ts';

test('the address and the trusted proxies say what they mean for this browser, ask first, and are undone outside of it', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: host.url });
  const page = await context.newPage();
  const complaints = watch(page);
  const whole = (what: string) => expectWhole(page, complaints, what);
  await signUp(page, 'mirela', setupCode(host));
  const publicUrl = async () =>
    (await call<{ settings: { app_url: string } }>(page, 'GET', '/api/system/settings')).settings.app_url;
  expect(await publicUrl()).toBe(host.url);

  await page.goto('/mc-admin/settings');
  await ready(page);
  await page.getByRole('textbox', { name: 'Public address' }).fill('https://lantern.example/path');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await expect(page.getByText('Public address: This isn’t valid.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Public address' }).fill('https://lantern.example');
  await page.getByRole('button', { name: 'Review changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save 1 change?' });
  await expect(dialog.getByText(`Your browser is at ${host.url}.`)).toBeVisible();
  await expect(dialog.getByRole('link', { name: 'https://lantern.example' })).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Save 1 change' })).toBeDisabled();
  await whole('another address');
  await page.setViewportSize({ width: 360, height: 740 });
  await whole('another address on a phone');
  await page.setViewportSize({ width: 1440, height: 900 });
  await dialog.getByRole('checkbox', { name: 'I understand what this changes.' }).check();
  await dialog.getByRole('button', { name: 'Save 1 change' }).click();
  await expect(page.getByText('1 setting was saved.')).toBeVisible();
  expect(await publicUrl()).toBe('https://lantern.example');

  // The page that is open works on, at the address that it has.
  await page.goto('/mc-admin/settings?group=security');
  await ready(page);
  await page.getByRole('button', { name: 'Add entry: Trusted proxies' }).click();
  await page.getByRole('textbox', { name: 'Trusted proxies, entry 1' }).fill('0.0.0.0/0');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await expect(page.getByText('Trusted proxies: This isn’t valid.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Trusted proxies, entry 1' }).fill('203.0.113.7');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.getByRole('checkbox', { name: 'I understand what this changes.' }).check();
  await expect(page.getByText('Your own address would still be read as 127.0.0.1.')).toBeVisible();
  await whole('trusted proxies');
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect(page.getByText('1 setting was saved.')).toBeVisible();

  await configure(host, { app_url: '', trusted_proxies: '' });
  expect(await publicUrl()).toBe(host.url);
  await context.close();
});
