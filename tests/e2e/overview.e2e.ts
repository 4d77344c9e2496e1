import { call, configure, expect, expectWhole, setupCode, test, watch } from './fixtures.ts';

test('an owner sees what needs attention arrive, puts it off, finds it by search, and chooses the parts of the page', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: host.url });
  const page = await context.newPage();
  const complaints = watch(page);
  const whole = (what: string) => expectWhole(page, complaints, what);
  await page.goto('/auth/login');
  await call(page, 'POST', '/api/auth/register', {
    username: 'olga',
    email: 'olga@example.com',
    password: 'plough lantern meadow seven',
    first_name: 'Olga',
    last_name: 'Vega',
    terms: true,
    setup: setupCode(host),
  });
  await configure(host, { manual_payments_enabled: true, manual_payment_text: 'Bring it to the desk.' });
  await page.goto('/mc-admin');
  await expect(page.getByText('All clear')).toBeVisible();
  await whole('an overview on which nothing waits');

  // What staff have to confirm is there without a reload, in the list and in the navigation.
  const order = { provider: 'manual', price_minor: 500, currency: 'EUR', rate: 100 };
  const { id } = await call<{ id: string }>(page, 'POST', '/api/payments/orders', order);
  await expect(page.getByRole('heading', { name: '1 payment to confirm' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Payments 1' })).toBeVisible();
  await whole('an overview on which something waits');
  await page.keyboard.press('j');
  await page.keyboard.press('s');
  await page.getByRole('menuitem', { name: 'Snooze until tomorrow' }).press('Enter');
  await expect(page.getByText('1 snoozed')).toBeVisible();
  await expect(page.getByRole('heading', { name: '1 payment to confirm' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Show snoozed' }).click();
  await whole('what was put off');

  // The figures of more days, and what is known of releases where nobody is asked.
  await page.getByRole('link', { name: '7 days' }).click();
  await expect(page).toHaveURL('/mc-admin?days=7');
  await expect(page.getByText('Checking for new releases is turned off.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No warnings' })).toBeVisible();
  await page.getByRole('link', { name: 'Today' }).click();

  await page.getByText('Customise this page').first().click();
  await page.getByRole('checkbox', { name: 'Economy today' }).uncheck();
  await page.getByRole('button', { name: 'Move System up' }).click();
  await whole('the choice of parts');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Economy today' })).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'System', exact: true })).toBeVisible();
  await page.setViewportSize({ width: 360, height: 780 });
  await whole('the overview on a phone');

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(id);
  const found = page.getByRole('option', { name: /olga · €5.00/ });
  await expect(found.first()).toBeVisible();
  await whole('what staff found');
  await page.getByRole('option', { name: /^Confirm payment/ }).click();
  await expect(page).toHaveURL(`/mc-admin/payments/${id}`);
  await context.close();
});
