import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { DomainError } from '#shared/errors.ts';
import { MASK, SETTINGS } from '#shared/settings.ts';
import { fakeClock, testIds, TEST_START } from '#tests/support/clock.ts';
import { openTestDb, type TestDb } from '#tests/support/db.ts';
import { testSealer } from '#tests/support/sealing.ts';
import { createSealer } from '#server/sealing.ts';
import type { SettingChanges } from './changes.ts';
import { createSettings, type Settings } from './service.ts';

let db: TestDb;
let settings: Settings;
const clock = fakeClock();
beforeEach(async () => {
  db = await openTestDb();
  settings = createSettings({ uow: db.uow, clock, ids: testIds(), bus: db.bus, log: db.log, sealer: testSealer });
  await settings.load();
});
afterEach(() => db.close());

const faults = (changes: SettingChanges) =>
  settings.set(null, changes).then(
    () => null,
    (error: DomainError) => error.fields,
  );

test('a setting that is not stored has the default of the registry', () => {
  for (const [key, { default: value }] of Object.entries(SETTINGS))
    expect(settings.current()).toHaveProperty(key, value);
  expect(settings.flags().afk_enabled).toBe(true);
});

test('what is set holds at once, is audited once and is kept', async () => {
  await settings.set(null, { server_renew_cost: 250, store_enabled: false, app_name: 'Spawnpoint' });
  expect(settings.current()).toMatchObject({ server_renew_cost: 250, store_enabled: false });
  const audit = await db.uow.read((tx) => tx.audit.latest(10));
  expect(audit.map(({ action, target, before, after, atMs }) => [action, target, before, after, atMs]).sort()).toEqual([
    ['settings.set', 'server_renew_cost', 100, 250, TEST_START],
    ['settings.set', 'store_enabled', true, false, TEST_START],
  ]);
  const again = createSettings({ uow: db.uow, clock, ids: testIds(1), bus: db.bus, sealer: testSealer });
  await again.load();
  expect(again.current().server_renew_cost).toBe(250);
});

test('T4 bounds, types and forms are checked, and nothing of a bad set is stored', async () => {
  const cases: [SettingChanges, string][] = [
    [{ server_renew_cost: -1 }, 'TOO_SMALL'],
    [{ server_renew_cost: 1e10 }, 'TOO_LARGE'],
    [{ server_renew_cost: 1.5 }, 'NOT_WHOLE'],
    [{ server_renew_cost: '100' }, 'INVALID'],
    [{ server_renew_cost: [100] }, 'INVALID'],
    [{ server_renew_cost: Number.NaN }, 'INVALID'],
    [{ store_enabled: 1 }, 'INVALID'],
    [{ app_name: 'x'.repeat(61) }, 'TOO_LONG'],
    [{ app_name: 'a\nb' }, 'INVALID'],
    [{ app_name: 'a\uD800' }, 'INVALID'],
    [{ app_lang: 'xx' }, 'INVALID'],
    [{ app_timezone: 'Mars/Olympus' }, 'INVALID'],
    [{ app_url: 'javascript:alert(1)' }, 'INVALID'],
    [{ currency: 'euro' }, 'TOO_LONG'],
  ];
  for (const [changes, code] of cases) {
    expect(await faults({ server_renew_days: 31, ...changes })).toEqual({
      [Object.keys(changes)[0] ?? '']: [code],
    } as never);
  }
  expect(await faults({ nonsense: 1 } as SettingChanges)).toEqual({ nonsense: ['UNKNOWN'] });
  for (const name of ['__proto__', 'constructor', 'toString']) {
    expect(JSON.stringify(await faults(JSON.parse(`{"${name}":1}`) as SettingChanges))).toBe(`{"${name}":["UNKNOWN"]}`);
  }
  expect(await db.uow.read((tx) => tx.settings.all())).toEqual([]);
  expect(settings.current().server_renew_days).toBe(30);
});

test('days of the ledger’s archive are none or at least 90; fewer that are stored already stay as they are', async () => {
  for (const days of [1, 30, 89])
    expect(await faults({ ledger_archive_days: days })).toEqual({ ledger_archive_days: ['TOO_SMALL'] });
  for (const days of [0, 90, 3650]) {
    expect(await faults({ ledger_archive_days: days })).toBe(null);
    expect(settings.current().ledger_archive_days).toBe(days);
  }
  await db.uow.run((tx) => tx.settings.put('ledger_archive_days', '30', 1));
  await settings.load();
  expect([settings.current().ledger_archive_days, await faults({ app_name: 'Lantern' })]).toEqual([30, null]);
});

test('a change by somebody else arrives with the topic', async () => {
  const other = createSettings({ uow: db.uow, clock, ids: testIds(2), bus: db.bus, sealer: testSealer });
  await other.set(null, { app_timezone: 'Europe/Bucharest' });
  await db.uow.read(async () => undefined);
  expect(settings.current().app_timezone).toBe('Europe/Bucharest');
});

test('a check that finds nothing new reports nothing, and one that does reports so once', async () => {
  let heard = 0;
  db.bus.subscribe('settings.loaded', () => void (heard += 1));
  await settings.load();
  expect(heard).toBe(0);
  await db.uow.run((tx) => tx.settings.put('app_name', '"Elsewhere"', 1));
  await settings.load();
  await settings.load();
  expect([settings.current().app_name, heard]).toEqual(['Elsewhere', 1]);
});

test('long texts may have lines, others not; a client id and the modules of plugins have a form', async () => {
  await settings.set(null, {
    custom_css: 'a {\n\tcolor: red;\r\n}',
    privacy_policy: '# We\n',
    google_ads_client_id: 'ca-pub-1234567890123456',
    client_plugins: '/plugins/hats.js\n\n /plugins/a/b.mjs \n',
  });
  const wrong: [SettingChanges, string][] = [
    [{ custom_js: 'a\u0000b' }, 'INVALID'],
    [{ custom_js: 'x'.repeat(200_001) }, 'TOO_LONG'],
    [{ app_name: 'a\tb' }, 'INVALID'],
    [{ google_ads_client_id: 'pub-1234567890123456' }, 'INVALID'],
    [{ google_ads_client_id: 'ca-pub-123456789012345"' }, 'INVALID'],
    ...[
      'https://elsewhere.example/x.js',
      '//elsewhere.example/x.js',
      '/a/../b.js',
      '/a.js?x',
      'a.js',
      '/a.css',
      '/a b.js',
      '/\\elsewhere.example/x.js',
    ].map((path): [SettingChanges, string] => [{ client_plugins: path }, 'INVALID']),
  ];
  for (const [changes, code] of wrong)
    expect(await faults(changes)).toEqual({ [Object.keys(changes)[0] ?? '']: [code] } as never);
  await settings.set(null, { custom_css: '', google_ads_client_id: '' });
  expect(settings.current()).toMatchObject({ custom_css: '', google_ads_client_id: '' });
});

test('T41 an address for help is of the web, a colour has six digits, a theme is one of two', async () => {
  await settings.set(null, { support_url: 'https://discord.gg/lantern', support_email: 'help@lantern.example' });
  await settings.set(null, { accent_dark: '#5865F2', accent_light: '', theme_default: 'light' });
  const wrong: SettingChanges[] = [
    ...['javascript:alert(1)', 'data:text/html,x', '//lantern.example', 'lantern', 'https://a:b@lantern.example'].map(
      (text) => ({ support_url: text }),
    ),
    ...['help', 'help@', 'a@b.example\nBcc: c@d.example'].map((text) => ({ support_email: text })),
    ...['red', '#fff', '#12345g', '123456', '#5865f2;'].map((text) => ({ accent_dark: text })),
    { theme_default: 'blue' },
  ];
  for (const changes of wrong) {
    const [key = '', text] = Object.entries(changes)[0] ?? [];
    const refused = await faults(changes);
    expect([text, Object.keys(refused ?? {})]).toEqual([text, [key]]);
  }
  await settings.set(null, { support_url: '', support_email: '', accent_dark: '', theme_default: 'dark' });
});

test('what is stored but does not fit any more counts as not stored', async () => {
  await db.uow.run(async (tx) => {
    await tx.settings.put('server_renew_cost', '"cheap"', 1);
    await tx.settings.put('app_name', 'no json', 1);
    await tx.settings.put('gone', '1', 1);
  });
  await settings.load();
  expect(settings.current()).toMatchObject({ server_renew_cost: 100, app_name: 'Spawnpoint' });
});

const secretRow = async () =>
  (await db.sql<{ value: string }>("SELECT value FROM settings WHERE key = 'discord_client_secret'"))[0]?.value ?? '';

test('T50 a secret is sealed in the database, clear for the product, masked in the audit log', async () => {
  await settings.set(null, { discord_client_secret: 'hush-hush-1' });
  await settings.set(null, { discord_client_secret: 'hush-hush-2' });
  await settings.set(null, { discord_client_secret: 'hush-hush-2' });
  await settings.set(null, { discord_client_secret: '' });
  const audit = await db.uow.read((tx) => tx.audit.latest(10));
  expect(audit.map(({ before, after }) => [before, after]).sort()).toEqual([
    ['', MASK],
    [MASK, ''],
    [MASK, MASK],
  ]);
  await settings.set(null, { discord_client_secret: 'hush-hush-3' });
  expect(settings.current().discord_client_secret).toBe('hush-hush-3');
  expect(await secretRow()).toMatch(/^sealed:1:/);
  expect(
    JSON.stringify(await db.sql('SELECT * FROM settings')) + JSON.stringify(await db.sql('SELECT * FROM audit')),
  ).not.toContain('hush');
  expect(db.log.lines).toEqual([]);
});

test('T50 a secret under a foreign key, damaged, moved or in clear counts as not set; the log hears of it once', async () => {
  await settings.set(null, { discord_client_secret: 'hush' });
  const good = await secretRow();
  const wrong: [string, string][] = [
    [`${good.slice(0, -3)}AAA`, 'damaged'],
    [createSealer(new Uint8Array(32).fill(1)).seal('settings', 'discord_client_secret', '"hush"'), 'foreign_key'],
    [testSealer.seal('settings', 'another', '"hush"'), 'damaged'],
    ['"hush"', 'not_sealed'],
  ];
  for (const [value, fault] of wrong) {
    await db.uow.run((tx) => tx.settings.put('discord_client_secret', value, 1));
    await settings.load();
    await settings.load();
    expect(settings.current().discord_client_secret).toBe('');
    expect(db.log.lines.splice(0)).toEqual([
      { level: 'error', event: 'settings.secret_unreadable', fields: { settings: { discord_client_secret: fault } } },
    ]);
  }
  await settings.set(null, { discord_client_secret: '' });
  expect(await secretRow()).toMatch(/^sealed:1:/);
  await settings.set(null, { discord_client_secret: 'new' });
  expect([settings.current().discord_client_secret, db.log.lines.length]).toEqual(['new', 0]);
});

test('T50 no secret is public', () => {
  const secrets = Object.entries(SETTINGS).filter(([, row]) => 'secret' in row);
  expect(secrets.map(([key]) => key)).toContain('discord_client_secret');
  expect(secrets.filter(([, row]) => row.public)).toEqual([]);
  // What is named like a secret is one.
  const named = Object.entries(SETTINGS).filter(
    ([key, row]) => /(secret|password|api_key|token)$/.test(key) && row.type === 'text' && !('secret' in row),
  );
  expect(named.map(([key]) => key)).toEqual([]);
});

test('addresses of services are addresses, without anybody’s name or a query', async () => {
  for (const value of [
    'ftp://x.example',
    'x',
    '',
    'https://u:p@x.example',
    'https://x.example/?a=1',
    'https://x.example/#a',
    'javascript:alert(1)',
  ]) {
    expect(await faults({ discord_api_url: value })).toEqual({ discord_api_url: ['INVALID'] });
  }
  await settings.set(null, { discord_api_url: 'http://127.0.0.1:9/api/v10' });
  expect(await faults({ discord_client_id: 'abc' })).toEqual({ discord_client_id: ['INVALID'] });
});
