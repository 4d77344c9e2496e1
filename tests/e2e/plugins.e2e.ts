import { configure, expect, expectWhole, setupCode, signUp, test, watch } from './fixtures.ts';

const DESK = { width: 1440, height: 900 };
const PHONE = { width: 360, height: 780 };

test('staff turn the status page on, write on it, and everybody reads it until it is off again', async ({
  browser,
  host,
}) => {
  await configure(host, { app_name: 'Lanternhost' });
  const context = await browser.newContext({ baseURL: host.url, viewport: DESK });
  const staff = await context.newPage();
  const complaints = watch(staff);
  const guestContext = await browser.newContext({ baseURL: host.url, viewport: PHONE });
  const guest = await guestContext.newPage();
  const guestComplaints = watch(guest);
  await signUp(staff, 'oana', setupCode(host));

  await test.step('it is not there while it is off', async () => {
    expect((await guest.goto('/plugin/status'))?.status()).toBe(404);
    guestComplaints.splice(0);
  });

  await test.step('staff turn it on and write on it', async () => {
    await staff.goto('/mc-admin/plugins');
    await expectWhole(staff, complaints, 'the list of plugins');
    await staff.getByRole('button', { name: 'Turn on Status page' }).click();
    await expect(staff.getByText('Status page is on.')).toBeVisible();
    await staff.getByRole('link', { name: 'Settings: Status page' }).click();
    await staff.getByRole('textbox', { name: 'Message' }).fill('We move to new machines on Sunday.');
    await expectWhole(staff, complaints, 'the settings of a plugin');
    await staff.getByRole('button', { name: 'Save' }).click();
    await expect(staff.getByText('Saved.')).toBeVisible();
  });

  await test.step('a value that does not fit is told at its field', async () => {
    await staff.goto('/mc-admin/plugins/welcome-gifts/config');
    await staff.getByLabel('Credits for each user').fill('0');
    await staff.getByRole('button', { name: 'Save' }).click();
    await expect(staff.getByText('Too small.').first()).toBeVisible();
    complaints.splice(0);
  });

  await test.step('everybody reads it', async () => {
    await guest.goto('/plugin/status');
    await expect(guest.getByRole('heading', { name: 'Status of Lanternhost' })).toBeVisible();
    await expect(guest.getByText('We move to new machines on Sunday.')).toBeVisible();
    await expectWhole(guest, guestComplaints, 'the status page');
  });

  await test.step('and no more once it is off', async () => {
    await staff.goto('/mc-admin/plugins');
    await staff.getByRole('button', { name: 'Turn off Status page' }).click();
    await expect(staff.getByText('Status page is off.')).toBeVisible();
    expect((await guest.goto('/plugin/status'))?.status()).toBe(404);
  });
});
