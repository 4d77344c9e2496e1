import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, openVisitor, PASSPHRASE, PHONE, test, type Installation } from './fixtures.ts';

const run = promisify(execFile);
const WHO = 'annika';

/** The newest link of a template for an address, in what `mail list` prints. */
async function linkFor(host: Installation, address: string, template: string): Promise<string> {
  const { stdout } = await run(host.binary, ['mail', 'list'], {
    env: { PATH: process.env.PATH ?? '', DATA_DIR: host.dataDir },
  });
  const mail = stdout
    .split(/\n(?=\d{4}-\d\d-\d\dT)/)
    .find((each) => each.includes(`To: ${address}`) && each.includes(template));
  return /http:\S+\/auth\/email\?\S+/.exec(mail ?? '')?.[0] ?? '';
}

test('T36 T56 a user changes the address and takes it back, reads activity and e-mails, exports and leaves', async ({
  browser,
  host,
}) => {
  const { context, page, seen } = await openVisitor(browser, host, PHONE);
  await page.request.post('/api/auth/register', {
    headers: { Origin: host.url },
    data: {
      username: WHO,
      email: `${WHO}@example.com`,
      password: PASSPHRASE,
      first_name: 'Anna',
      last_name: 'Vega',
      terms: true,
    },
  });
  await page.goto('/account');
  await page.getByRole('button', { name: 'Use Europe/Bucharest, this device’s' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Profile saved.')).toBeVisible();
  await expect(page.getByLabel('Time zone')).toHaveValue('Europe/Bucharest');
  await page.getByLabel('New address').fill(`${WHO}@new.example`);
  await page.getByLabel('Your password').fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Send confirmation link' }).click();
  await expect(page.getByText(`A link for ${WHO}@new.example is ready`)).toBeVisible();
  await seen('a change that waits');
  const confirm = new URL(await linkFor(host, `${WHO}@new.example`, 'emailChange'));
  await page.goto(confirm.pathname + confirm.search);
  await seen('the page of the link');
  await page.getByRole('button', { name: 'Use this address' }).click();
  await expect(page.getByRole('heading', { name: 'Your address is changed' })).toBeVisible();

  await page.goto('/account?tab=activity');
  await expect(page.getByText('Address changed', { exact: true })).toBeVisible();
  await seen('the activity');
  await page.goto('/account?tab=mails');
  await page.getByText('Your account has another address').click();
  await expect(page.getByText('token=…').first()).toBeVisible();
  await seen('the e-mails');

  await page.goto('/account?tab=privacy');
  await page.getByRole('button', { name: 'Prepare my data' }).click();
  await expect.poll(async () => (await page.request.get('/api/account/export.zip')).status()).toBe(200);
  await page.getByLabel('Your password').fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await expect(page.getByText(/^Your account will be deleted on/)).toBeVisible();
  await expect(page.getByRole('link', { name: /^Download/ })).toBeVisible();
  await seen('the privacy part');
  await page.getByRole('button', { name: 'Keep my account' }).click();
  await expect(page.getByText('Your account stays.')).toBeVisible();

  const undo = new URL(await linkFor(host, `${WHO}@example.com`, 'emailChanged'));
  await page.goto(undo.pathname + undo.search);
  await seen('taking the account back');
  await page.getByRole('button', { name: 'Take my account back' }).click();
  await expect(page.getByRole('heading', { name: 'Your account is yours again' })).toBeVisible();
  expect((await page.request.get('/api/account')).status()).toBe(401);
  await context.close();
});
