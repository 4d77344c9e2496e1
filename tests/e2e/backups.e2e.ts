import { openS3, s3Settings } from '#tests/support/s3.ts';
import { call, expect, expectWhole, PASSPHRASE, ready, setupCode, test, watch } from './fixtures.ts';

test('an owner makes, verifies, fetches and restores a backup, and what came after it is gone', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: host.url });
  const page = await context.newPage();
  const complaints = watch(page);
  const whole = (what: string) => expectWhole(page, complaints, what);
  await page.goto('/auth/login');
  await call(page, 'POST', '/api/auth/register', {
    username: 'mirela',
    email: 'mirela@example.com',
    password: PASSPHRASE,
    first_name: 'Mirela',
    last_name: 'Vega',
    terms: true,
    setup: setupCode(host),
  });
  await page.goto('/mc-admin/backups');
  await whole('no backup yet');
  await page.getByRole('button', { name: 'Back up now' }).click();
  await expect(page.getByText('The backup is done.')).toBeVisible();
  await page.getByRole('button', { name: 'Show recovery key' }).click();
  const key = await page.getByText(/^AGE-SECRET-KEY-1/).innerText();
  await whole('a backup, and the recovery key');

  await page.getByRole('table').getByRole('link').click();
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await expect(page.getByText('The backup opens, and its ledger adds up.')).toBeVisible();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^spawnpoint-\d{8}T\d{6}Z-manual-[0-9a-f]{8}\.age$/);
  await whole('one backup');

  // Another is opened by a passphrase alone: what is typed wrong is said at its field.
  const passphrase = 'plum lantern orbit sieve';
  await page.goto('/mc-admin/backups?ask=passphrase');
  await ready(page);
  await page.getByLabel(/^Passphrase/).fill('too short');
  await whole('the question for a passphrase');
  await page.getByLabel(/^Passphrase/).fill(passphrase);
  await page.getByRole('button', { name: 'Back up now' }).click();
  await page
    .getByRole('row', { name: /By hand · Passphrase/ })
    .getByRole('link')
    .click();
  const secret = page.getByLabel(/^Passphrase/);
  await secret.fill('plum lantern orbit');
  await page.getByRole('button', { name: 'Verify with this passphrase' }).click();
  await expect(secret).toHaveAttribute('aria-invalid', 'true');
  await whole('a passphrase that is wrong');
  await secret.fill(passphrase);
  await page.getByRole('button', { name: 'Verify with this passphrase' }).click();
  await expect(page.getByText('The backup opens, and its ledger adds up.')).toBeVisible();
  await page.getByRole('link', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText('The backup was deleted.')).toBeVisible();
  await page.getByRole('table').getByRole('link').click();
  // The page is loaded anew below: it has to be the backup's.
  await expect(page).toHaveURL(/[?&]backup=/);

  // A copy goes to a storage elsewhere, and what lies there alone is brought back to be verified.
  const s3 = openS3();
  const changes = Object.entries(s3Settings(s3)).map(([key, value]) => ({ key, value, revision: 0 }));
  await call(page, 'PATCH', '/api/admin/settings', { changes, confirmed: true });
  const own = page.url();
  await page.reload();
  await page.getByRole('button', { name: 'Copy to the S3 storage' }).click();
  await expect(page.getByText('The copy is in the S3 storage.')).toBeVisible();
  await page.getByRole('link', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByRole('table').getByText('S3 storage', { exact: true })).toBeVisible();
  await whole('a backup that lies in the storage alone');
  await page.goto(own);
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await expect(page.getByText('Here and S3 storage')).toBeVisible();
  await expect(page.getByText('The backup opens, and its ledger adds up.')).toBeVisible();
  await s3[Symbol.asyncDispose]();

  // The file that was fetched is brought again, as from another installation, and opened with its key.
  await page.goto('/mc-admin/backups');
  await ready(page);
  await page.getByLabel('Backup file (.age)').setInputFiles(await file.path());
  await expect(page.getByText('Uploaded', { exact: true })).toBeVisible();
  await page.getByLabel(/^Its recovery key or passphrase/).fill(key);
  await page.getByRole('button', { name: 'Verify with this key' }).click();
  await expect(page.getByText('The backup opens, and its ledger adds up.')).toBeVisible();
  await whole('a backup that was uploaded');
  await page.goto(own);

  // Somebody comes after the backup.
  const later = await browser.newContext({ baseURL: host.url });
  const other = await later.newPage();
  await other.goto('/auth/login');
  const facts = { first_name: 'Ion', last_name: 'Vlad', terms: true, password: PASSPHRASE };
  await call(other, 'POST', '/api/auth/register', { ...facts, username: 'ion', email: 'ion@example.com' });

  await page.getByRole('link', { name: 'Restore' }).click();
  await expect(page.getByText(/^You lose .* and 1 user\.$/)).toBeVisible();
  await whole('the first question');
  await page.getByRole('link', { name: 'Continue' }).click();
  await whole('the second question');
  const typed = page.getByLabel(/^Type /);
  await typed.fill('2020-01-01');
  await page.getByRole('button', { name: 'Restore now' }).click();
  await expect(typed).toHaveAttribute('aria-invalid', 'true');
  await typed.fill(/(\d{4})(\d\d)(\d\d)T/.exec(file.suggestedFilename())?.slice(1).join('-') ?? '');
  await page.getByRole('button', { name: 'Restore now' }).click();
  // Everybody logs in anew, the owner too; who came later is not known any more.
  const back = await browser.newContext({ baseURL: host.url });
  const logIn = async (login: string): Promise<number | null> => {
    const answer = await back.request
      .post('/api/auth/login', { headers: { Origin: host.url }, data: { login, password: PASSPHRASE } })
      .catch(() => null);
    return answer && answer.status();
  };
  await expect.poll(() => logIn('ion'), { timeout: 90_000, intervals: [250] }).toBe(401);
  expect(await logIn('mirela')).toBe(200);
  const fresh = await back.newPage();
  await fresh.goto('/mc-admin/backups');
  await expect(fresh.getByText('Before a restore')).toBeVisible();
  await back.close();
  await later.close();
  await context.close();
});
