import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, expect, expectWhole, PASSPHRASE, ready, setupCode, test, watch } from './fixtures.ts';

/** Bcrypt of “old horse battery”, as PHP writes it. */
const OLD_PASSWORD = 'old horse battery';
const OLD_HASH = '$2y$04$dpm.ZjUNCByxxzSepHIe4uCFolhxUHGjbgt8Euf9kEh.aMGPNXFcK';

/** A dump of Jexactyl: users with their password, one without an address, and one with the name of the owner here. */
function dump(): string {
  const people = Array.from(
    { length: 60 },
    (_, i) => `(${i + 10},'somebody-with-a-very-long-name-${i}','no-address-${i}','N','${OLD_HASH}',1)`,
  );
  const path = join(mkdtempSync(join(tmpdir(), 'spawnpoint-dump-')), 'panel.sql');
  writeFileSync(
    path,
    `CREATE TABLE \`users\` (
  \`id\` int,
  \`username\` text,
  \`email\` text,
  \`name_first\` text,
  \`password\` text,
  \`store_balance\` int
);
INSERT INTO \`users\` VALUES (1,'ann','ann@old.example','Ann','${OLD_HASH}',700),(2,'mirela','other@old.example','M','${OLD_HASH}',5),${people.join()};`,
  );
  return path;
}

test('an owner brings users over from a dump, who log in with their old password, and discards and undoes', async ({
  browser,
  host,
}) => {
  test.setTimeout(180_000);
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
  await page.goto('/mc-admin/setup');
  await page.getByRole('link', { name: 'Import', exact: true }).click();
  await expect(page.getByText('Nothing imported yet')).toBeVisible();
  await whole('nothing imported');
  const check = async () => {
    await page.getByRole('link', { name: 'Jexactyl 3' }).first().click();
    await ready(page);
    await page.getByLabel('Dump (.sql or .sql.gz)').setInputFiles(dump());
    await expect(page.getByText('panel.sql is uploaded.')).toBeVisible();
    await whole('a file that was uploaded');
    await page.getByRole('button', { name: 'Start dry run' }).click();
    await expect(page.getByText('The dry run is done. Nothing was changed.')).toBeVisible({ timeout: 30_000 });
    await page.getByRole('link', { name: 'See the result' }).click();
  };
  await check();
  await expect(page.getByText('The e-mail address isn’t valid.')).toBeVisible();
  await whole('what would come');
  await page.getByRole('link', { name: 'Comes under another name.' }).click();
  await expect(page.getByText('mirela → mirela-2')).toBeVisible();
  await page.getByRole('link', { name: 'All rows' }).click();
  await page.getByRole('link', { name: 'Next rows' }).click();
  await whole('rows of an import');
  await page.getByRole('link', { name: 'What would come' }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download as CSV' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^import-jexactyl-.*\.csv$/);

  // Other choices are made about the same file; what the first ones would have brought is thrown away.
  const first = page.url();
  await page.getByRole('link', { name: 'Other choices' }).click();
  await expect(page.getByText('The file of the last dry run is still here.')).toBeVisible();
  await page.getByLabel('If the username is taken here').selectOption('skip');
  await page.getByRole('button', { name: 'Start dry run' }).click();
  await page.getByRole('link', { name: 'See the result' }).click({ timeout: 30_000 });
  await expect(page.getByText('Somebody has this name.')).toBeVisible();
  const second = page.url();
  await page.goto('/mc-admin/import?source=paymenter&by=connection');
  await page.getByRole('button', { name: 'Start dry run' }).click();
  await whole('a connection without a host');
  await page.goto(second);

  await page.getByRole('button', { name: 'Import now' }).click();
  await expect(page.getByText('every credit is in the ledger')).toBeVisible({ timeout: 30_000 });
  await whole('what came');
  const other = await browser.newContext({ baseURL: host.url });
  const logIn = async (login: string) =>
    (
      await other.request.post('/api/auth/login', {
        headers: { Origin: host.url },
        data: { login, password: OLD_PASSWORD },
      })
    ).status();
  expect(await logIn('ann')).toBe(200);
  await page.getByRole('link', { name: 'Undo' }).click();
  await whole('the question before undoing');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Undoing stopped: somebody who came has logged in')).toBeVisible({ timeout: 30_000 });
  await whole('what cannot be undone any more');
  await page.goto(first);
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByText('The dry run was discarded.')).toBeVisible();
  await whole('a list of imports');
  await other.close();
  await context.close();
});
