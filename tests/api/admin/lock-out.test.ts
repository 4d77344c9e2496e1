import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { SETTINGS, type SettingKey, type SettingRow } from '#shared/settings.ts';
import { call } from '#tests/support/call.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 8.4: what can lock somebody out is confirmed, and undone from the command line.

setDefaultTimeout(300_000);

/** Settings by which people lose their way in, typed by hand, each with a value that does it. */
const LOCKS_OUT: Readonly<Partial<Record<SettingKey, string | boolean>>> = {
  app_url: 'https://elsewhere.example',
  force_2fa: 'all',
  challenge: 'altcha',
  registration_enabled: false,
  zero_trust_enabled: true,
  zero_trust_staff_networks: '192.0.2.0/24',
  trusted_proxies: '192.0.2.0/24',
  mail_host: 'nowhere.example',
};

test('every setting that can lock somebody out is one that asks first', () => {
  const asking = Object.keys(LOCKS_OUT).filter((key) => (SETTINGS[key as SettingKey] as SettingRow).asks);
  expect(asking).toEqual(Object.keys(LOCKS_OUT));
});

describe.each(ENGINES)('on %s', (engine) => {
  let h: Harness;
  let owner: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    owner = await h.person('owner', { permissions: ['admin.root'] });
  });
  afterEach(() => h.close());

  const save = async (values: object, confirmed: boolean) => {
    const changes = Object.entries(values).map(([key, value]) => ({ key, value, revision: 0 }));
    const { json } = await call(h, owner, 'PATCH', '/api/admin/settings', { changes, confirmed });
    return (json.fields as object | undefined) ?? null;
  };
  /** What the owner meets on the way to the settings. */
  const enter = async () => (await call(h, owner, 'GET', '/api/admin/settings')).status;
  /** What `spawnpoint settings set` does. */
  const fromCommandLine = (values: object) => h.host.services.settings.set(null, values);

  test('each asks first, is saved once it is confirmed, and the command line sets it back without being asked', async () => {
    for (const [key, value] of Object.entries(LOCKS_OUT)) {
      const more = key === 'mail_host' ? { mail_from_address: 'host@panel.example' } : {};
      const wanted = { ...more, [key]: value };
      expect([key, await save(wanted, false)]).toEqual([key, { [key]: ['NOT_CONFIRMED'] }]);
      expect([key, await save(wanted, true)]).toEqual([key, null]);
      expect(h.host.services.settings.current()[key as SettingKey]).toBe(value);
      await fromCommandLine({ [key]: SETTINGS[key as SettingKey].default });
      expect([key, await enter()]).toEqual([key, 200]);
    }
  });

  test('an owner without a second factor who asks everybody for one is stopped, and let in again by the command line', async () => {
    expect(await save({ force_2fa: 'all' }, true)).toBeNull();
    expect(await enter()).toBe(403);
    await fromCommandLine({ force_2fa: 'nobody' });
    expect(await enter()).toBe(200);
  });

  test('an owner outside the networks of staff is stopped, and let in again by the command line', async () => {
    expect(await save({ zero_trust_staff_networks: '192.0.2.0/24', zero_trust_enabled: true }, true)).toBeNull();
    expect(await enter()).toBe(403);
    await fromCommandLine({ zero_trust_enabled: false });
    expect(await enter()).toBe(200);
  });
});
