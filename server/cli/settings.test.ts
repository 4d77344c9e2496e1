import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '#server/env.ts';
import { roomyFolder } from '#tests/support/folder.ts';
import { MASK } from '#shared/settings.ts';
import { settings } from './operate.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(roomyFolder(), 'spawnpoint-settings-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs `settings …` on the folder. Out: exit code and what it printed. */
async function run(...argv: string[]): Promise<{ code: number; lines: string[] }> {
  const out = spyOn(console, 'log').mockImplementation(() => undefined);
  try {
    const code = await settings(readConfig({ DATA_DIR: folder }), argv, { words: { isNew: true, newKey: false } });
    return { code, lines: out.mock.calls.map(([line]) => String(line)) };
  } finally {
    out.mockRestore();
  }
}

test('a value comes from a file, without the line break at its end, and a long text keeps its lines', async () => {
  const path = join(folder, 'value.txt');
  await Bun.write(path, 'Sponsor\n');
  expect((await run('set', 'link_generic_name', '--file', path)).code).toBe(0);
  expect((await run('get', 'link_generic_name')).lines).toEqual(['Sponsor']);
  await Bun.write(path, 'valid=true\ninfo.linkId=77\n');
  expect((await run('set', 'link_generic_conditions', '--file', path)).code).toBe(0);
  expect((await run('get', 'link_generic_conditions')).lines).toEqual(['valid=true\ninfo.linkId=77\n']);
});

test('T50 a secret is kept sealed over a restart, and the command line shows only that there is one', async () => {
  expect((await run('get', 'discord_client_secret')).lines).toEqual(['']);
  expect(await run('set', 'discord_client_secret', 'hush-hush')).toEqual({
    code: 0,
    lines: ['discord_client_secret set.'],
  });
  expect((await run('get', 'discord_client_secret')).lines).toEqual([MASK]);
  const { lines } = await run('list');
  expect(lines).toContain(`discord_client_secret=${MASK}`);
  expect(lines).toContain('app_name=Spawnpoint');
  expect(lines.join()).not.toContain('hush');
  expect(await Bun.file(join(folder, 'spawnpoint.db')).text()).not.toContain('hush');
  expectConsole(/discord_client_secret takes at most 500 characters\./);
  expect((await run('set', 'discord_client_secret', 'hush'.repeat(200))).code).toBe(2);
});

test('S11 mail_verification is refused without a mail server, with the reason', async () => {
  expectConsole(/^mail_verification needs a mail server: set mail_host or MAIL_HOST first\.$/);
  expect((await run('set', 'mail_verification', 'on')).code).toBe(2);
  expect((await run('get', 'mail_verification')).lines).toEqual(['off']);
});

test('Screen 8 money and tax are written as users write them, and kept exactly: 19 is 19 %, 4.99 is €4.99', async () => {
  expect((await run('set', 'tax_rate', '19')).lines).toEqual(['tax_rate set to 19 % (was 0 %).']);
  expect((await run('get', 'tax_rate')).lines).toEqual(['19']);
  expect((await run('set', 'tax_rate', '8,1 %')).lines).toEqual(['tax_rate set to 8.1 % (was 19 %).']);
  expect((await run('set', 'tax_rate', '8.10')).lines).toEqual(['tax_rate is 8.1 % already.']);
  expect((await run('set', 'payment_min', '4.99')).lines).toEqual(['payment_min set to €4.99 (was €1.00).']);
  expect((await run('get', 'payment_min')).lines).toEqual(['4.99']);
  expect((await run('list')).lines).toEqual(
    expect.arrayContaining(['tax_rate=8.1', 'payment_min=4.99', 'payment_max=500.00', 'credits_recharge_enabled=on']),
  );
  await run('set', 'currency', 'JPY');
  expect((await run('set', 'payment_max', '5000')).lines).toEqual(['payment_max set to ¥5,000 (was ¥50,000).']);
});

test('Screen 8 every setting survives being read and written again as it is shown', async () => {
  const shown = (await run('list')).lines.filter((line) => !line.includes('characters)') && !line.endsWith('='));
  for (const line of shown.filter((each) => /=(?:\d|on|off)/.test(each)).slice(0, 40)) {
    const [key = '', value = ''] = line.split('=');
    expect((await run('set', key, value)).lines[0]).toMatch(/ already\.$/);
  }
}, 300_000);

test('Screen 9 a refusal says in words what fits, and a change says what it set; neither shows raw JSON', async () => {
  const refused = async (key: string, value: string, words: RegExp) => {
    expectConsole(words);
    const { code, lines } = await run('set', key, value);
    expect([code, lines]).toEqual([2, []]);
  };
  await refused(
    'tax_rate',
    '1900',
    /^tax_rate has to be a percentage from 0 % to 100 %, with at most two decimals: 19 or 8\.1\.$/,
  );
  await refused('server_renew_days', 'soon', /^server_renew_days has to be a whole number from 1 to 365 days\.$/);
  await refused(
    'payment_min',
    '1e9',
    /^payment_min has to be an amount of money from €0\.01 to €10,000,000\.00, such as 4\.99\.$/,
  );
  await refused('afk_per_minute', '0', /^afk_per_minute has to be a whole number from 1 to 1,000 credits\.$/);
  await refused(
    'ledger_archive_days',
    '30',
    /^ledger_archive_days has to be 0, or a whole number from 90 to 3,650 days\.$/,
  );
  await refused('store_enabled', 'maybe', /^store_enabled is either on or off\.$/);
  await refused('currency', 'NAN', /^currency has to be an ISO 4217 currency code/);
  await refused('app_name', 'x'.repeat(61), /^app_name takes at most 60 characters\.$/);
  await refused('no_such_setting', '1', /^There is no setting called "no_such_setting"/);
  expect((await run('set', 'store_enabled', 'off')).lines).toEqual(['store_enabled set to off (was on).']);
  expect((await run('set', 'app_name', 'Lantern')).lines).toEqual(['app_name set to "Lantern" (was "Spawnpoint").']);
});

test('T57 the command line moves no service to another origin without its key in the same command', async () => {
  expect((await run('set', 'vpn_provider_url', 'https://vpn.example/{ip}', 'vpn_provider_key', 'hush-hush')).code).toBe(
    0,
  );
  expectConsole(/vpn_provider_key/);
  expect((await run('set', 'vpn_provider_url', 'https://thief.example/{ip}?k={key}')).code).toBe(2);
  expect((await run('get', 'vpn_provider_url')).lines).toEqual(['https://vpn.example/{ip}']);
  expect((await run('set', 'vpn_provider_url', 'https://thief.example/{ip}', 'vpn_provider_key', '')).code).toBe(0);
  expect((await run('get', 'vpn_provider_key')).lines).toEqual(['']);
});

test('a command line with a value missing, a key unknown or given twice changes nothing', async () => {
  expectConsole(/Usage/);
  for (const argv of [
    ['app_name'],
    ['app_name', 'A', 'nonsense', 'B'],
    ['app_name', 'A', 'app_name', 'B'],
    ['app_name', '--file'],
    ['app_name', '-', 'app_lang', '-'],
  ]) {
    expect((await run('set', ...argv)).code).toBe(2);
  }
  expect((await run('get', 'app_name')).lines).toEqual(['Spawnpoint']);
});
