import { Database } from 'bun:sqlite';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATA, MYTHICAL_KEY, OLD_PASSWORD as OLD_DATA_PASSWORD } from '#tests/support/imports/data.ts';
import { startMariaDb } from '#tests/support/mariadb.ts';
import type { Page } from '@playwright/test';
import {
  call,
  configure,
  expect,
  expectWhole,
  installCopy,
  PASSPHRASE,
  ready,
  setupCode,
  test,
  watch,
  type Installation,
} from './fixtures.ts';

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

async function registerOwner(page: Page, host: Installation): Promise<void> {
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
}

test('an owner brings users over from a dump, who log in with their old password, and discards and undoes', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: host.url });
  const page = await context.newPage();
  const complaints = watch(page);
  const whole = (what: string) => expectWhole(page, complaints, what);
  await registerOwner(page, host);
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
    await expect(page.getByText('The dry run is done. Nothing was changed.')).toBeVisible();
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
  await page.getByRole('link', { name: 'See the result' }).click();
  await expect(page.getByText('This name is already taken.')).toBeVisible();
  const second = page.url();
  await page.goto('/mc-admin/import?source=paymenter&by=connection');
  await page.getByRole('button', { name: 'Start dry run' }).click();
  await whole('a connection without a host');
  await page.goto(second);

  await page.getByRole('button', { name: 'Import now' }).click();
  await expect(page.getByText('every credit is in the ledger')).toBeVisible();
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
  await expect(page.getByText('Undoing stopped: somebody who came has logged in')).toBeVisible();
  await whole('what cannot be undone any more');
  await page.goto(first);
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByText('The dry run was discarded.')).toBeVisible();
  await whole('a list of imports');
  await other.close();
  await context.close();
});

/** A store of Heliactyl with one local account. */
async function heliactylStore(): Promise<string> {
  const path = join(mkdtempSync(join(tmpdir(), 'spawnpoint-store-')), 'database.sqlite');
  const store = new Database(path, { create: true });
  store.run('CREATE TABLE keyv (key VARCHAR(255) PRIMARY KEY, value TEXT)');
  const values = {
    'users-local-1': 11,
    'userid-local-1': 'ann@heliactyl.example',
    'user-ann@heliactyl.example': {
      id: 'local-1',
      username: 'ann',
      email: 'ann@heliactyl.example',
      password: (await Bun.password.hash(OLD_DATA_PASSWORD, { algorithm: 'bcrypt', cost: 4 })).replace('$2b$', '$2y$'),
    },
    'coins-local-1': 125,
  };
  for (const [key, value] of Object.entries(values))
    store.run('INSERT INTO keyv VALUES (?, ?)', [key, JSON.stringify({ value, expires: null })]);
  store.close();
  return path;
}

test('users come over from each of six dashboards, by a dump, a connection or a store, and log in with their old passwords', async ({
  browser,
}) => {
  // What each dashboard has is tested without a browser (tests/imports/sources.test.ts).
  const maria = await startMariaDb();
  // The other story's installation has its owner, and people of the same names.
  const host = await installCopy();
  const names = {
    ctrlpanel: 'CtrlPanel 1',
    mythicaldash3: 'MythicalDash 3',
    mythicaldash4: 'MythicalDash 4',
    paymenter: 'Paymenter 1',
    jexactyl: 'Jexactyl 3',
    heliactyl: 'Heliactyl',
  } as const;
  /** Those that are asked over a connection; of the others a file is uploaded. */
  const connected: readonly string[] = ['mythicaldash4', 'paymenter'];
  type Product = keyof typeof names;
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: host.url });
  const page = await context.newPage();
  const complaints = watch(page);
  const whole = (what: string) => expectWhole(page, complaints, what);
  try {
    await configure(host, { outbound_private_networks: true });
    await registerOwner(page, host);

    const chooseFile = async (label: string, path: string) => {
      await page.getByLabel(label).setInputFiles(path);
      await expect(page.getByText('is uploaded.')).toBeVisible();
    };
    const connect = async (product: Product) => {
      await page.getByRole('link', { name: 'A connection' }).click();
      const address = new URL(maria.address(product));
      await page.getByLabel('Host', { exact: true }).fill(address.hostname);
      await page.getByLabel('Port', { exact: true }).fill(address.port);
      await page.getByLabel('Database', { exact: true }).fill(product);
      await page.getByLabel('User', { exact: true }).fill(address.username);
      await page.getByLabel('Password', { exact: true }).fill(address.password);
    };
    const bring = async (product: Product) => {
      // Each has people of its own: who has an address already would be left out.
      if (product !== 'heliactyl')
        await maria.load(product, DATA[product].replaceAll('@old.example', `@${product}.example`));
      await page.goto('/mc-admin/import');
      await page.getByRole('link', { name: names[product] }).first().click();
      await ready(page);
      if (product === 'heliactyl') await chooseFile('SQLite file of Heliactyl', await heliactylStore());
      else if (connected.includes(product)) await connect(product);
      else await chooseFile('Dump (.sql or .sql.gz)', await maria.dump(product));
      const key = page.getByLabel('Key of the old dashboard');
      if (product === 'mythicaldash4') await key.fill(Buffer.from(MYTHICAL_KEY).toString('base64'));
      await page.getByRole('button', { name: 'Start dry run' }).click();
      await expect(page.getByText('The dry run is done. Nothing was changed.')).toBeVisible({ timeout: 120_000 });
      await page.getByRole('link', { name: 'See the result' }).click();
      if (product === 'ctrlpanel') {
        await expect(page.getByLabel('Admin · 1 user')).toHaveValue(/./);
        await page.getByText('permissions proposed').click();
        await whole('roles and what is proposed for them');
      }
      if (product === 'mythicaldash4') await key.fill(Buffer.from(MYTHICAL_KEY).toString('base64'));
      await page.getByRole('button', { name: 'Import now' }).click();
      await expect(page.getByText('every credit is in the ledger')).toBeVisible({ timeout: 120_000 });
      await whole(`what came from ${names[product]}`);
    };
    /** What was paid at the old dashboard is seen by whoever paid it, and by staff. */
    const seePayments = async (own: Page) => {
      await own.goto('/account?tab=payments');
      await expect(own.getByText('Payments at the previous dashboard').first()).toBeVisible();
      await expect(own.getByText('€4.99')).toBeVisible();
      for (const width of [1440, 768, 360]) {
        await own.setViewportSize({ width, height: 900 });
        await expectWhole(own, [], `payments at the previous dashboard at ${width} px`);
      }
      const found = await call<{ rows: { id: string }[] }>(page, 'GET', '/api/admin/users?q=ann%40ctrlpanel.example');
      await page.goto(`/mc-admin/users/${found.rows[0]?.id}/edit?tab=payments`);
      await expect(page.getByText('€4.99')).toBeVisible();
      await whole('payments of a user at their previous dashboard');
    };
    const logIn = async (product: Product) => {
      const other = await browser.newContext({ baseURL: host.url });
      const own = await other.newPage();
      await own.goto('/auth/login');
      await ready(own);
      await own.getByLabel('Username or e-mail').fill(`ann@${product}.example`);
      await own.getByLabel('Password', { exact: true }).fill(OLD_DATA_PASSWORD);
      await own.getByRole('button', { name: 'Log in', exact: true }).click();
      await expect(own).toHaveURL(/\/(dashboard|auth\/verify)/);
      if (product === 'ctrlpanel') await seePayments(own);
      await other.close();
    };
    for (const product of Object.keys(names) as Product[]) {
      await bring(product);
      await logIn(product);
    }
  } finally {
    await host.stop();
    await maria.close();
    await context.close();
  }
});
