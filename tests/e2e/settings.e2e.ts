import { readFileSync } from 'node:fs';
import {
  accessible,
  call,
  expect,
  expectWhole,
  PASSPHRASE,
  ready,
  setupCode,
  signUp,
  test,
  watch,
} from './fixtures.ts';

/** Nobody but the owner of this installation knows it. */
const SECRET = 'a-secret-nobody-sees';

test('an owner finds settings, sees what changes before it is saved, and meets what another one changed meanwhile', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: host.url });
  const page = await context.newPage();
  const complaints = watch(page);
  const whole = (what: string) => expectWhole(page, complaints, what);
  await signUp(page, 'mirela', setupCode(host));
  await page.goto('/mc-admin/settings');
  await whole('the general settings');
  await page.getByRole('link', { name: 'Store', exact: true }).first().click();
  await page.getByRole('spinbutton', { name: 'Fee for gifts' }).fill('500');
  await page.getByRole('switch', { name: 'Gifts' }).uncheck();
  await expect(page.getByText('2 changes', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Review changes' }).click();
  await expect(page.getByText('Fee for gifts: Too large.')).toBeVisible();
  await expect(page.getByRole('spinbutton', { name: 'Fee for gifts' })).toHaveValue('500');
  await whole('a refused change');
  await page.getByRole('spinbutton', { name: 'Fee for gifts' }).fill('25');
  await page.getByRole('button', { name: 'Review changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save 2 changes?' });
  await expect(dialog.getByText('25 %')).toBeVisible();
  await whole('the review');
  await dialog.getByRole('button', { name: 'Save 2 changes' }).click();
  await expect(page.getByText('2 settings were saved.')).toBeVisible();
  await expect(page.getByText('2 changes', { exact: true })).toHaveCount(0);
  await expect(page.getByRole('switch', { name: 'Gifts' })).not.toBeChecked();

  // Somebody else changes what is being edited here.
  await page.getByRole('spinbutton', { name: 'Fee for gifts' }).fill('30');
  const { rows } = await call<{ rows: { key: string; revision: number }[] }>(page, 'GET', '/api/admin/settings');
  const revision = rows.find(({ key }) => key === 'gift_fee_percent')?.revision;
  await call(page, 'PATCH', '/api/admin/settings', {
    changes: [{ key: 'gift_fee_percent', value: 40, revision }],
    confirmed: false,
  });
  await page.getByRole('button', { name: 'Review changes' }).click();
  await expect(page.getByText('It is now: 40 %. Save again to replace it.')).toBeVisible();
  await expect(page.getByRole('spinbutton', { name: 'Fee for gifts' })).toHaveValue('30');
  await page.getByRole('button', { name: 'Use the default: Fee for gifts' }).click();
  await expect(page.getByRole('spinbutton', { name: 'Fee for gifts' })).toHaveValue('10');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect(page.getByText('1 setting was saved.')).toBeVisible();

  // A search goes over names, helps and keys, in every group.
  await page.getByRole('searchbox').fill('discord secret');
  await expect(page).toHaveURL(/q=discord/);
  await page.getByLabel('Discord client secret', { exact: true }).fill(SECRET);
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect(page.getByText('It is stored encrypted and never shown.')).toBeVisible();
  await expect(page.getByLabel('Discord client secret', { exact: true })).toHaveValue('');
  expect(await (await page.goto('/mc-admin/settings?group=integrations'))?.text()).not.toContain(SECRET);
  await whole('services elsewhere');

  // A duration is a number and its unit; the bounds say theirs.
  await page.goto('/mc-admin/settings?group=advanced');
  await ready(page);
  const hours = page.getByRole('spinbutton', { name: 'Servers wait for a panel' });
  const unit = page.getByRole('combobox', { name: 'Unit: Servers wait for a panel' });
  await expect(hours).toHaveValue('12');
  await expect(page.getByText('1 hour to 30 days, default 12 hours')).toBeVisible();
  await hours.fill('40');
  await unit.selectOption('days');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await expect(page.getByText('Servers wait for a panel: Too large.')).toBeVisible();
  await expect(hours).toHaveValue('40');
  await expect(unit).toHaveValue('days');
  await hours.fill('3');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await expect(page.getByRole('dialog').getByText('3 days', { exact: true })).toBeVisible();
  await whole('the review of a duration');
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect(page.getByText('1 setting was saved.')).toBeVisible();
  await page.reload();
  await ready(page);
  await expect(hours).toHaveValue('3');
  await expect(unit).toHaveValue('days');
  await whole('a duration');

  // What can lock users out is asked about once more; a list has a row for each entry.
  await page.goto('/mc-admin/settings?group=security');
  await page.getByRole('button', { name: 'Add entry: Networks of VPNs' }).click();
  await page.getByLabel('Networks of VPNs, entry 1').fill('203.0.113.0/24');
  await page.getByLabel('Challenge for bots').selectOption('Proof of work, on your own server');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await expect(page.getByRole('button', { name: 'Save 2 changes' })).toBeDisabled();
  await page.getByRole('checkbox', { name: 'I understand what this changes.' }).check();
  await whole('a change that asks');
  await page.getByRole('button', { name: 'Save 2 changes' }).click();
  await expect(page.getByText('2 settings were saved.')).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/mc-admin/settings?group=legal');
  await page.getByLabel('Privacy policy').fill('# Ours\n\n**Nothing** is sold.');
  await page.getByRole('button', { name: 'Preview' }).first().click();
  await expect(page.getByRole('region', { name: 'Preview' }).getByText('Nothing', { exact: true })).toBeVisible();
  await whole('legal texts on a phone');

  // Every change is listed with who made it, and can be undone.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/mc-admin/settings/history');
  await expect(
    page.getByRole('row', { name: 'Discord client secret' }).getByText('Set', { exact: true }),
  ).toBeVisible();
  await whole('the history');
  await page.getByRole('link', { name: 'Undo: Gifts' }).click();
  await expect(page.getByText('Undo this change?')).toBeVisible();
  await whole('a change to undo');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('The change was undone.')).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  await whole('the history on a phone');

  // A file shows what it would change before it is saved.
  await page.goto('/mc-admin/settings/transfer');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export settings' }).click(),
  ]);
  const exported = readFileSync(await download.path(), 'utf8');
  expect(exported).not.toContain(SECRET);
  const changed = exported.replace('"app_name": "Spawnpoint"', '"app_name": "Lantern"');
  const file = { name: 'settings.json', mimeType: 'application/json', buffer: Buffer.from(changed) };
  await page.getByLabel('File of settings').setInputFiles(file);
  await page.getByRole('button', { name: 'Review changes' }).click();
  await expect(page.getByText('Lantern', { exact: true })).toBeVisible();
  await whole('what a file would change');
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect(page.getByText('1 setting was saved.')).toBeVisible();
  expect(complaints).toEqual([]);
  await context.close();
});

test('the settings as a table change one of them, without scripts too, and a player meets none of it', async ({
  browser,
  host,
}) => {
  const plain = await browser.newContext({ baseURL: host.url, javaScriptEnabled: false });
  const page = await plain.newPage();
  await page.goto('/auth/login');
  await page.getByLabel('Username or e-mail').fill('mirela');
  await page.getByLabel('Password', { exact: true }).fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.goto('/mc-admin/settings/old?q=largest+gift');
  await page.getByRole('link', { name: 'Largest gift' }).click();
  await page.getByRole('spinbutton', { name: 'Largest gift' }).fill('0');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await expect(page.getByText('Largest gift: Too small.')).toBeVisible();
  await page.getByRole('spinbutton', { name: 'Largest gift' }).fill('750');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await expect(page.getByText('750 credits')).toBeVisible();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect(page.getByText('1 setting was saved.')).toBeVisible();
  await expect(page.getByRole('spinbutton', { name: 'Largest gift' })).toHaveValue('750');
  await page.goto('/mc-admin/settings/old?edit=queue_give_up_hours');
  const hours = page.getByRole('spinbutton', { name: 'Servers wait for a panel' });
  const unit = page.getByRole('combobox', { name: 'Unit: Servers wait for a panel' });
  await hours.fill('5');
  await unit.selectOption('weeks');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await expect(page.getByText('Servers wait for a panel: Too large.')).toBeVisible();
  await expect(hours).toHaveValue('5');
  await expect(unit).toHaveValue('weeks');
  await hours.fill('2');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await expect(page.getByText('14 days', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect(page.getByText('1 setting was saved.')).toBeVisible();
  await expect(hours).toHaveValue('14');
  await expect(unit).toHaveValue('days');
  await plain.close();

  const context = await browser.newContext({ baseURL: host.url });
  const player = await context.newPage();
  await player.goto('/auth/login');
  for (const path of ['/mc-admin/settings', '/mc-admin/settings/old'])
    expect((await player.goto(path))?.url(), path).toContain('/auth/login');
  await context.close();

  const shown = await browser.newContext({ baseURL: host.url, viewport: { width: 360, height: 740 } });
  const owner = await shown.newPage();
  await owner.goto('/auth/login');
  await ready(owner);
  await owner.getByLabel('Username or e-mail').fill('mirela');
  await owner.getByLabel('Password', { exact: true }).fill(PASSPHRASE);
  await owner.getByRole('button', { name: 'Log in' }).click();
  await owner.waitForURL(/dashboard/);
  await owner.goto('/mc-admin/settings/old');
  await ready(owner);
  await accessible(owner, 'the table on a phone');
  await shown.close();
});
