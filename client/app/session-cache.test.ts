import { describe, expect, test } from 'bun:test';
import { safeStorage } from '#client/lib/storage.ts';
import type { DebugInfo } from '#shared/debug-info.ts';
import { FLAGS, type Flags } from '#shared/flags.ts';
import { ANSWER, memoryStorage } from '#tests/support/session.ts';
import { cacheBoot, cachedPermissions, cacheSession, forgetSession } from './session-cache.ts';

/** Typed from the specification, section 3. */
const FIELDS = [
  'app_name',
  'app_version',
  'app_lang',
  'app_timezone',
  'app_url',
  'currency',
  'currency_symbol',
  'company_name',
  'company_address',
  'company_city',
  'company_state',
  'company_country',
  'company_zip',
  'company_vat',
  'default_cpu',
  'default_ram',
  'default_disk',
  'default_ports',
  'default_databases',
  'default_backups',
  'default_server_slots',
  'server_renew_days',
  'server_renew_cost',
];
const settings = Object.fromEntries(FIELDS.map((field, index) => [field, index]));
const flags = Object.fromEntries(FLAGS.map((flag, index) => [flag, index % 2 === 0])) as Flags;
const debug: DebugInfo = {
  debug_debug: false,
  debug_version: '1.0.0',
  debug_os: '',
  debug_os_kernel: '',
  debug_name: 'Spawnpoint',
  debug_telemetry: false,
  debug: { useRedis: null, rateLimit: { enabled: true, limit: 600 } },
};
const BOOT = { settings, flags, debug, locale: 'en', theme: 'dark' } as const;

function open(room?: number) {
  const raw = memoryStorage(room);
  return { storage: safeStorage(() => raw), entries: raw.entries };
}

describe('the user in local storage', () => {
  test('S3.1 each non-null entry is stored under its own key, the permissions under user_permissions', () => {
    const { storage, entries } = open();
    cacheSession(storage, {
      user_info: { name: 'a', none: null, yes: false },
      billing: { credits: 0 },
      stats: { unread: 3 },
      permissions: ['admin.root'],
    });
    expect(Object.fromEntries(entries)).toEqual({
      name: 'a',
      yes: 'false',
      credits: '0',
      unread: '3',
      user_permissions: '["admin.root"]',
      session_keys: '["name","yes","credits","unread"]',
    });
  });

  test('S3.1 an entry that a later answer does not have any more goes', () => {
    const { storage, entries } = open();
    cacheSession(storage, ANSWER);
    cacheSession(storage, { ...ANSWER, user_info: { id: 'u1', username: null } });
    expect([entries.has('username'), entries.get('id')]).toEqual([false, 'u1']);
  });

  test('an entry never takes the place of a key of the product', () => {
    const { storage, entries } = open();
    storage.setItem('ui-settings', 'mine');
    cacheSession(storage, {
      ...ANSWER,
      user_info: { 'ui-settings': 'x', redirectAfterLogin: '/x', user_permissions: 'x', locale: 'ro' },
    });
    expect([
      entries.get('ui-settings'),
      entries.has('redirectAfterLogin'),
      entries.get('user_permissions'),
      entries.get('locale'),
    ]).toEqual(['mine', false, '["admin.egg.list"]', 'ro']);
    storage.setItem('session_keys', '["ui-settings", 5]');
    forgetSession(storage);
    expect(entries.get('ui-settings')).toBe('mine');
  });

  test('a log-out takes all of it, also what only staff received, and nothing else', () => {
    const { storage, entries } = open();
    cacheBoot(storage, BOOT);
    storage.setItem('preferredTransition', 'flip');
    cacheSession(storage, ANSWER);
    forgetSession(storage);
    expect([...entries.keys()].sort()).toEqual([
      'app_settings',
      'feature_flags',
      'preferredLocale',
      'preferredTransition',
      'theme',
    ]);
  });

  test('a full storage breaks nothing, and keeps nothing that is out of date', () => {
    const { storage, entries } = open(120);
    storage.setItem('user_permissions', '["admin.root"]');
    cacheSession(storage, {
      ...ANSWER,
      permissions: Array.from({ length: 40 }, (_, index) => `admin.egg.list.${index}`),
    });
    expect([entries.has('user_permissions'), cachedPermissions(storage)]).toEqual([false, []]);
    const none = open(5);
    cacheSession(none.storage, ANSWER);
    expect([...none.entries.keys()]).toEqual([]);
  });

  test('a forbidden storage breaks nothing', () => {
    const storage = safeStorage(() => {
      throw new DOMException('no', 'SecurityError');
    });
    cacheBoot(storage, BOOT);
    cacheSession(storage, ANSWER);
    forgetSession(storage);
    storage.clear();
    expect([cachedPermissions(storage), storage.getItem('x'), storage.setItem('x', 'y')]).toEqual([[], null, false]);
  });
});

describe('the installation in local storage', () => {
  function boot() {
    const opened = open();
    cacheBoot(opened.storage, BOOT);
    return opened;
  }
  const stored = (key: string): unknown => JSON.parse(boot().entries.get(key) ?? 'null');

  test('S3.3 the settings are stored under the settings cache key, with the fields of the specification', () => {
    expect(stored('app_settings')).toEqual(settings);
  });
  test('S3.4 the thirteen feature flags are stored', () => {
    const names = [
      'afk_enabled',
      'allow_coins_sharing',
      'allow_public_profiles',
      'allow_servers',
      'allow_tickets',
      'code_redemption_enabled',
      'credits_recharge_enabled',
      'early_supporters_enabled',
      'leaderboard_enabled',
      'referrals_enabled',
      'server_renew_enabled',
      'store_enabled',
      'zero_trust_enabled',
    ];
    expect([...FLAGS].sort()).toEqual(names as (typeof FLAGS)[number][]);
    expect(stored('feature_flags')).toEqual(flags);
  });
  test('S3.5 the debug info is stored', () => {
    expect(stored('debug_info')).toEqual(debug);
  });
  test('S3.8 the locale is stored in capitals, EN by default, and so is the theme', () => {
    const { storage, entries } = boot();
    expect([entries.get('preferredLocale'), entries.get('theme')]).toEqual(['EN', 'dark']);
    cacheBoot(storage, { ...BOOT, theme: 'light' });
    expect([entries.get('preferredLocale'), entries.get('theme')]).toEqual(['EN', 'light']);
  });
  test('Screen 11 the language that a visitor saved stays, whatever the page came in, and nonsense does not', () => {
    const { storage, entries } = boot();
    cacheBoot(storage, { ...BOOT, locale: 'md' });
    expect(entries.get('preferredLocale')).toBe('EN');
    storage.setItem('preferredLocale', 'constructor');
    cacheBoot(storage, { ...BOOT, locale: 'md' });
    expect(entries.get('preferredLocale')).toBe('MD');
  });
});
