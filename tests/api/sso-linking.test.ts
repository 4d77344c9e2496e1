import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { MINUTE } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { confirmWho } from '#tests/support/harness.ts';
import type { OidcPerson } from '#tests/support/sso/oidc.ts';
import { bodyOf, openSigningIn, type SigningIn } from '#tests/support/sso/signing-in.ts';

// Shows behaviour 3.6.

let h: SigningIn;
let vlad: OidcPerson;
beforeEach(async () => {
  h = await openSigningIn();
  vlad = h.oidc.person('vlad', { name: 'Vlad Munteanu', preferred_username: 'vlad' });
});
afterEach(() => h.close());

const countLinks = async () => (await h.db.sql('SELECT id FROM linked_identities')).length;

describe('linking', () => {
  test('T31 linking and unlinking ask who sits there, and each is mailed once, also where the way back comes twice', async () => {
    const ann = await h.person('ann');
    const begin = () => ann.api.linked.start({ body: { provider: h.provider } });
    const mails = () => h.db.sql("SELECT template FROM mails WHERE template LIKE 'identity%' ORDER BY id");
    expect(await codeOf(begin())).toBe('CONFIRM_REQUIRED');
    expect(await h.db.sql('SELECT * FROM sso_attempts')).toEqual([]);
    await confirmWho(ann);
    const { code = '', state = '', iss = '' } = bodyOf(h.oidc.consent((await begin()).url, vlad));
    const returns = await Promise.all(
      Array.from({ length: 5 }, () => codeOf(ann.api.linked.finish({ body: { code, state, iss } }))),
    );
    expect(returns.toSorted()).toEqual([
      'LINK_STATE_INVALID',
      'LINK_STATE_INVALID',
      'LINK_STATE_INVALID',
      'LINK_STATE_INVALID',
      null,
    ]);
    await h.link(ann, vlad);
    expect(await mails()).toEqual([{ template: 'identityLinked' }]);
    h.clock.advance(10 * MINUTE);
    const id = (await ann.api.linked.get()).others[0]?.identity?.id ?? '';
    const unlink = () => codeOf(ann.api.linked.unlink({ params: { id } }));
    expect([await unlink(), await countLinks()]).toEqual(['CONFIRM_REQUIRED', 1]);
    await confirmWho(ann);
    expect((await Promise.all([unlink(), unlink()])).toSorted()).toEqual(['NOT_FOUND', null]);
    expect(await mails()).toEqual([{ template: 'identityLinked' }, { template: 'identityUnlinked' }]);
    expect((await ann.api.notifications.list()).notifications.map(({ kind }) => kind)).toEqual([
      'identityUnlinked',
      'identityLinked',
    ]);
  });

  test('whoever registers through a provider gets no mail that an account was linked', async () => {
    const browser = h.visitor();
    await h.signIn(browser, vlad);
    await h.register(browser, { username: 'vlad' });
    expect(await countLinks()).toBe(1);
    expect(await h.db.sql("SELECT template FROM mails WHERE template = 'identityLinked'")).toEqual([]);
  });

  test('T33 an account at a provider belongs to one user, also where twenty want it at once', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, (_, n) => h.person(`person${n}`)));
    const results = await Promise.all(people.map((person) => codeOf(h.link(person, vlad))));
    expect(results.filter((code) => code === null)).toHaveLength(1);
    expect(results.filter((code) => code === 'IDENTITY_TAKEN')).toHaveLength(19);
  });

  test('one account of a provider is linked, a second one is refused, and the same one again changes nothing', async () => {
    const ann = await h.person('ann');
    await h.link(ann, vlad);
    expect(await codeOf(h.link(ann, h.oidc.person('second')))).toBe('ALREADY_LINKED');
    await h.link(ann, vlad);
    expect(await countLinks()).toBe(1);
    expect((await ann.api.linked.get()).others).toMatchObject([
      { provider: h.provider, name: 'Nordlicht ID', identity: { name: 'vlad', relink: false }, can_unlink: true },
    ]);
  });

  test('the last way in stays: of two unlinked at once one does', async () => {
    const ann = await h.person('ann');
    await h.link(ann, vlad);
    await h.db.sql("UPDATE users SET password_hash = '' WHERE id = ? RETURNING id", [ann.id]);
    const [only] = (await ann.api.linked.get()).others;
    expect(only?.can_unlink).toBe(false);
    expect(await codeOf(ann.api.linked.unlink({ params: { id: only?.identity?.id ?? '' } }))).toBe('LAST_WAY_IN');
    // A second one, of a provider that can be signed in with.
    await h.addProvider({ name: 'Second', issuer: 'https://second.example.com' });
    await h.db.sql(
      `INSERT INTO linked_identities (id, user_id, provider, subject, name, scopes, version, refreshing_until_ms, linked_ms, updated_ms)
       VALUES ('01890000-0000-7000-8000-000000000001', ?, 'https://second.example.com', 's', 'ann', '', 1, 0, 0, 0) RETURNING id`,
      [ann.id],
    );
    const { others } = await ann.api.linked.get();
    expect(others.map(({ can_unlink }) => can_unlink)).toEqual([true, true]);
    const results = await Promise.all(
      others.map(({ identity }) => codeOf(ann.api.linked.unlink({ params: { id: identity?.id ?? '' } }))),
    );
    expect(results.toSorted()).toEqual(['LAST_WAY_IN', null].toSorted());
    expect(await countLinks()).toBe(1);
  });

  test('a link to a provider that is off is no way in', async () => {
    const ann = await h.person('ann');
    await h.link(ann, vlad);
    await h.addProvider({ name: 'Second', issuer: 'https://second.example.com' });
    await h.db.sql("UPDATE users SET password_hash = '' WHERE id = ? RETURNING id", [ann.id]);
    await h.db.sql(
      `INSERT INTO linked_identities (id, user_id, provider, subject, name, scopes, version, refreshing_until_ms, linked_ms, updated_ms)
       VALUES ('01890000-0000-7000-8000-000000000001', ?, 'https://second.example.com', 's', 'ann', '', 1, 0, 0, 0) RETURNING id`,
      [ann.id],
    );
    await h.db.sql("UPDATE sso_providers SET enabled = 0 WHERE name = 'Second' RETURNING id");
    const { others } = await ann.api.linked.get();
    expect(others.map(({ name, provider, can_unlink }) => [name, provider !== null, can_unlink])).toEqual([
      ['Nordlicht ID', true, false],
      ['second.example.com', false, true],
    ]);
  });
});

describe('without a password', () => {
  const newcomer = async () => {
    const browser = h.visitor();
    await h.signIn(browser, vlad);
    await h.register(browser, { username: 'vlad' });
    return browser;
  };

  test('nobody logs in with the password of who has none', async () => {
    await newcomer();
    for (const password of ['', ' ', 'x', 'null', 'undefined'])
      expect((await h.visitor().send('POST', '/api/auth/login', { login: 'vlad', password })).status).not.toBe(200);
  });

  test('a first password is set soon after signing in, and only then', async () => {
    const browser = await newcomer();
    const body = { password: 'a sentence that I made up' };
    expect((await browser.send('GET', '/api/account')).body).toMatchObject({ has_password: false });
    h.clock.advance(16 * MINUTE);
    expect((await browser.send('POST', '/api/account/password', body)).body).toMatchObject({
      fields: { password: ['SIGN_IN_AGAIN'] },
    });
    await h.signIn(browser, vlad);
    expect((await browser.send('POST', '/api/account/password', { password: 'password123' })).body).toMatchObject({
      fields: { password: ['PASSWORD_COMMON'] },
    });
    expect((await browser.send('POST', '/api/account/password', body)).status).toBe(200);
    expect((await browser.send('GET', '/api/account')).body).toMatchObject({ has_password: true });
    expect(
      (await browser.send('POST', '/api/account/password', { password: 'and another sentence' })).body,
    ).toMatchObject({
      fields: { current: ['REQUIRED'] },
    });
    expect((await h.visitor().send('POST', '/api/auth/login', { login: 'vlad', ...body })).status).toBe(200);
  });

  test('T31 a second factor is begun soon after signing in, and only then', async () => {
    const browser = await newcomer();
    expect((await browser.send('GET', '/api/auth/2fa')).body).toMatchObject({ has_password: false });
    h.clock.advance(16 * MINUTE);
    expect((await browser.send('POST', '/api/auth/2fa/setup', {})).body).toMatchObject({
      fields: { password: ['SIGN_IN_AGAIN'] },
    });
    await h.signIn(browser, vlad);
    expect((await browser.send('POST', '/api/auth/2fa/setup', {})).status).toBe(200);
  });
});
