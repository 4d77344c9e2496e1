import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { solveChallenge, type Challenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { guestCtx } from '#tests/support/browser.ts';
import { atOnce, codeOf } from '#tests/support/coins.ts';
import { switchOn } from '#tests/support/factor.ts';
import { openSmtp } from '#tests/support/smtp.ts';
import { ENGINES } from '#tests/support/db.ts';
import { CLIENT, startOidc, type OidcPerson } from '#tests/support/sso/oidc.ts';
import { bodyOf, openSigningIn, type SigningIn } from '#tests/support/sso/signing-in.ts';

// Shows behaviour 3.6.

let h: SigningIn;
let vlad: OidcPerson;
const open = async (...given: Parameters<typeof openSigningIn>) => {
  h = await openSigningIn(...given);
  vlad = h.oidc.person('vlad', { name: 'Vlad Munteanu', preferred_username: 'vlad' });
};
afterEach(() => h.close());

const users = () => h.db.sql<Record<string, unknown>>('SELECT username, email, verified_ms, password_hash FROM users');
const countUsers = async () => (await users()).length;
const countLinks = async () => (await h.db.sql('SELECT id FROM linked_identities')).length;

describe.each(ENGINES)('an account through a provider (%s)', (engine) => {
  beforeEach(() => open(engine));

  test('a newcomer is asked for what is missing only, has a proven address, and logs in with the provider again', async () => {
    const browser = h.visitor();
    expect((await h.signIn(browser, vlad)).body).toMatchObject({ next: 'register' });
    expect(await h.nameOf(browser)).toBeNull();
    const { body } = await browser.send('GET', '/api/auth/sso/registration');
    expect(body.registration).toEqual({
      provider: 'Nordlicht ID',
      username: 'vlad',
      email: 'vlad@mail.example',
      first_name: 'Vlad',
      last_name: 'Munteanu',
      has_account: false,
    });
    expect((await h.register(browser, { username: 'vlad' })).body).toMatchObject({ success: true, signed_in: true });
    expect(await h.nameOf(browser)).toBe('vlad');
    const [row] = (await users()).filter(({ username }) => username === 'vlad');
    expect(row).toMatchObject({ email: 'vlad@mail.example', password_hash: '' });
    expect(row?.verified_ms).toBe(h.clock.now());
    const elsewhere = h.visitor();
    expect((await h.signIn(elsewhere, vlad)).body).toMatchObject({ next: 'signed-in' });
    expect(await h.nameOf(elsewhere)).toBe('vlad');
    // What the provider said is not kept.
    expect(await h.db.sql('SELECT id FROM sso_registrations')).toEqual([]);
  });

  test('S11 one of fifty registrations at once after one log-in makes an account', async () => {
    const browser = h.visitor();
    await h.signIn(browser, vlad);
    const { sso } = h.host.services;
    const device = browser.cookies.get('__Host-spawnpoint-device') ?? '';
    const before = await countUsers();
    const input = { first_name: 'New', last_name: 'Comer' };
    const tally = await atOnce(50, (n) =>
      sso.register(guestCtx(), { ...input, username: `twin${n}` }, { secret: null, device }),
    );
    expect(tally).toEqual({ ok: 1, SSO_REGISTRATION_OVER: 49 });
    expect([await countUsers(), await countLinks()]).toEqual([before + 1, 1]);
  });

  test('S11 one of two registrations with one account at the provider makes an account', async () => {
    const [one, two] = [h.visitor(), h.visitor()];
    await h.signIn(one, vlad);
    await h.signIn(two, vlad);
    const before = await countUsers();
    const answers = await Promise.all([
      h.register(one, { username: 'first' }),
      h.register(two, { username: 'second' }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
    expect([await countUsers(), await countLinks()]).toEqual([before + 1, 1]);
  });
});

describe('who somebody is', () => {
  beforeEach(() => open());

  test('T33 an account is never matched by its address, proven or not', async () => {
    const ann = await h.person('ann');
    const [row] = await h.db.sql<{ email: string }>('SELECT email FROM users WHERE id = ?', [ann.id]);
    const email = row?.email ?? '';
    for (const [sub, email_verified] of [
      ['thief', true],
      ['liar', false],
    ] as const) {
      const browser = h.visitor();
      const account = h.oidc.person(sub, { email, email_verified });
      expect((await h.signIn(browser, account)).body).toMatchObject({ next: 'register' });
      expect(await h.nameOf(browser)).toBeNull();
      const { registration } = (await browser.send('GET', '/api/auth/sso/registration')).body as {
        registration: Record<string, unknown>;
      };
      // Only who has proven the address hears that it has an account.
      expect(registration).toMatchObject(
        email_verified ? { email, has_account: true } : { email: null, has_account: false },
      );
    }
    expect(await countLinks()).toBe(0);
  });

  test.each([
    ['false', false],
    ['missing', undefined],
    ['a word', 'yes'],
    ['null', null],
  ])('T33 an address whose proof is %s is asked for, and not proven', async (_, email_verified) => {
    const browser = h.visitor();
    await h.signIn(browser, h.oidc.person('unproven', { email_verified }));
    expect((await browser.send('GET', '/api/auth/sso/registration')).body).toMatchObject({
      registration: { email: null },
    });
    expect((await h.register(browser)).body).toMatchObject({ fields: { email: ['REQUIRED'] } });
    expect((await h.register(browser, { username: 'unproven', email: 'typed@mail.example' })).status).toBe(200);
    expect((await users()).find(({ username }) => username === 'unproven')).toMatchObject({
      email: 'typed@mail.example',
      verified_ms: null,
    });
  });

  test('a proof that is written as a word counts, and claims that only the user-info endpoint tells as well', async () => {
    h.oidc.tellApart('email', 'email_verified');
    const browser = h.visitor();
    await h.signIn(browser, h.oidc.person('apart', { email_verified: 'true' }));
    expect((await browser.send('GET', '/api/auth/sso/registration')).body).toMatchObject({
      registration: { email: 'apart@mail.example' },
    });
  });

  test('T36 with verification on, a typed address waits for its link, which makes the account and links it', async () => {
    await h.close();
    const smtp = await openSmtp();
    await open('sqlite', { mail: smtp.config });
    await h.set({ mail_verification: true });
    const browser = h.visitor();
    const ion = h.oidc.person('ion', { email_verified: false });
    await h.signIn(browser, ion);
    const before = await countUsers();
    const sent = await h.register(browser, { username: 'ion', email: 'ion@mail.example' });
    expect(sent.body).toMatchObject({ success: true, signed_in: false });
    expect([await countUsers(), await countLinks()]).toEqual([before, 0]);
    // Until then nobody gets in, and the form is used up.
    expect((await h.signIn(h.visitor(), ion)).body).toMatchObject({ next: 'register' });
    expect((await h.register(browser, { username: 'ion2', email: 'ion2@mail.example' })).code).toBe(
      'SSO_REGISTRATION_OVER',
    );
    await h.drainJobs();
    const token = /verify\?token=([\w-]+)/.exec(smtp.delivered.at(-1)?.mail.text ?? '')?.[1] ?? '';
    expect((await h.visitor().send('POST', '/api/auth/verify', { token })).status).toBe(200);
    expect([await countUsers(), await countLinks()]).toEqual([before + 1, 1]);
    const elsewhere = h.visitor();
    expect((await h.signIn(elsewhere, ion)).body).toMatchObject({ next: 'signed-in' });
    expect(await h.nameOf(elsewhere)).toBe('ion');
    await smtp.close();
  });

  test('T33 names and addresses change, the subject is who it is', async () => {
    const browser = h.visitor();
    await h.signIn(browser, vlad);
    await h.register(browser, { username: 'vlad' });
    const renamed = h.oidc.person('vlad', { email: 'new@mail.example', preferred_username: 'vladimir' });
    expect((await h.signIn(h.visitor(), renamed)).body).toMatchObject({ next: 'signed-in' });
    const reused = h.oidc.person('somebody-else', { email: 'vlad@mail.example', preferred_username: 'vlad' });
    expect((await h.signIn(h.visitor(), reused)).body).toMatchObject({ next: 'register' });
  });

  test('T41 what a provider says is text of bounded length', async () => {
    const browser = h.visitor();
    const evil = '<img src=x onerror=alert(1)>';
    await h.signIn(
      browser,
      h.oidc.person('evil', {
        preferred_username: `${evil}\u202e\u0007`,
        given_name: 'x'.repeat(5000),
        family_name: 7,
      }),
    );
    const { registration } = (await browser.send('GET', '/api/auth/sso/registration')).body as {
      registration: Record<string, string>;
    };
    expect(registration.username).toBe('imgsrcxonerroralert1');
    expect(registration.first_name).toHaveLength(64);
  });
});

describe('log-in', () => {
  beforeEach(() => open());

  test('T30 the second factor applies to this way in', async () => {
    const ann = await h.person('ann');
    await h.link(ann, vlad);
    await switchOn(h.harness, ann);
    const browser = h.visitor();
    expect((await h.signIn(browser, vlad)).body).toMatchObject({ next: 'second-factor' });
    expect(await browser.send('GET', '/api/account')).toMatchObject({ status: 403, code: 'TW0_FA_BLOCKED' });
    expect(await browser.send('GET', '/api/user/session')).toMatchObject({ code: 'TW0_FA_BLOCKED' });
  });

  test('T34 a banned user does not get in this way, nor does a deleted one', async () => {
    const ann = await h.person('ann');
    await h.link(ann, vlad);
    await h.host.services.identity.ban(null, ann.id, { reason: 'spam', untilMs: null });
    expect(await h.signIn(h.visitor(), vlad)).toMatchObject({
      status: 403,
      code: 'ACCOUNT_BANNED',
      body: { ban: { reason: 'spam', until: null } },
    });
    await h.db.sql("UPDATE users SET status = 'deleted' WHERE id = ? RETURNING id", [ann.id]);
    expect(await h.signIn(h.visitor(), vlad)).toMatchObject({ status: 401, code: 'LOGIN_FAILED' });
  });

  test('an account that was unlinked opens nothing, and a log-in is audited', async () => {
    const ann = await h.person('ann');
    await h.link(ann, vlad);
    await h.signIn(h.visitor(), vlad);
    expect(await h.db.sql("SELECT id FROM audit WHERE action = 'account.login'")).toHaveLength(1);
    const [other] = (await ann.api.linked.get()).others;
    await ann.api.linked.unlink({ params: { id: other?.identity?.id ?? '' } });
    expect((await h.signIn(h.visitor(), vlad)).body).toMatchObject({ next: 'register' });
  });

  test('a provider that is off, gone or unknown is not offered, and opens nothing', async () => {
    const ann = await h.person('ann');
    await h.link(ann, vlad);
    const browser = h.visitor();
    const back = bodyOf(h.oidc.consent(await h.start(browser), vlad));
    const offered = async () => (await h.guest.auth.options()).providers;
    expect(await offered()).toEqual([{ id: h.provider, name: 'Nordlicht ID', icon: 'key' }]);
    await h.staff.api.adminSsoProviders.setEnabled({ body: { ids: [h.provider], enabled: false } });
    expect(await offered()).toEqual([]);
    expect((await h.finish(browser, back)).code).toBe('FEATURE_DISABLED');
    for (const provider of [h.provider, '01890000-0000-7000-8000-000000000000'])
      expect((await browser.send('POST', '/api/auth/sso/start', { provider })).code).toBe('FEATURE_DISABLED');
  });

  test('a registration through a service costs a challenge as well, each its own', async () => {
    await h.set({ challenge: 'altcha', altcha_cost: 100 });
    const newcomers = [h.oidc.person('one'), h.oidc.person('two')];
    const [one, two] = [h.visitor(), h.visitor()];
    await h.signIn(one, newcomers[0] ?? vlad);
    await h.signIn(two, newcomers[1] ?? vlad);
    const before = await countUsers();
    expect(await h.register(one)).toMatchObject({ status: 403, code: 'CHALLENGE_REQUIRED' });
    expect(await h.register(one, { challenge: 'AAAA' })).toMatchObject({ status: 403 });
    expect(await countUsers()).toBe(before);
    const { body } = await one.send('GET', '/api/challenge?action=register');
    const puzzle = JSON.parse(String(body.puzzle)) as Challenge;
    const solution = await solveChallenge({ challenge: puzzle, deriveKey });
    const challenge = Buffer.from(JSON.stringify({ challenge: puzzle, solution })).toString('base64');
    expect((await h.register(one, { challenge })).status).toBe(200);
    expect(await h.register(two, { challenge })).toMatchObject({ status: 403 });
    expect(await countUsers()).toBe(before + 1);
  });

  test('closed registration closes this door too, and accounts that are linked still get in', async () => {
    const ann = await h.person('ann');
    await h.link(ann, vlad);
    const early = h.visitor();
    const newcomer = h.oidc.person('newcomer');
    await h.signIn(early, newcomer);
    await h.set({ registration_enabled: false });
    expect(await h.signIn(h.visitor(), newcomer)).toMatchObject({ status: 403, code: 'REGISTRATION_DISABLED' });
    expect(await h.register(early)).toMatchObject({ status: 403, code: 'REGISTRATION_DISABLED' });
    expect((await h.signIn(h.visitor(), vlad)).body).toMatchObject({ next: 'signed-in' });
  });
});

describe('secrets', () => {
  beforeEach(() => open());

  test('T50 secrets, verifiers and what a provider says are sealed, and no answer, audit row or log line holds them', async () => {
    const browser = h.visitor();
    const url = await h.start(browser);
    await h.signIn(browser, h.oidc.person('secretive', { email: 'secretive@mail.example' }));
    const tables = JSON.stringify([
      await h.db.sql('SELECT * FROM sso_providers'),
      await h.db.sql('SELECT * FROM sso_attempts'),
      await h.db.sql('SELECT * FROM sso_registrations'),
      await h.db.sql('SELECT * FROM audit'),
    ]);
    const answers = JSON.stringify([
      await h.staff.api.adminSsoProviders.list(),
      await h.staff.api.adminSsoProviders.get({ params: { id: h.provider } }),
      await h.guest.auth.options(),
    ]);
    const query = new URL(url).searchParams;
    for (const secret of [
      CLIENT.secret,
      query.get('state') ?? '-',
      query.get('nonce') ?? '-',
      'secretive@mail.example',
    ])
      expect([tables.includes(secret), answers.includes(secret)]).toEqual([false, false]);
    expect(tables).toContain('sealed:1:');
  });

  test('T57 a stored secret is never sent to another address: kind and issuer stay for good', async () => {
    const thief = await startOidc();
    const { row } = await h.staff.api.adminSsoProviders.get({ params: { id: h.provider } });
    const change = (facts: Record<string, unknown>) =>
      codeOf(
        h.staff.api.adminSsoProviders.update({
          params: { id: h.provider },
          body: { ...inputOf(row), ...facts, updated_at: row.updated_at } as never,
        }),
      );
    expect(await change({ issuer: thief.issuer })).toBe('VALIDATION_FAILED');
    expect(await change({ kind: 'github', issuer: '' })).toBe('VALIDATION_FAILED');
    await h.signIn(h.visitor(), vlad);
    expect(thief.asked).toEqual([]);
    await thief.close();
  });

  test('an empty secret keeps the one that is set, and a new one is used and stands in the audit log as a time', async () => {
    const { row } = await h.staff.api.adminSsoProviders.get({ params: { id: h.provider } });
    expect(row).toMatchObject({ client_secret: '', secret_set_at: expect.any(String) });
    const update = async (facts: Record<string, unknown>) => {
      const { row: seen } = await h.staff.api.adminSsoProviders.get({ params: { id: h.provider } });
      await h.staff.api.adminSsoProviders.update({
        params: { id: h.provider },
        body: { ...inputOf(seen), ...facts, updated_at: seen.updated_at } as never,
      });
    };
    await update({ name: 'Renamed', client_secret: '' });
    expect((await h.signIn(h.visitor(), vlad)).status).toBe(200);
    await update({ client_secret: 'another-secret' });
    expect((await h.signIn(h.visitor(), vlad)).code).toBe('SSO_UNAVAILABLE');
    expect(h.errors.map(({ event }) => event)).toEqual(['sso.client_refused']);
    const audit = await h.db.sql<{ after: string }>("SELECT after FROM audit WHERE action = 'ssoProviders.edit'");
    expect(audit.map(({ after }) => Object.keys(JSON.parse(after) as object))).toEqual([
      ['name'],
      ['name', 'secret_set_at'],
    ]);
  });
});

const inputOf = (row: Record<string, unknown>) => {
  const { name, kind, issuer, client_id, scopes, icon, position, enabled } = row;
  return { name, kind, issuer, client_id, scopes, icon, position, enabled };
};
