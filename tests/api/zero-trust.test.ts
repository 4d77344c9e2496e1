import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { AVATARS, BACKGROUNDS } from '#shared/profile.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import { openBrowser, type Browser } from '#tests/support/browser.ts';
import { ENGINES } from '#tests/support/db.ts';
import { codeAt, switchOn } from '#tests/support/factor.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 3.11.

const HOME = '198.51.100.9';
/** Something that changes one's own account. */
const CHANGE = [
  'PUT',
  '/api/account/privacy',
  { leaderboard: true, profile: true, fields: [], avatar: AVATARS[0], background: BACKGROUNDS[0], badge: 'none' },
] as const;

describe.each(ENGINES)('zero trust on %s', (engine) => {
  let h: Harness;
  let ann: Person;
  let oana: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    ann = await h.person('ann');
    oana = await h.person('oana', { permissions: ['admin.users.edit', 'admin.users.list'] });
    await h.set({ zero_trust_enabled: true });
  }, 300_000);
  afterEach(() => h.close());

  /** A browser that has logged in. */
  async function loggedIn(login: string, address = HOME): Promise<Browser> {
    const browser = openBrowser(h, address);
    expect((await browser.send('POST', '/api/auth/login', { login, password: PASSWORD })).status).toBe(200);
    return browser;
  }
  /** The same cookies, brought from elsewhere. */
  function from(browser: Browser, address: string, device = true): Browser {
    const other = openBrowser(h, address);
    for (const [name, value] of browser.cookies) if (device || !name.includes('device')) other.cookies.set(name, value);
    return other;
  }
  const change = async (browser: Browser) => (await browser.send(...CHANGE)).code ?? 'ok';
  const ban = async (browser: Browser) =>
    (await browser.send('POST', `/api/admin/users/${ann.id}/ban`, { reason: 'two accounts', days: 1 })).code ?? 'ok';
  const confirm = (browser: Browser, body: object = { password: PASSWORD }) =>
    browser.send('POST', '/api/auth/confirm', body);
  const log = () =>
    h.db.sql<{ actor_id: string; after: string }>(
      "SELECT actor_id, after FROM audit WHERE action = 'account.trust_refused' ORDER BY at_ms, id",
    );

  test('T35 a session that is brought to another network reads on, and changes nothing until it is confirmed', async () => {
    const home = await loggedIn('ann');
    expect(await change(home)).toBe('ok');
    // Another address of the same /24.
    expect(await change(from(home, '198.51.100.200'))).toBe('ok');
    const away = from(home, '203.0.113.50');
    expect((await away.get('/api/dashboard')).status).toBe(200);
    expect(await Promise.all([change(away), change(away), change(away)])).toEqual([
      'TRUST_REQUIRED',
      'TRUST_REQUIRED',
      'TRUST_REQUIRED',
    ]);
    expect((await confirm(away, { password: 'not the password' })).status).toBe(422);
    expect(await change(away)).toBe('TRUST_REQUIRED');
    expect((await confirm(away)).status).toBe(200);
    expect(await change(away)).toBe('ok');
    // It is bound to where it was confirmed: home has to confirm in its turn.
    expect(await change(home)).toBe('TRUST_REQUIRED');
    // Logged once for each network in an hour, whatever many calls there were.
    const rows = await log();
    expect(rows.map(({ actor_id: actor, after }) => [actor, JSON.parse(after)])).toEqual([
      [ann.id, { reason: 'network' }],
      [ann.id, { reason: 'network' }],
    ]);
    h.clock.advance(HOUR);
    expect(await change(home)).toBe('TRUST_REQUIRED');
    expect(await log()).toHaveLength(3);
  });

  test('T35 a session of IPv6 is bound to its /48, and one written as IPv4 to its /24', async () => {
    const home = await loggedIn('ann', '2001:db8:7:1::5');
    expect(await change(from(home, '2001:db8:7:ffff::1'))).toBe('ok');
    expect(await change(from(home, '2001:db8:8:1::5'))).toBe('TRUST_REQUIRED');
    const other = await loggedIn('ann', '::ffff:198.51.100.9');
    expect(await change(from(other, '198.51.100.77'))).toBe('ok');
  });

  test('T35 a stolen session without the browser’s own key changes nothing, nor does one of before', async () => {
    const home = await loggedIn('ann');
    const stolen = from(home, HOME, false);
    expect(await change(stolen)).toBe('TRUST_REQUIRED');
    stolen.cookies.set('__Host-spawnpoint-device', 'another-browser-altogether');
    expect(await change(stolen)).toBe('TRUST_REQUIRED');
    expect((await confirm(stolen)).status).toBe(200);
    expect(await change(stolen)).toBe('ok');
    // One that was opened before sessions were bound is asked once, and gets a key if its browser has none.
    const older = openBrowser(h, '203.0.113.7');
    older.cookies.set('__Host-spawnpoint', ann.secret);
    expect(await change(older)).toBe('TRUST_REQUIRED');
    expect((await confirm(older)).status).toBe(200);
    expect(await change(older)).toBe('ok');
  });

  test('T30 T31 whoever has a second factor confirms with a code of it as well', async () => {
    const { secret } = await switchOn(h, ann);
    const away = openBrowser(h, '192.0.2.4');
    away.cookies.set('__Host-spawnpoint', ann.secret);
    expect(await change(away)).toBe('TRUST_REQUIRED');
    expect((await confirm(away)).status).toBe(422);
    expect(await change(away)).toBe('TRUST_REQUIRED');
    expect((await confirm(away, { password: PASSWORD, code: codeAt(secret, h.clock.now()) })).status).toBe(200);
    expect(await change(away)).toBe('ok');
  });

  test('T40 staff confirm again what is dangerous after fifteen minutes, and not what harms nobody', async () => {
    const staff = await loggedIn('oana');
    h.clock.advance(15 * MINUTE - 1);
    expect(await ban(staff)).toBe('ok');
    h.clock.advance(1);
    expect(await ban(staff)).toBe('TRUST_REQUIRED');
    expect((await staff.send('POST', `/api/admin/users/${ann.id}/view-as`)).code).toBe('TRUST_REQUIRED');
    expect((await staff.send('POST', `/api/admin/users/${ann.id}/notes`, { text: 'Asked why.' })).status).toBe(200);
    expect(await change(staff)).toBe('ok');
    expect((await confirm(staff)).status).toBe(200);
    expect(await ban(staff)).toBe('ok');
    h.clock.advance(15 * MINUTE);
    expect(await ban(staff)).toBe('TRUST_REQUIRED');
    expect((await log()).map(({ after }) => JSON.parse(after))).toEqual([{ reason: 'time' }]);
    expect(await h.db.sql("SELECT id FROM audit WHERE action = 'account.confirm'")).toHaveLength(1);
  });

  test('T40 staff come from their networks only and never from a known VPN, reading included', async () => {
    const staff = await loggedIn('oana');
    const player = await loggedIn('ann');
    const users = async (browser: Browser) => (await browser.get('/api/admin/users')).status;
    await h.set({ zero_trust_staff_networks: '# the office\n203.0.113.0/24' });
    expect(await users(staff)).toBe(403);
    expect([await ban(staff), await change(staff)]).toEqual(['STAFF_NETWORK_REFUSED', 'STAFF_NETWORK_REFUSED']);
    expect((await confirm(staff)).code).toBe('STAFF_NETWORK_REFUSED');
    expect(await change(player)).toBe('ok');
    // They see who they are, and may log out.
    expect((await staff.get('/api/user/session')).status).toBe(200);
    const office = await loggedIn('oana', '203.0.113.20');
    expect([await users(office), await ban(office)]).toEqual([200, 'ok']);
    await h.set({ vpn_networks: '203.0.113.16/28' });
    expect([await users(office), await ban(office)]).toEqual([403, 'STAFF_NETWORK_REFUSED']);
    expect((await log()).map(({ after }) => JSON.parse(after))).toEqual([
      { reason: 'staff_network' },
      { reason: 'staff_vpn' },
    ]);
    expect((await staff.send('POST', '/api/auth/logout')).status).toBe(200);
    // A token with rights of staff is no way round.
    await h.set({ vpn_networks: '' });
    const { apiTokens } = h.host.services;
    const scopes = ['admin.users:read' as const];
    const input = { name: 'Bot', scopes, expires_in_days: null, addresses: '' };
    const { token } = await apiTokens.operator.create('oana', input);
    const call = (address: string) =>
      h.http('/api/admin/users', { headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': address } });
    expect([(await call('198.51.100.9')).status, (await call('203.0.113.20')).status]).toEqual([403, 200]);
  });

  test('T39 staff who view as a user do so from their own networks, and end it from anywhere', async () => {
    const staff = await loggedIn('oana');
    expect((await staff.send('POST', `/api/admin/users/${ann.id}/view-as`)).status).toBe(200);
    await h.set({ zero_trust_staff_networks: '203.0.113.0/24' });
    expect((await staff.get('/api/dashboard')).status).toBe(403);
    await h.set({ zero_trust_staff_networks: '' });
    const away = from(staff, '192.0.2.200');
    expect((await away.get('/api/dashboard')).status).toBe(200);
    expect((await away.send('POST', '/api/view-as/end')).status).toBe(200);
    expect((await log()).map(({ actor_id: actor }) => actor)).toEqual([oana.id]);
  });

  test('T38 nothing is asked while it is off, and the command line turns it off whoever is shut out', async () => {
    const owner = await h.person('boss', { permissions: ['admin.root'] });
    await h.set({ zero_trust_staff_networks: '192.0.2.1' });
    expect((await owner.api.adminUsers.list().catch((error: { code: string }) => error)) as object).toMatchObject({
      code: 'STAFF_NETWORK_REFUSED',
    });
    // As `settings set` does.
    await h.host.services.settings.set(null, { zero_trust_enabled: false });
    expect((await owner.api.adminUsers.list()).rows.length).toBeGreaterThan(1);
    const home = await loggedIn('ann');
    expect(await change(from(home, '203.0.113.50', false))).toBe('ok');
    expect(await log()).toHaveLength(1);
  });

  test('T57 lines that are no networks are refused as a setting, so that a typing error shuts nobody out', async () => {
    const refused = h.set({ zero_trust_staff_networks: 'the office' });
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await h.set({ zero_trust_staff_networks: '203.0.113.0/24 # office\n2001:db8::/32\n\n198.51.100.1-198.51.100.9' });
  });
});
