import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import type { Permission } from '#shared/permissions.ts';
import { isSecret, isSettingKey, MASK, SETTINGS, type SettingKey } from '#shared/settings.ts';
import { call } from '#tests/support/call.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 8.4.

setDefaultTimeout(300_000);

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
      expect(looked.differences).toEqual([{ key: 'discord_client_secret', before: MASK, after: MASK, affected: null }]);
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

  test('the history says who changed which setting when, of one or of all, page by page, and of secrets only that', async () => {
    await h.host.services.settings.set(null, { app_name: 'Lantern' });
    for (const value of [20, 30]) {
      h.clock.advance(1000);
      await save(admin, { gift_fee_percent: value });
    }
    h.clock.advance(1000);
    await save(admin, { discord_client_secret: HUSH, privacy_policy: 'x'.repeat(300) });
    const { entries } = await admin.api.adminSettings.history({});
    const shown = entries.map(({ key, actor, before, after, can_undo: canUndo }) => [
      key,
      actor,
      before.value,
      after.value,
      canUndo,
    ]);
    expect(shown.slice(0, 2).sort()).toEqual([
      ['discord_client_secret', 'admin', '', MASK, false],
      ['privacy_policy', 'admin', '', '', true],
    ]);
    expect(entries.find(({ key }) => key === 'privacy_policy')?.after.chars).toBe(300);
    const now = h.clock.now();
    expect(entries.map(({ at }) => now - Date.parse(at))).toEqual([0, 0, 1000, 2000, 3000]);
    expect(shown.slice(2)).toEqual([
      ['gift_fee_percent', 'admin', 20, 30, true],
      ['gift_fee_percent', 'admin', 10, 20, true],
      ['app_name', null, 'Spawnpoint', 'Lantern', true],
    ]);
    const one = await admin.api.adminSettings.history({ query: { key: 'app_name' } });
    expect(one.entries.map(({ key }) => key)).toEqual(['app_name']);
    for (let value = 1; value <= 26; value += 1) {
      h.clock.advance(1000);
      await save(admin, { gift_min: 1 + value });
    }
    const first = await admin.api.adminSettings.history({ query: { key: 'gift_min' } });
    const rest = await admin.api.adminSettings.history({ query: { key: 'gift_min', before: first.older ?? '' } });
    expect([first.entries.length, rest.entries.length, rest.older]).toEqual([25, 1, null]);
  });

  test('T57 a change is undone by the rules of every other change, but that of a secret is not', async () => {
    await save(owner, { vpn_provider_url: 'https://first.example/{ip}', vpn_provider_key: HUSH, custom_css: 'a{}' });
    await save(owner, { vpn_provider_url: 'https://second.example/{ip}', vpn_provider_key: HUSH });
    await save(admin, { gift_fee_percent: 20 });
    const changeOf = async (key: SettingKey) => {
      const { entries } = await admin.api.adminSettings.history({ query: { key } });
      return entries[0]?.id ?? '';
    };
    const undo = async (by: Person, key: SettingKey, revision?: number) =>
      faultsOf(
        by.api.adminSettings.undo({
          params: { id: await changeOf(key) },
          body: { revision: revision ?? (await rowOf(key)).revision, confirmed: true },
        }),
      );
    expect(await undo(admin, 'gift_fee_percent', 0)).toEqual({ gift_fee_percent: ['CHANGED_MEANWHILE'] });
    expect(await undo(admin, 'gift_fee_percent')).toBeNull();
    expect((await rowOf('gift_fee_percent')).value).toBe(10);
    expect(await undo(admin, 'custom_css')).toEqual({ custom_css: ['NOT_ALLOWED'] });
    expect(await undo(admin, 'vpn_provider_url')).toEqual({ vpn_provider_key: ['REQUIRED'] });
    const id = await changeOf('vpn_provider_key');
    const answer = await call(h, owner, 'POST', `/api/admin/settings/history/${id}/undo`, {
      revision: 2,
      confirmed: true,
    });
    expect(answer.status).toBe(404);
    const seen = await admin.api.adminSettings.change({ params: { id: await changeOf('vpn_provider_url') } });
    expect([seen.current.value, seen.entry.before.value]).toEqual([
      'https://second.example/{ip}',
      'https://first.example/{ip}',
    ]);
  });

  test('a list of changes says how long a text is, and a change by itself has the whole of it', async () => {
    const [first, second] = ['Be kind.\n'.repeat(40), 'Be fair.\n'.repeat(30)];
    for (const terms_of_service of [first, second]) await save(owner, { terms_of_service });
    const { entries } = await owner.api.adminSettings.history({ query: { key: 'terms_of_service' } });
    expect(entries[0]).toMatchObject({
      before: { value: '', chars: first.length },
      after: { value: '', chars: second.length },
    });
    const seen = await owner.api.adminSettings.change({ params: { id: entries[0]?.id ?? '' } });
    expect([seen.entry.before, seen.entry.after, seen.current].map(({ value }) => value)).toEqual([
      first,
      second,
      second,
    ]);
    const params = { id: entries[0]?.id ?? '' };
    await owner.api.adminSettings.undo({ params, body: { revision: seen.revision, confirmed: false } });
    expect((await rowOf('terms_of_service')).value).toBe(first);
    const after = await owner.api.adminSettings.history({ query: { key: 'terms_of_service' } });
    expect([after.entries.length, after.entries[0]?.actor]).toEqual([3, 'owner']);
  });

  test('T50 the exported file has every setting but the secrets', async () => {
    await save(owner, { discord_client_secret: HUSH, app_name: 'Lantern' });
    const response = await h.http('/api/admin/settings/export', {
      headers: { Cookie: `__Host-spawnpoint=${admin.secret}` },
    });
    expect(response.headers.get('content-disposition')).toContain('spawnpoint-settings.json');
    const { settings } = JSON.parse(await response.text()) as { settings: Record<string, unknown> };
    expect(settings).toMatchObject({ app_name: 'Lantern', server_renew_cost: 100 });
    expect(Object.keys(settings).filter((key) => isSettingKey(key) && isSecret(key))).toEqual([]);
    expect(JSON.stringify(settings)).not.toContain(HUSH);
  });

  test('T41 the preview of a text shows its markup as text', async () => {
    const { html } = await admin.api.adminSettings.preview({ body: { text: '# Hi\n\n<script>alert(1)</script>' } });
    expect(html).not.toContain('<script');
  });
});
