import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { MINUTE } from '#shared/time.ts';
import { ENGINES } from '#tests/support/db.ts';
import { freshSession, switchOn } from '#tests/support/factor.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 8.3: staff remove a passkey, unlink an account, turn a second factor off, and change a username.

const NOBODY = '01890000-0000-7000-8000-000000000000';
const PASSKEY = '01890000-0000-7000-8000-00000000000a';
const LINK = '01890000-0000-7000-8000-00000000000b';
const MAIL = {
  host: '127.0.0.1',
  port: 9,
  security: 'none' as const,
  username: null,
  password: null,
  fromAddress: 'no-reply@panel.example',
  fromName: 'Spawnpoint',
};
const ended = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) =>
      error instanceof ApiError ? [error.code, ...Object.values(error.fields).flat()].join(' ') : Promise.reject(error),
  );

describe.each(ENGINES)('ways in of a user, changed by staff, on %s', (engine) => {
  let h: Harness;
  let staff: Person;
  let ann: Person;
  beforeEach(async () => {
    h = await openHarness({ engine, config: { mail: MAIL } });
    staff = await h.person('oana', { permissions: ['admin.users.edit'] });
    ann = await h.person('ann');
  }, 300_000);
  afterEach(() => h.close());

  /** Gives a user a passkey and an account at Discord, which can be logged in with. */
  async function giveWays(userId: string): Promise<void> {
    await h.db.sql(
      "INSERT INTO linked_identities (id, user_id, provider, subject, name, scopes, tokens, version, refreshing_until_ms, linked_ms, updated_ms) VALUES (?, ?, 'discord', '123456789012345678', 'ann#1', '', NULL, 1, 0, 0, 0)",
      [LINK, userId],
    );
    await h.db.sql(
      "INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, transports, multi_device, backed_up, name, created_ms) VALUES (?, ?, 'c', 'public', 0, '[]', 1, 1, 'Phone', 0)",
      [PASSKEY, userId],
    );
    await h.db.sql(
      "INSERT INTO sso_providers (id, name, kind, issuer, client_id, scopes, icon, enabled, position, created_ms, updated_ms) VALUES (?, 'Discord', 'discord', 'https://discord.com', '1', '', 'discord', 1, 0, 0, 0)",
      [NOBODY],
    );
  }
  const details = (by = staff) => by.api.adminUserDetails;
  const removePasskey = (last = false, by = staff, id = ann.id) =>
    ended(details(by).removePasskey({ params: { id, passkey: PASSKEY }, query: last ? { last: 'true' } : {} }));
  const unlink = (last = false, by = staff, id = ann.id) =>
    ended(details(by).unlink({ params: { id, link: LINK }, query: last ? { last: 'true' } : {} }));
  const disable = (by = staff, id = ann.id) => ended(details(by).disableTwoFactor({ params: { id } }));
  const rename = (username: string, by = staff, id = ann.id) =>
    ended(details(by).setUsername({ params: { id }, body: { username } }));
  const all = (by: Person, id: string): Promise<readonly string[]> =>
    Promise.all([removePasskey(true, by, id), unlink(true, by, id), disable(by, id), rename('someone', by, id)]);
  const mails = async () =>
    (await h.db.sql<{ template: string }>('SELECT template FROM mails WHERE user_id = ? ORDER BY id', [ann.id])).map(
      ({ template }) => template,
    );
  const audited = () =>
    h.db.sql<Record<string, unknown>>(
      "SELECT action, actor_id, target, before FROM audit WHERE action LIKE 'users.%' AND actor_id IS NOT NULL ORDER BY id",
    );

  test('T40 nobody changes the ways in of a user of their own rank or above, of themselves, or of an account that is gone', async () => {
    const peer = await h.person('peer', { permissions: ['admin.users.edit'] });
    const root = await h.person('root', { permissions: ['admin.root'] });
    const FORBIDDEN = Array.from({ length: 4 }, () => 'FORBIDDEN');
    expect(await all(staff, peer.id)).toEqual(FORBIDDEN);
    expect(await all(staff, staff.id)).toEqual(FORBIDDEN);
    // The forms of one's own account ask for the password.
    expect(await all(root, root.id)).toEqual(FORBIDDEN);
    expect(await all(ann, staff.id)).toEqual(FORBIDDEN);
    expect(await all(staff, NOBODY)).toEqual(FORBIDDEN.map(() => 'NOT_FOUND'));
    await h.db.sql("UPDATE users SET status = 'deleted' WHERE id = ?", [ann.id]);
    expect(await all(staff, ann.id)).toEqual(FORBIDDEN.map(() => 'CONFLICT'));
  });

  test('T31 whoever has not shown for a quarter of an hour who they are confirms it first', async () => {
    await giveWays(ann.id);
    h.clock.advance(15 * MINUTE);
    const email = () =>
      ended(details().setEmail({ params: { id: ann.id }, body: { email: 'a@new.example', confirmed: false } }));
    expect([...(await all(staff, ann.id)), await email()]).toEqual(Array.from({ length: 5 }, () => 'TRUST_REQUIRED'));
    await staff.api.passkeys.confirm({ body: { password: PASSWORD } });
    expect([await removePasskey(), await email()]).toEqual(['ok', 'ok']);
  });

  test('a passkey and a link are removed with an e-mail, a notification and an entry in the log, the last way in never silently', async () => {
    await giveWays(ann.id);
    const ways = async () => {
      const { linked, passkeys } = await details().ways({ params: { id: ann.id } });
      return [...linked, ...passkeys].map(({ last }) => last);
    };
    expect(await ways()).toEqual([false, false]);
    expect(await unlink(false, staff, ann.id)).toBe('ok');
    expect(await unlink()).toBe('NOT_FOUND');
    await h.db.sql("UPDATE users SET password_hash = '' WHERE id = ?", [ann.id]);
    expect(await ways()).toEqual([true]);
    expect(await removePasskey()).toBe('LAST_WAY_IN');
    expect(await removePasskey(true)).toBe('ok');
    expect(await mails()).toEqual(['identityTaken', 'passkeyTaken']);
    expect(await audited()).toEqual([
      {
        action: 'users.unlink',
        actor_id: staff.id,
        target: ann.id,
        before: JSON.stringify({ username: 'ann', provider: 'Discord' }),
      },
      {
        action: 'users.passkey_remove',
        actor_id: staff.id,
        target: ann.id,
        before: JSON.stringify({ username: 'ann', name: 'Phone' }),
      },
    ]);
    const { notifications } = await ann.api.notifications.list();
    expect(notifications.map(({ kind }) => kind).toSorted()).toEqual(['identityTaken', 'passkeyTaken']);
    const { rows } = await ann.api.accountActivity.activity();
    expect(rows.filter(({ own, action }) => !own && action !== 'users.create').map(({ action }) => action)).toEqual([
      'users.passkey_remove',
      'users.unlink',
    ]);
  });

  test('T24 two who take one of the last two ways each at once leave one of them', async () => {
    await giveWays(ann.id);
    await h.db.sql("UPDATE users SET password_hash = '' WHERE id = ?", [ann.id]);
    const codes = await Promise.all([removePasskey(), unlink()]);
    expect(codes.toSorted()).toEqual(['LAST_WAY_IN', 'ok']);
    expect(await removePasskey(false, staff, staff.id)).toBe('FORBIDDEN');
    const bob = await h.person('bob');
    expect([await removePasskey(true, staff, bob.id), await unlink(true, staff, bob.id)]).toEqual([
      'NOT_FOUND',
      'NOT_FOUND',
    ]);
  });

  test('a second factor is turned off at once for every session, once, and its user gets an e-mail', async () => {
    expect(await disable()).toBe('TWO_FACTOR_OFF');
    await switchOn(h, ann);
    const second = await freshSession(h, ann);
    const waits = async () => (await h.host.services.identity.resolve(second))?.actor.waiting;
    expect(await waits()).toBe(true);
    const codes = await Promise.all([disable(), disable(), disable()]);
    expect(codes.toSorted()).toEqual(['TWO_FACTOR_OFF', 'TWO_FACTOR_OFF', 'ok']);
    expect(await waits()).toBe(false);
    expect(await mails()).toEqual(['twoFactorOn', 'twoFactorRemoved']);
  });

  test('a username is changed to one that is free, panels follow, and its user logs in with it', async () => {
    const bob = await h.person('bob');
    await h.db.sql(
      "INSERT INTO pending_accounts (username_key, username, email, email_key, password_hash, first_name, last_name, locale, referral, address, device_key, token_hash, created_ms, expires_ms) VALUES ('eva', 'eva', 'e@x.org', 'e@x.org', '', '', '', 'en', '', '', '', 't', 0, ?)",
      [h.clock.now() + MINUTE],
    );
    for (const taken of ['BOB', 'eva']) expect(await rename(taken)).toBe('VALIDATION_FAILED USERNAME_TAKEN');
    expect(await rename('a b')).toBe('VALIDATION_FAILED INVALID_USERNAME');
    expect(await rename('Ann')).toBe('ok');
    expect(await rename('anna.k')).toBe('ok');
    expect((await ann.api.session.get()).user_info.username).toBe('anna.k');
    await h.guest.auth.login({ body: { login: 'ANNA.K', password: PASSWORD } });
    expect(await mails()).toEqual(['usernameChanged', 'usernameChanged']);
    const jobs = await h.db.sql("SELECT id FROM jobs WHERE kind = 'servers.account' AND state = 'ready'");
    expect(jobs).toHaveLength(1);
    // Two at once who are given one name: the second is refused as if it had been taken before.
    const both = await Promise.all([rename('zoe', staff, ann.id), rename('ZOE', staff, bob.id)]);
    expect(both.toSorted()).toEqual(['VALIDATION_FAILED USERNAME_TAKEN', 'ok']);
  });
});
