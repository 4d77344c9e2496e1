import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { DomainError } from '#shared/errors.ts';
import { DAY, iso } from '#shared/time.ts';
import { guestCtx } from '#tests/support/browser.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 8.3: sessions, notes and the support PIN.

const NOBODY = '01890000-0000-7000-8000-000000000000';
const ended = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) => (error instanceof ApiError ? error.code : Promise.reject(error)),
  );
const codeIn = (error: unknown): string =>
  error instanceof DomainError ? error.code : error instanceof ApiError ? error.code : String(error);
const fieldsOf = (error: unknown): unknown => (error instanceof ApiError ? error.fields : error);

describe.each(ENGINES)('users for staff on %s', (engine) => {
  let h: Harness;
  let staff: Person;
  let ann: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    staff = await h.person('oana', { permissions: ['admin.users.edit', 'admin.users.list'] });
    ann = await h.person('ann');
  }, 300_000);
  afterEach(() => h.close());

  test('staff see where a user is logged in and end one session or all, but not of their own rank', async () => {
    const { adminAccounts } = staff.api;
    const params = { id: ann.id };
    await h.host.services.identity.openSession(ann.id, { address: '192.0.2.9', userAgent: '' });
    const { sessions } = await adminAccounts.sessions({ params });
    expect(sessions.map(({ address }) => address).sort()).toEqual(['192.0.2.9', '203.0.113.7']);
    expect(JSON.stringify(sessions)).not.toContain('token');
    const other = sessions.find(({ address }) => address === '192.0.2.9');
    expect(await adminAccounts.endSessions({ params, body: { session: other?.id ?? '' } })).toMatchObject({ ended: 1 });
    expect(await ended(adminAccounts.endSessions({ params, body: { session: other?.id ?? '' } }))).toBe('NOT_FOUND');
    expect(await ended(ann.api.account.get())).toBe('ok');
    expect(await adminAccounts.endSessions({ params, body: { session: null } })).toMatchObject({ ended: 1 });
    expect(await ended(ann.api.account.get())).toBe('UNAUTHENTICATED');
    const peer = await h.person('peer', { permissions: ['admin.users.edit'] });
    expect(await ended(adminAccounts.endSessions({ params: { id: peer.id }, body: { session: null } }))).toBe(
      'FORBIDDEN',
    );
    expect(await ended(adminAccounts.sessions({ params: { id: NOBODY } }))).toBe('NOT_FOUND');
    const rows = await h.db.sql<{ after: string }>("SELECT after FROM audit WHERE action = 'users.sessions_end'");
    expect(rows.map(({ after }) => JSON.parse(after) as unknown)).toEqual([
      { username: 'ann', ended: 1 },
      { username: 'ann', ended: 1 },
    ]);
  });

  test('T24 a session of somebody else is not ended through a user it does not belong to', async () => {
    const bob = await h.person('bob');
    const [session] = (await staff.api.adminAccounts.sessions({ params: { id: bob.id } })).sessions;
    const end = staff.api.adminAccounts.endSessions({ params: { id: ann.id }, body: { session: session?.id ?? '' } });
    expect(await ended(end)).toBe('NOT_FOUND');
    expect(await ended(bob.api.account.get())).toBe('ok');
  });

  test('staff create a user with the role and limits of everybody, who logs in with the password they were given', async () => {
    const { adminAccounts, adminUsers } = staff.api;
    const body = {
      username: 'shop.client',
      email: 'client@example.com',
      password: 'plough lantern meadow',
      locale: 'de',
    } as const;
    const { id } = await adminAccounts.create({ body });
    const made = await adminUsers.get({ params: { id } });
    const ordinary = await adminUsers.get({ params: { id: ann.id } });
    expect(made).toMatchObject({
      username: 'shop.client',
      email: 'client@example.com',
      status: 'active',
      locale: 'de',
    });
    expect(made).toMatchObject({ role_id: ordinary.role_id, limits: ordinary.limits, balance: 0 });
    expect([made.first_name, made.last_name]).toEqual(['shop.client', '-']);
    const [row] = await h.db.sql("SELECT verified_ms, password_hash FROM users WHERE username = 'shop.client'");
    expect(row).toMatchObject({ verified_ms: null });
    expect(row?.password_hash).not.toContain(body.password);
    const [entry] = await h.db.sql(
      "SELECT actor_id, target, after FROM audit WHERE action = 'users.create' AND actor_id IS NOT NULL",
    );
    expect(entry).toMatchObject({ actor_id: staff.id, target: id });
    expect(JSON.stringify(entry)).not.toContain(body.password);
    const login = (password: string) =>
      ended(
        h.host.services.identity.login(
          guestCtx(),
          { login: 'shop.client', password },
          { secret: null, device: 'device-0123456789' },
        ),
      );
    expect(await login(body.password)).toBe('ok');
    expect(await ended(adminAccounts.verify({ params: { id } }))).toBe('ok');
  });

  test('a user whom staff created without a password sets one by the link of a forgotten one, and by no other way', async () => {
    const { id } = await staff.api.adminAccounts.create({ body: { username: 'later', email: 'later@example.com' } });
    const { identity } = h.host.services;
    const login = (password: string) =>
      identity
        .login(guestCtx(), { login: 'later', password }, { secret: null, device: 'device-0123456789' })
        .then(() => 'ok', codeIn);
    for (const guess of ['', '-', 'later', 'null']) expect(await login(guess)).toBe('LOGIN_FAILED');
    await identity.requestPasswordReset(guestCtx({ address: '198.51.100.9' }), 'later', '');
    await h.drainJobs();
    const [mail] = await h.db.sql<{ text: string }>("SELECT text FROM mails WHERE template = 'passwordReset'");
    const token = /token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
    await identity.resetPassword(guestCtx(), { token, password: 'plough lantern meadow' });
    expect(await login('plough lantern meadow')).toBe('ok');
    const [row] = await h.db.sql('SELECT verified_ms FROM users WHERE id = ?', [id]);
    expect(row?.verified_ms).not.toBeNull();
  });

  test('T2 twenty calls at once that create the same user make one account, with one key or with none', async () => {
    const body = { username: 'crowd', email: 'crowd@example.com' };
    const keyed = await Promise.all(
      Array.from({ length: 20 }, () => staff.api.adminAccounts.create({ body }, { key: 'order-0001' })),
    );
    expect(new Set(keyed.map(({ id }) => id)).size).toBe(1);
    h.clock.advance(DAY);
    const other = { username: 'crowd2', email: 'crowd2@example.com' };
    const all = await Promise.all(
      Array.from({ length: 20 }, () => ended(staff.api.adminAccounts.create({ body: other }))),
    );
    expect(all.toSorted()).toEqual([...Array.from({ length: 19 }, () => 'VALIDATION_FAILED'), 'ok']);
    const rows = await h.db.sql("SELECT username FROM users WHERE username LIKE 'crowd%' ORDER BY username");
    expect(rows.map(({ username }) => username)).toEqual(['crowd', 'crowd2']);
  });

  test('a user is refused at the field where the name or address is taken or wrong, or the password a common one', async () => {
    const { adminAccounts } = staff.api;
    const refused = (body: object) =>
      adminAccounts
        .create({ body: { username: 'fresh', email: 'fresh@example.com', ...body } as never })
        .then(() => null, fieldsOf);
    expect(await refused({ username: 'ANN' })).toEqual({ username: ['USERNAME_TAKEN'] });
    expect(await refused({ email: 'ANN@example.com' })).toEqual({ email: ['EMAIL_TAKEN'] });
    expect(await refused({ username: 'a b' })).toEqual({ username: ['INVALID_USERNAME'] });
    expect(await refused({ email: 'fresh' })).toEqual({ email: ['INVALID_EMAIL'] });
    expect(await refused({ password: 'password123' })).toEqual({ password: ['PASSWORD_COMMON'] });
    expect(await refused({ password: 'short' })).toEqual({ password: ['TOO_SHORT'] });
    expect(await refused({ locale: 'xx' })).toEqual({ locale: ['INVALID'] });
    expect(await refused({ role: 'owner' })).toEqual({ role: ['UNKNOWN'] });
    expect(await h.db.sql("SELECT id FROM users WHERE username = 'fresh'")).toEqual([]);
  });

  test('a note is read by staff alone, is added once an Idempotency-Key, and is deleted by its author or an owner', async () => {
    const { adminAccounts } = staff.api;
    const params = { id: ann.id };
    const text = 'Warned twice\nabout spam';
    const { id } = await adminAccounts.addNote({ params, body: { text } }, { key: 'note-0001' });
    expect((await adminAccounts.addNote({ params, body: { text } }, { key: 'note-0001' })).id).toBe(id);
    const { notes } = await adminAccounts.notes({ params });
    expect(notes).toEqual([{ id, author: 'oana', text, at: iso(h.clock.now()), mine: true }]);
    const peer = await h.person('peer', { permissions: ['admin.users.edit'] });
    expect((await peer.api.adminAccounts.notes({ params })).notes[0]?.mine).toBe(false);
    expect(await ended(peer.api.adminAccounts.deleteNote({ params: { ...params, note: id } }))).toBe('FORBIDDEN');
    expect(await ended(ann.api.adminAccounts.notes({ params }))).toBe('FORBIDDEN');
    expect(await ended(adminAccounts.deleteNote({ params: { id: staff.id, note: id } }))).toBe('NOT_FOUND');
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    expect(await ended(owner.api.adminAccounts.deleteNote({ params: { ...params, note: id } }))).toBe('ok');
    expect((await adminAccounts.notes({ params })).notes).toEqual([]);
    for (const bad of ['', ' ', 'x'.repeat(2001), 'a\u0000b'])
      expect(await ended(adminAccounts.addNote({ params, body: { text: bad } }))).toBe('VALIDATION_FAILED');
    await h.db.sql("UPDATE users SET status = 'deleted' WHERE id = ?", [ann.id]);
    expect(await ended(adminAccounts.addNote({ params, body: { text } }))).toBe('CONFLICT');
  });

  test('a support PIN has six digits, is good for a day or until the next one, and finds the account', async () => {
    expect((await ann.api.supportPin.get()).support_pin).toBeNull();
    const first = (await ann.api.supportPin.renew()).support_pin;
    expect(first).toEqual({ pin: expect.stringMatching(/^\d{6}$/), expires_at: iso(h.clock.now() + DAY) });
    const found = async (q: string) =>
      (await staff.api.adminUsers.list({ query: { q } })).rows.map(({ username }) => username);
    expect(await found(first.pin)).toEqual(['ann']);
    expect(await found(`${first.pin.slice(0, 3)} ${first.pin.slice(3)}`)).toEqual(['ann']);
    const second = (await ann.api.supportPin.renew()).support_pin;
    expect((await ann.api.supportPin.get()).support_pin).toEqual(second);
    if (second.pin !== first.pin) expect(await found(first.pin)).toEqual([]);
    expect(await found(second.pin)).toEqual(['ann']);
    h.clock.advance(DAY);
    expect(await found(second.pin)).toEqual([]);
    expect((await ann.api.supportPin.get()).support_pin).toBeNull();
  });

  test('two users never have the same PIN while it is good, and one that ended may be given again', async () => {
    const { uow } = h.db;
    const now = h.clock.now();
    const set = (userId: string, createdMs = now) =>
      uow.run((tx) => tx.people.setPin({ userId, pin: '480317', createdMs, expiresMs: createdMs + DAY }));
    expect(await set(ann.id)).toBe(true);
    expect(await set(staff.id)).toBe(false);
    expect(await set(staff.id, now + DAY)).toBe(true);
    expect(await h.db.sql('SELECT user_id FROM support_pins')).toEqual([{ user_id: staff.id }]);
  });

  test('S4 a user is found by the address of a session only by staff who may see sessions, and by a Discord id', async () => {
    const { sql } = h.db;
    await sql("UPDATE sessions SET address = '192.0.2.44' WHERE user_id = ?", [ann.id]);
    await sql(
      "INSERT INTO linked_identities (id, user_id, provider, subject, name, scopes, tokens, version, refreshing_until_ms, linked_ms, updated_ms) VALUES ('i', ?, 'discord', '123456789012345678', 'ann', '', NULL, 1, 0, 0, 0)",
      [ann.id],
    );
    const helper = await h.person('helper', { permissions: ['admin.users.list'] });
    const found = async (by: Person, q: string) =>
      (await by.api.adminUsers.list({ query: { q } })).rows.map(({ username }) => username);
    expect(await found(staff, '192.0.2.44')).toEqual(['ann']);
    expect(await found(helper, '192.0.2.44')).toEqual([]);
    expect(await found(helper, '123456789012345678')).toEqual(['ann']);
  });

  test('T40 a role is given by staff above it and above the user, at once, and nobody raises their own', async () => {
    const { roles } = await staff.api.adminUsers.list();
    const idOf = (name: string) => roles.find((role) => role.name === name)?.id ?? '';
    const give = (by: Person, who: Person, role: string) =>
      ended(by.api.adminAccounts.setRole({ params: { id: who.id }, body: { role } }));
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    expect(await give(staff, ann, idOf('Owner'))).toBe('ROLE_TOO_HIGH');
    expect(await give(staff, ann, idOf('role-oana'))).toBe('ROLE_TOO_HIGH');
    expect(await give(staff, staff, idOf('Member'))).toBe('FORBIDDEN');
    expect(await give(ann, ann, idOf('Owner'))).toBe('FORBIDDEN');
    expect(await give(owner, owner, idOf('Member'))).toBe('LAST_OWNER');
    expect(await give(owner, ann, NOBODY)).toBe('VALIDATION_FAILED');
    expect(await ended(ann.api.adminOverview.get())).toBe('FORBIDDEN');
    expect(await give(owner, ann, idOf('Admin'))).toBe('ok');
    expect(await ended(ann.api.adminOverview.get())).toBe('ok');
    expect(await give(staff, ann, idOf('Member'))).toBe('FORBIDDEN');
    const view = await owner.api.adminUsers.get({ params: { id: ann.id } });
    expect([view.role_id, view.roles.map(({ id }) => id).includes(view.role_id)]).toEqual([idOf('Admin'), true]);
  });

  test('staff confirm an address once, and only of a user below their rank', async () => {
    const peer = await h.person('peer', { permissions: ['admin.users.edit'] });
    await h.db.sql('UPDATE users SET verified_ms = NULL WHERE id IN (?, ?)', [ann.id, peer.id]);
    const confirm = (id: string) => ended(staff.api.adminAccounts.verify({ params: { id } }));
    expect(await confirm(peer.id)).toBe('FORBIDDEN');
    const ends = await Promise.all([confirm(ann.id), confirm(ann.id)]);
    expect(ends.toSorted()).toEqual(['ALREADY_VERIFIED', 'ok']);
    expect(await confirm(NOBODY)).toBe('NOT_FOUND');
    const rows = await h.db.sql("SELECT actor_id, target FROM audit WHERE action = 'account.verify'");
    expect(rows).toEqual([{ actor_id: staff.id, target: ann.id }]);
  });
});
