import { Webhook } from 'standardwebhooks';
import { openReceiver } from '#tests/support/webhook-receiver.ts';
import {
  call,
  configure,
  DESKTOP,
  expect,
  expectWhole,
  openVisitor,
  PHONE,
  setupCode,
  signUp,
  test,
} from './fixtures.ts';

test('staff add a webhook, test it, see what failed, send it again, and delete it', async ({ browser, host }) => {
  test.slow();
  await configure(host, { outbound_private_networks: true });
  const receiver = openReceiver();
  const staff = await openVisitor(browser, host, DESKTOP);
  const { page } = staff;
  await signUp(page, 'petra', setupCode(host));
  let secret = '';

  await test.step('the form says what is missing, then the secret is shown once', async () => {
    await page.goto('/mc-admin/plugins');
    await page.getByRole('button', { name: 'Turn on Webhooks' }).click();
    await page.getByRole('link', { name: 'Open Webhooks' }).click();
    await expect(page.getByText('No webhooks yet')).toBeVisible();
    await expectWhole(page, staff.complaints, 'the list without webhooks');
    await page.getByRole('main').getByRole('link', { name: 'New webhook' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Shop');
    await page.getByRole('textbox', { name: 'Address' }).fill('ftp://example.com');
    await page.getByRole('checkbox', { name: 'user.*' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Enter a full address').first()).toBeVisible();
    staff.complaints.splice(0);
    await expectWhole(page, staff.complaints, 'the form with an error');
    await page.getByRole('textbox', { name: 'Address' }).fill(receiver.url);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('The webhook is ready.')).toBeVisible();
    secret = (await page.locator('.sp-hooks__secret code').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await expectWhole(page, staff.complaints, 'the secret');
    await page.getByRole('link', { name: 'Show webhook' }).click();
  });

  await test.step('a test arrives signed, and appears without a reload', async () => {
    receiver.answer(() => new Response('not today', { status: 500 }));
    await page.getByRole('button', { name: 'Send test' }).click();
    await expect(page.getByText('The test is on its way.')).toBeVisible();
    await expect(page.getByText('Trying again')).toBeVisible();
    await expectWhole(page, staff.complaints, 'a delivery that failed');
    // The second attempt follows after five seconds.
    await expect(page.getByRole('table').getByText('Delivered')).toBeVisible();
    for (const { body, headers } of receiver.taken) new Webhook(secret).verify(body, headers);
    await page.getByRole('link', { name: 'webhook.test' }).click();
    await expect(page.getByText('not today')).toBeVisible();
    await expectWhole(page, staff.complaints, 'a delivery with its attempts');
  });

  await test.step('it is sent again, and the receiver knows it by its id', async () => {
    await page.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => receiver.taken.length).toBe(3);
    expect(new Set(receiver.taken.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  await test.step('what users do arrives by itself', async () => {
    await call(page, 'PATCH', '/api/account/profile', { first_name: 'Petra', last_name: 'Lang' }).catch(
      () => undefined,
    );
    const phone = await openVisitor(browser, host, PHONE);
    await signUp(phone.page, 'stefan');
    await expect.poll(() => receiver.taken.map(({ type }) => type)).toContain('user.registered');
    await phone.context.close();
  });

  await test.step('a new secret signs beside the old one, and an address elsewhere gets its own', async () => {
    await page.getByRole('link', { name: 'Shop' }).first().click();
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Create' }).click();
    await expect(page.getByText('There is a new secret.')).toBeVisible();
    await expectWhole(page, staff.complaints, 'the page after a rotation');
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByRole('textbox', { name: 'Address' }).fill('https://elsewhere.example.com/hooks');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('so there is a new secret')).toBeVisible();
  });

  await test.step('on a phone everything fits, and deleting asks first', async () => {
    await page.setViewportSize(PHONE.viewport);
    for (const path of ['/mc-admin/webhooks', '/mc-admin/webhooks/create']) {
      await page.goto(path);
      await expectWhole(page, staff.complaints, `${path} on a phone`);
    }
    await page.goto('/mc-admin/webhooks');
    await page.getByRole('link', { name: 'Shop' }).click();
    await expectWhole(page, staff.complaints, 'a webhook on a phone');
    await page.getByRole('link', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('The webhook is deleted.')).toBeVisible();
  });
  await receiver.close();
});
