import { afterEach, describe, expect, test } from 'bun:test';
import type { DomainError, FieldErrors } from '#shared/errors.ts';
import { isSecret, isSettingKey, SETTINGS, type SettingKey, type SettingRow } from '#shared/settings.ts';
import { createSealer } from '#server/sealing.ts';
import { fakeClock, testIds } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';
import { testSealer } from '#tests/support/sealing.ts';
import { createSettings } from './service.ts';

let open: TestDb | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});
async function openSettings(engine: (typeof ENGINES)[number] = 'sqlite') {
  const db = (open = await openTestDb(engine));
  const settings = createSettings({
    uow: db.uow,
    clock: fakeClock(),
    ids: testIds(),
    bus: db.bus,
    log: db.log,
    sealer: testSealer,
  });
  await settings.load();
  const faults = (changes: object) =>
    settings.set(null, changes).then(
      () => null,
      (error: DomainError) => error.fields,
    );
  return { db, settings, faults };
}

const ROWS: readonly [string, SettingRow][] = Object.entries(SETTINGS);
const SECRETS = ROWS.flatMap(([key, row]) =>
  row.type === 'text' && row.secret ? [{ key, sentTo: row.secret.sentTo }] : [],
);
const PAIRS = SECRETS.filter(({ key }) => !['mail_password', 'imap_password'].includes(key)).flatMap(
  ({ key, sentTo }) => sentTo.map((address) => ({ key, address })),
);

/** An address in the form that its setting wants. */
function addressFor(setting: string, origin: string): string {
  if (setting === 'vpn_provider_url') return `${origin}/{ip}`;
  return setting === 'link_generic_check' ? `${origin}/check?t={token}` : origin;
}

/** Secrets that never leave the process, and why. */
const NEVER_SENT = ['ticket_mail_secret', 'stripe_webhook_secret'];
/** Settings with an address that nothing secret is sent to: our own, and pages that visitors are sent to. */
const WITHOUT_SECRET = [
  'app_url',
  'support_url',
  'discord_authorize_url',
  'link_linkvertise_host',
  'link_generic_start',
  'mail_from_address',
  'ticket_mail_address',
  'update_feed_url',
];

test('T57 every secret names the addresses that it is sent to, or is known to be sent nowhere', () => {
  expect(SECRETS.length).toBeGreaterThan(9);
  expect(SECRETS.filter(({ sentTo }) => sentTo.length === 0).map(({ key }) => key)).toEqual(NEVER_SENT);
  for (const { address } of PAIRS)
    expect([address, isSettingKey(address) && !isSecret(address) && SETTINGS[address].type]).toEqual([address, 'text']);
});

test('T57 every setting with an address is one that a secret names, or is known to get none', () => {
  const named = new Set(SECRETS.flatMap(({ sentTo }) => sentTo));
  const addresses = ROWS.filter(
    ([key, row]) =>
      row.type === 'text' &&
      !row.secret &&
      (/_(url|uri|api|host|start|check|endpoint|address)$/.test(key) || /^https?:/.test(row.default)),
  );
  const outside = addresses
    .map(([key]) => key)
    .filter((key) => !named.has(key) && !key.startsWith('company_') && key !== 'adblock_check');
  expect(outside.sort()).toEqual([...WITHOUT_SECRET].sort());
});

describe.each(ENGINES)('on %s', (engine) => {
  test.each(PAIRS)('T57 $key is not sent to an origin that $address got without it', async ({ key, address }) => {
    const { settings, faults, db } = await openSettings(engine);
    const value = () => settings.current()[address as SettingKey];
    await settings.set(null, { [key]: 'hush-hush-hush', [address]: addressFor(address, 'https://first.example') });
    for (const thief of [
      'https://thief.example',
      'http://first.example',
      'https://first.example:444',
      'https://first.example.thief.example',
    ]) {
      expect(await faults({ [address]: addressFor(address, thief) })).toEqual({ [key]: ['REQUIRED'] });
      expect(await faults({ [address]: addressFor(address, thief), app_name: 'Along' })).toEqual({
        [key]: ['REQUIRED'],
      });
    }
    expect([value(), settings.current().app_name]).toEqual([
      addressFor(address, 'https://first.example'),
      'Spawnpoint',
    ]);
    // With the secret, or without any, it may move; a change that leaves the address as it is asks for nothing.
    expect(await faults({ app_name: 'Other', [address]: value() })).toBeNull();
    expect(await faults({ [address]: addressFor(address, 'https://second.example'), [key]: 'hush-hush-2' })).toBeNull();
    expect(await faults({ [address]: addressFor(address, 'https://third.example'), [key]: '' })).toBeNull();
    expect(await faults({ [address]: addressFor(address, 'https://fourth.example') })).toBeNull();
    expect(JSON.stringify(await db.sql('SELECT * FROM audit'))).not.toContain('hush');
  });
});

test.each(ENGINES.flatMap((engine) => [{ engine, of: 'mail' } as const, { engine, of: 'imap' } as const]))(
  'T57 the password of the $of server goes to no other host, port or kind of connection without it on $engine',
  async ({ engine, of }) => {
    const { settings, faults } = await openSettings(engine);
    const [host, password, port, kind] = [`${of}_host`, `${of}_password`, `${of}_port`, `${of}_encryption`] as const;
    await settings.set(null, {
      [host]: 'server.example.com',
      [password]: 'hush',
      mail_from_address: 'a@b.example',
      imap_username: 'support',
    });
    const needed: FieldErrors = { [password]: ['REQUIRED'] };
    for (const moved of [{ [host]: 'thief.example.com' }, { [host]: 'fe80::1' }, { [port]: 25 }, { [kind]: 'none' }])
      expect(await faults(moved)).toEqual(needed);
    expect(await faults({ [host]: 'SERVER.example.com', [port]: SETTINGS[port].default })).toBeNull();
    expect(await faults({ [host]: '' })).toBeNull();
    expect(await faults({ [host]: 'fe80::2' })).toEqual(needed);
    expect(await faults({ [host]: 'fe80::2', [password]: 'hush-2' })).toBeNull();
    expect(await faults({ [host]: 'fe80::3' })).toEqual(needed);
    expect(settings.current()[host]).toBe('fe80::2');
  },
);

test('T57 an address that is emptied first needs the secret before it leads anywhere again', async () => {
  const { settings, faults } = await openSettings();
  await settings.set(null, { vpn_provider_url: 'https://vpn.example/{ip}', vpn_provider_key: 'hush' });
  expect(await faults({ vpn_provider_url: '' })).toBeNull();
  expect(await faults({ vpn_provider_url: 'https://thief.example/{ip}/{key}' })).toEqual({
    vpn_provider_key: ['REQUIRED'],
  });
});

test('T57 a placeholder in the host makes another origin', async () => {
  const { settings, faults } = await openSettings();
  await settings.set(null, { vpn_provider_url: 'https://vpn.example/{ip}', vpn_provider_key: 'hush' });
  expect(await faults({ vpn_provider_url: 'https://vpn.example{ip}.thief.example/' })).toEqual({
    vpn_provider_key: ['REQUIRED'],
  });
  expect(await faults({ vpn_provider_url: 'https://vpn.example/v2/{ip}' })).toBeNull();
});

test('T57 a secret that cannot be read now counts as stored: with the right key it would be there again', async () => {
  const { db, faults, settings } = await openSettings();
  const sealed = createSealer(new Uint8Array(32).fill(1)).seal('settings', 'turnstile_secret', '"hush"');
  await db.uow.run((tx) => tx.settings.put('turnstile_secret', sealed, 1));
  await settings.load();
  db.log.lines.splice(0);
  expect(await faults({ turnstile_url: 'https://thief.example' })).toEqual({ turnstile_secret: ['REQUIRED'] });
});
