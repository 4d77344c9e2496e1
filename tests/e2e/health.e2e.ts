import { accessible, call, expect, ready, setupCode, test, watch } from './fixtures.ts';

interface Health {
  readonly jobs: readonly { readonly name: string; readonly took_ms: number | null }[];
}

test('an owner sees the health of the installation, has the ledger proven, and follows a change through the log', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: host.url });
  const page = await context.newPage();
  const complaints = watch(page);
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
  // A new installation proves its ledger by itself at first, and a proof is not asked for while one runs.
  await expect
    .poll(async () => {
      const { jobs } = await call<Health>(page, 'GET', '/api/admin/health');
      return jobs.find(({ name }) => name === 'ledger.verify')?.took_ms ?? null;
    })
    .not.toBeNull();
  await page.goto('/mc-admin/health');
  await ready(page);
  await expect(page.getByRole('heading', { name: 'Health', level: 1 })).toBeVisible();
  await expect(page.getByText(/SQLite(?:, answers in| took)/)).toBeVisible();
  await accessible(page, 'the health');
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(page.getByText(/Checked (?:now|\d+ sec)/)).toBeVisible();
  await page.getByRole('button', { name: 'Prove now' }).click();
  await expect(page.getByText('The proof has started.')).toBeVisible();
  await expect(page.getByText('Every balance matches its postings.')).toBeVisible();

  await page.goto('/mc-admin/logs');
  await ready(page);
  await page.getByRole('combobox', { name: 'From this level' }).last().selectOption('debug');
  await page.getByRole('button', { name: 'Change' }).click();
  await expect(page.getByText('Lines are written from this level on: Debug')).toBeVisible();
  await page
    .getByRole('textbox', { name: 'Contains' })
    .or(page.getByRole('searchbox', { name: 'Contains' }))
    .fill('/api/admin/');
  await page.getByRole('link', { name: 'Follow' }).click();
  await call(page, 'POST', '/api/admin/locations', {
    name: 'Paris',
    description: '',
    vip: false,
    enabled: true,
    position: 0,
  }).catch(() => undefined);
  await expect(page.getByText('path=/api/admin/locations')).toBeVisible();
  await accessible(page, 'the log');
  await page.getByRole('link', { name: 'Request', exact: true }).first().click();
  await expect(page.getByRole('heading', { name: 'One request' })).toBeVisible();
  await accessible(page, 'a request');

  await page.goto('/mc-admin/audit?q=logs.level');
  await ready(page);
  await expect(page.getByText('olga changed the level of the log')).toBeVisible();
  await expect(page.getByText('warn', { exact: true })).toBeVisible();
  await page.setViewportSize({ width: 360, height: 800 });
  await accessible(page, 'the audit log');
  expect(complaints).toEqual([]);
});
