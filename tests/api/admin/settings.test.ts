import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import type { Permission } from '#shared/permissions.ts';
import { MASK, SETTINGS, type SettingKey } from '#shared/settings.ts';
import { call } from '#tests/support/call.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 8.4.

const BOTH: readonly Permission[] = ['admin.settings.view', 'admin.settings.edit'];
const HUSH = 'hush-hush-hush';
/** The codes of a refusal by key; null where nothing was refused. */
const faultsOf = (command: Promise<unknown>): Promise<object | null> =>
  command.then(
    () => null,
    (error: unknown) => {
      if (error instanceof ApiError) return error.fields;
      throw error;
    },
  );

describe.each(ENGINES)('settings for staff on %s', (engine) => {
  let h: Harness;
  let owner: Person;
  let admin: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    owner = await h.person('owner', { permissions: ['admin.root'] });
    admin = await h.person('admin', { permissions: BOTH });
  });
  afterEach(() => h.close());

  const rowOf = async (key: SettingKey) => {
    const { rows } = await owner.api.adminSettings.list({});
    const row = rows.find((each) => each.key === key);
    if (!row) throw new Error(`no setting ${key}`);
    return row;
  };
  type Values = Partial<Record<SettingKey, string | number | boolean>>;
  /** Changes by somebody who has just looked at the settings. */
  async function changesTo(values: Values) {
    const { rows } = await owner.api.adminSettings.list({});
    return Object.entries(values).map(([key, value]) => ({
      key,
      value,
      revision: rows.find((row) => row.key === key)?.revision ?? 0,
    }));
  }
  const save = async (by: Person, values: Values, confirmed = true) =>
    by.api.adminSettings.save({ body: { changes: await changesTo(values), confirmed } });
  const faults = async (by: Person, values: Values, confirmed = true) => faultsOf(save(by, values, confirmed));

  test('the list has every setting of the registry with its value and revision, and what the environment sets', async () => {
    const { rows, environment } = await admin.api.adminSettings.list({});
    expect(rows.map(({ key }) => key)).toEqual(Object.keys(SETTINGS));
    expect(rows.every(({ revision }) => revision === 0)).toBe(true);
    expect(await rowOf('server_renew_cost')).toMatchObject({ value: 100, is_set: false, changed_at: null });
    expect(environment.map(({ name }) => name)).toContain('APP_URL');
    expect(await save(admin, { server_renew_cost: 250, store_enabled: false })).toMatchObject({ changed: 2 });
    expect(await rowOf('server_renew_cost')).toMatchObject({ value: 250, is_set: true, revision: 1 });
    expect(h.host.services.settings.current().store_enabled).toBe(false);
    const audit = await h.db.uow.read((tx) => tx.audit.latest(2));
    expect(
      audit.map(({ action, target, before, after, actorId }) => [action, target, before, after, actorId]).sort(),
    ).toEqual([
      ['settings.set', 'server_renew_cost', 100, 250, admin.id],
      ['settings.set', 'store_enabled', true, false, admin.id],
    ]);
  });

  test('T50 no stored secret reaches a browser, and an answer does not say whether one was guessed', async () => {
    expect(await save(owner, { discord_client_secret: HUSH, stripe_secret_key: HUSH })).toMatchObject({ changed: 2 });
    const all = await call(h, owner, 'GET', '/api/admin/settings');
    expect(JSON.stringify(all.json)).not.toContain(HUSH);
    expect(await rowOf('discord_client_secret')).toMatchObject({ value: '', is_set: true, revision: 1 });
    for (const guess of [HUSH, 'another']) {
      const body = { changes: await changesTo({ discord_client_secret: guess }) };
      const looked = await admin.api.adminSettings.review({ body });
      expect(looked.differences).toEqual([{ key: 'discord_client_secret', before: MASK, after: MASK }]);
      const before = (await rowOf('discord_client_secret')).revision;
      expect(await save(admin, { discord_client_secret: guess })).toMatchObject({ changed: 1 });
      expect((await rowOf('discord_client_secret')).revision).toBe(before + 1);
    }
    expect(JSON.stringify(await h.db.sql('SELECT * FROM audit'))).not.toContain(HUSH);
    await save(admin, { discord_client_secret: '' });
    expect(await rowOf('discord_client_secret')).toMatchObject({ value: '', is_set: false });
  });

  test('T57 an address moves to another origin only with its secret, in the review as well as in the save', async () => {
    await save(owner, { vpn_provider_url: 'https://vpn.example/{ip}', vpn_provider_key: HUSH });
    const moved = { vpn_provider_url: 'https://thief.example/{ip}?k={key}' };
    expect(await faults(admin, moved)).toEqual({ vpn_provider_key: ['REQUIRED'] });
    const changes = await changesTo(moved);
    expect(await faultsOf(admin.api.adminSettings.review({ body: { changes } }))).toEqual({
      vpn_provider_key: ['REQUIRED'],
    });
    expect(await faults(admin, { ...moved, vpn_provider_key: 'a-new-one' })).toBeNull();
  });

  test('a save of what somebody else changed since is refused at each such field, and stores nothing', async () => {
    const seen = await changesTo({ gift_fee_percent: 20, afk_per_minute: 2, app_name: 'Lantern' });
    await save(owner, { gift_fee_percent: 30, afk_per_minute: 2 });
    const late = admin.api.adminSettings.save({ body: { changes: seen, confirmed: true } });
    // What is as they want it is no conflict.
    expect(await faultsOf(late)).toEqual({ gift_fee_percent: ['CHANGED_MEANWHILE'] });
    expect((await rowOf('app_name')).value).toBe('Spawnpoint');
    expect(await faults(admin, { gift_fee_percent: 20, app_name: 'Lantern' })).toBeNull();
    expect((await rowOf('gift_fee_percent')).value).toBe(20);
  });

  test('one of several saves of the same setting at once succeeds, and the others meet the conflict', async () => {
    const changes = [1, 2, 3, 4].map((value) => [{ key: 'gift_min', value: value * 10, revision: 0 }]);
    const outcomes = await Promise.all(
      changes.map((each) => faultsOf(admin.api.adminSettings.save({ body: { changes: each, confirmed: false } }))),
    );
    expect(outcomes.filter((outcome) => outcome === null)).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome !== null)).toEqual(
      Array.from({ length: 3 }, () => ({ gift_min: ['CHANGED_MEANWHILE'] })),
    );
    expect((await rowOf('gift_min')).revision).toBe(1);
  });

  test('T61 what reaches further than settings is changed by owners only, and nobody without the right changes any', async () => {
    for (const values of [
      { custom_js: 'alert(1)' },
      { custom_css: 'a{}' },
      { client_plugins: '/a.js' },
      { staff_amount_max: 5 },
      { outbound_private_networks: true },
      { stripe_webhook_secret: 'whsec_1' },
      { paypal_api_url: 'https://paypal.example' },
    ] as const) {
      expect(await faults(admin, values)).toEqual({ [Object.keys(values)[0] ?? '']: ['NOT_ALLOWED'] });
      expect(await faults(owner, values)).toBeNull();
    }
    const viewer = await h.person('viewer', { permissions: ['admin.settings.view'] });
    const editor = await h.person('editor', { permissions: ['admin.settings.edit'] });
    const body = { changes: [], confirmed: true };
    expect((await call(h, viewer, 'GET', '/api/admin/settings')).status).toBe(200);
    expect((await call(h, viewer, 'PATCH', '/api/admin/settings', body)).status).toBe(403);
    expect((await call(h, editor, 'GET', '/api/admin/settings')).status).toBe(403);
  });

  test('a change that can lock users out is saved after it was confirmed only', async () => {
    expect(await faults(admin, { force_2fa: 'all', app_name: 'Lantern' }, false)).toEqual({
      force_2fa: ['NOT_CONFIRMED'],
    });
    expect((await rowOf('app_name')).value).toBe('Spawnpoint');
    expect(await faults(admin, { force_2fa: 'staff', registration_enabled: false })).toBeNull();
  });

  test('T4 types, bounds, choices and what spans settings are refused at their fields, and names of the prototype too', async () => {
    expect(await faults(admin, { server_renew_cost: -1, app_lang: 'xx', store_enabled: 1 })).toEqual({
      server_renew_cost: ['TOO_SMALL'],
      app_lang: ['INVALID'],
      store_enabled: ['INVALID'],
    });
    expect(await faults(admin, { gift_min: 5000 })).toEqual({ gift_min: ['TOO_LARGE'] });
    expect(await faults(admin, { gift_max: 5, gift_min: 3 })).toBeNull();
    expect(await faults(admin, { challenge: 'turnstile' })).toEqual({
      turnstile_site_key: ['REQUIRED'],
      turnstile_secret: ['REQUIRED'],
    });
    expect(await faults(admin, { mail_verification: true })).toEqual({ mail_verification: ['NEEDS_MAIL'] });
    for (const key of ['__proto__', 'constructor', 'nonsense']) {
      const { status, json } = await call(h, admin, 'PATCH', '/api/admin/settings', {
        changes: [{ key, value: 1, revision: 0 }],
        confirmed: true,
      });
      expect([status, JSON.stringify(json)]).toEqual([422, expect.stringContaining('"UNKNOWN"')]);
    }
  });

  test('every setting of the registry refuses what is beyond its bounds, its length and its choices', async () => {
    for (const [way, expected] of [
      ['below', ['TOO_SMALL']],
      ['above', ['TOO_LARGE']],
    ] as const) {
      const numbers = Object.entries(SETTINGS).flatMap(([key, row]) =>
        row.type === 'number' ? [[key, way === 'below' ? row.min - 1 : row.max + 1] as const] : [],
      );
      const refused = Object.fromEntries(numbers.map(([key]) => [key, expected]));
      expect<unknown>(await faults(owner, Object.fromEntries(numbers))).toEqual(refused);
    }
    const short = Object.entries(SETTINGS).filter(([, row]) => row.type === 'text' && row.max <= 500);
    const tooLong = Object.fromEntries(short.map(([key]) => [key, 'x'.repeat(501)]));
    expect(Object.keys((await faults(owner, tooLong)) ?? {}).sort()).toEqual(short.map(([key]) => key).sort());
    expect(await faults(owner, { custom_css: 'x'.repeat(200_001) })).toEqual({ custom_css: ['TOO_LONG'] });
  });

  test('T41 the preview of a text shows its markup as text', async () => {
    const { html } = await admin.api.adminSettings.preview({ body: { text: '# Hi\n\n<script>alert(1)</script>' } });
    expect(html).not.toContain('<script');
  });
});
