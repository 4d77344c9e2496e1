import { totp } from '#server/identity-providers/totp.ts';
import { testSealer } from '#tests/support/sealing.ts';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createIdentity } from '#server/modules/identity/index.ts';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { guestCtx, openBrowser, type Browser } from '#tests/support/browser.ts';
import { atOnce, codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, PASSWORD, type Harness } from '#tests/support/harness.ts';

// Shows behaviour 3.1, 3.2 and 3.3.

let h: Harness;
beforeEach(async () => void (h = await openHarness()));
afterEach(() => h.close());

const NEWCOMER = {
  username: 'mirela.v',
  email: 'mirela@mail.example',
  password: PASSWORD,
  first_name: 'Mirela',
  last_name: 'Vasile',
  terms: true,
};
const person = (name: string) => ({ ...NEWCOMER, username: name, email: `${name}@mail.example` });
/** Another visitor each time: the limits per address are the pipeline's and not looked at here. */
let visitors = 0;
const visitor = (): Browser => openBrowser(h, `198.51.${Math.floor((visitors += 1) / 250)}.${(visitors % 250) + 1}`);
const identity = () => h.host.services.identity;
const device = () => `device-${(visitors += 1)}-0123456789`;

describe('registration', () => {
  test('registration makes an account with the default limits and opens a session', async () => {
    const browser = visitor();
    const answer = await browser.send('POST', '/api/auth/register', NEWCOMER);
    expect(answer.body).toMatchObject({ success: true, error_code: null, signed_in: true });
    const lines = answer.lines.join('\n');
    expect(lines).toMatch(/^__Host-spawnpoint=[\w-]{43}; Path=\/; SameSite=Lax; Secure; Max-Age=34560000; HttpOnly$/m);
    expect(lines).toMatch(/^user_token=[0-9a-f-]{36}; Path=\/; SameSite=Lax; Secure; Max-Age=34560000$/m);
    const session = await browser.send('GET', '/api/user/session');
    expect(session.body).toMatchObject({
      user_info: { username: 'mirela.v', role: 'Member', verified: true, locale: 'en' },
      stats: { memory_limit: 1024, slots_limit: 1 },
    });
    expect(session.body.permissions).toEqual([]);
    const audit = await h.db.sql('SELECT action, actor_id, target FROM audit');
    expect(audit.map((row) => row.action)).toEqual(['account.register']);
    expect(audit[0]?.actor_id).toBe(audit[0]?.target);
  });

  test('a name or an address that is taken is named at its field, without regard to case', async () => {
    await visitor().send('POST', '/api/auth/register', NEWCOMER);
    const other = { ...NEWCOMER, password: 'an entirely different one' };
    expect(
      await visitor().send('POST', '/api/auth/register', { ...other, username: 'MIRELA.V', email: 'new@mail.example' }),
    ).toMatchObject({
      status: 422,
      code: 'VALIDATION_FAILED',
      body: { fields: { username: ['USERNAME_TAKEN'] } },
    });
    expect(
      await visitor().send('POST', '/api/auth/register', {
        ...other,
        username: 'somebody',
        email: 'Mirela@MAIL.example',
      }),
    ).toMatchObject({
      status: 422,
      body: { fields: { email: ['EMAIL_TAKEN'] } },
    });
    expect(await h.db.sql('SELECT id FROM users')).toHaveLength(1);
  });

  test('common passwords, missing terms, unknown fields and wrong names are refused', async () => {
    const refused = async (change: object) =>
      (await visitor().send('POST', '/api/auth/register', { ...NEWCOMER, ...change })).body.fields;
    expect(await refused({ password: 'Password2024' })).toEqual({ password: ['PASSWORD_COMMON'] });
    expect(await refused({ password: 'mirela.v123' })).toEqual({ password: ['PASSWORD_COMMON'] });
    expect(await refused({ password: 'short' })).toEqual({ password: ['TOO_SHORT'] });
    expect(await refused({ terms: false })).toEqual({ terms: ['TERMS_REQUIRED'] });
    expect(await refused({ username: 'a b' })).toEqual({ username: ['INVALID_USERNAME'] });
    expect(await refused({ email: 'x@y.example\r\nRCPT TO:<evil@z.example>' })).toEqual({ email: ['INVALID_EMAIL'] });
    expect(await refused({ role: 'owner' })).toEqual({ role: ['UNKNOWN'] });
    expect(await h.db.sql('SELECT id FROM users')).toHaveLength(0);
  });

  test('registration can be closed, which the server enforces', async () => {
    await h.set({ registration_enabled: false });
    expect(await visitor().send('POST', '/api/auth/register', NEWCOMER)).toMatchObject({
      status: 403,
      code: 'REGISTRATION_DISABLED',
    });
    expect((await visitor().send('GET', '/api/auth/options')).body).toMatchObject({
      registration: false,
      verification: false,
      setup_valid: false,
      empty: true,
    });
  });

  test('fifty registrations at once with one name make one account', async () => {
    const tally = await atOnce(50, () => identity().register(guestCtx(), NEWCOMER, { secret: null, device: device() }));
    expect(tally).toEqual({ ok: 1, VALIDATION_FAILED: 49 });
    expect(await h.db.sql('SELECT id FROM users')).toHaveLength(1);
    expect(await h.db.sql('SELECT user_id FROM user_limits')).toHaveLength(1);
  });
});

describe.each(ENGINES)('the first owner on %s', (engine) => {
  let own: Harness;
  beforeEach(async () => void (own = await openHarness({ engine })));
  afterEach(() => own.close());
  const roles = () =>
    own.db.sql<{ key: string; n: number }>(
      'SELECT r.key, CAST(COUNT(*) AS INTEGER) AS n FROM users u JOIN roles r ON r.id = u.role_id GROUP BY r.key ORDER BY r.key',
    );

  test('T38 fifty registrations at once with the set-up link make one owner, and the first one without it a member', async () => {
    const { identity } = own.host.services;
    const setup = (await identity.createSetupToken()) ?? '';
    await identity.register(guestCtx(), person('early'), { secret: null, device: device() });
    const tally = await atOnce(50, (i) =>
      identity.register(guestCtx(), { ...person(`racer${i}`), setup }, { secret: null, device: device() }),
    );
    expect(tally.ok).toBe(1);
    expect((tally.SETUP_DONE ?? 0) + (tally.SETUP_LINK_INVALID ?? 0)).toBe(49);
    expect(await roles()).toEqual([
      { key: 'member', n: 1 },
      { key: 'owner', n: 1 },
    ]);
  });
});

describe('the set-up link', () => {
  const register = (setup: string, name = 'owner.o') =>
    visitor().send('POST', '/api/auth/register', { ...person(name), setup });

  test('T38 the set-up link makes an owner with every permission, also where registration is closed, once', async () => {
    await h.set({ registration_enabled: false });
    const token = (await h.host.setupToken()) ?? '';
    expect((await visitor().send('GET', `/api/auth/options?setup=${token}`)).body).toMatchObject({
      setup_valid: true,
      empty: true,
    });
    const browser = visitor();
    expect(await browser.send('POST', '/api/auth/register', { ...NEWCOMER, setup: token })).toMatchObject({
      status: 200,
      code: null,
    });
    const session = await browser.send('GET', '/api/user/session');
    expect(session.body).toMatchObject({ permissions: ['admin.root'], user_info: { role: 'Owner', verified: true } });
    expect(await register(token)).toMatchObject({ status: 409, code: 'SETUP_DONE' });
    expect((await visitor().send('GET', `/api/auth/options?setup=${token}`)).body).toMatchObject({
      setup_valid: false,
      empty: false,
    });
    expect(await h.host.setupToken()).toBeNull();
  });

  test('T38 a guess, an old link and one of an earlier start are no good, and a wrong one makes no account at all', async () => {
    expect(await register('guess')).toMatchObject({ status: 410, code: 'SETUP_LINK_INVALID' });
    const first = (await h.host.setupToken()) ?? '';
    const second = (await h.host.setupToken()) ?? '';
    expect(await register(first)).toMatchObject({ code: 'SETUP_LINK_INVALID' });
    h.clock.advance(DAY);
    expect(await register(second)).toMatchObject({ code: 'SETUP_LINK_INVALID' });
    expect(await h.db.sql('SELECT id FROM users')).toHaveLength(0);
  });

  test('T38 the set-up link stands next to the command of the operator: with an owner made there, it is worthless', async () => {
    const token = (await h.host.setupToken()) ?? '';
    await identity().createUser({ ...NEWCOMER, locale: 'en', role: 'owner' });
    expect(await register(token)).toMatchObject({ status: 409, code: 'SETUP_DONE' });
  });

  test('T35 the set-up link is kept as a hash', async () => {
    const token = (await h.host.setupToken()) ?? '';
    expect(JSON.stringify(await h.db.sql('SELECT * FROM one_time_tokens'))).not.toContain(token);
  });
});

describe('log-in', () => {
  const login = (browser: Browser, name: string, password = PASSWORD) =>
    browser.send('POST', '/api/auth/login', { login: name, password });
  const serviceLogin = (name: string, password: string, address = '203.0.113.50') =>
    identity().login(guestCtx({ address }), { login: name, password }, { secret: null, device: device() });
  beforeEach(async () => void (await identity().createUser({ ...NEWCOMER, locale: 'en', role: 'member' })));

  test('a user logs in by name or by address, whatever the case', async () => {
    for (const name of ['mirela.v', 'MIRELA.V', 'mirela@mail.example', 'Mirela@Mail.Example', ' mirela.v ']) {
      expect(await login(visitor(), name)).toMatchObject({ status: 200, body: { second_factor: false } });
    }
  });

  test('every failure of a log-in has one answer', async () => {
    await identity().createUser({ ...person('gone.g'), locale: 'en', role: 'member' });
    await h.db.sql("UPDATE users SET status = 'deleted' WHERE username = 'gone.g'");
    const strip = ({ status, code, body }: Awaited<ReturnType<typeof login>>) => ({
      status,
      code,
      body: { ...body, request_id: '' },
    });
    const wrong = strip(await login(visitor(), 'mirela.v', 'wrong wrong wrong'));
    expect(wrong).toMatchObject({ status: 401, code: 'LOGIN_FAILED' });
    expect(strip(await login(visitor(), 'nobody', PASSWORD))).toEqual(wrong);
    expect(strip(await login(visitor(), 'nobody@mail.example', PASSWORD))).toEqual(wrong);
    expect(strip(await login(visitor(), 'gone.g', PASSWORD))).toEqual(wrong);
  });

  test('T52 after five failures an account is slowed, more with each; other accounts are not', async () => {
    await identity().createUser({ ...person('other.o'), locale: 'en', role: 'member' });
    for (let i = 0; i < 5; i += 1)
      expect(await codeOf(serviceLogin('mirela.v', 'wrong', `203.0.113.${i}`))).toBe('LOGIN_FAILED');
    const slowed = await login(visitor(), 'Mirela.V');
    expect(slowed).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(slowed.headers.get('retry-after')).toBe('10');
    expect(await codeOf(serviceLogin('other.o', PASSWORD))).toBeNull();
    h.clock.advance(10 * SECOND);
    expect(await codeOf(serviceLogin('mirela.v', 'wrong', '203.0.113.60'))).toBe('LOGIN_FAILED');
    h.clock.advance(10 * SECOND);
    expect((await login(visitor(), 'mirela.v')).headers.get('retry-after')).toBe('10');
    h.clock.advance(10 * SECOND);
    expect(await login(visitor(), 'mirela.v')).toMatchObject({ status: 200 });
    for (let i = 0; i < 4; i += 1)
      expect(await codeOf(serviceLogin('mirela.v', 'wrong', `203.0.113.${i}`))).toBe('LOGIN_FAILED');
    expect(await login(visitor(), 'mirela.v')).toMatchObject({ status: 200 });
  });

  test('T52 the pauses are the same for a name that nobody has', async () => {
    for (let i = 0; i < 5; i += 1)
      expect(await codeOf(serviceLogin('nobody', 'wrong', `203.0.113.${i}`))).toBe('LOGIN_FAILED');
    expect(await codeOf(serviceLogin('nobody', 'wrong'))).toBe('RATE_LIMITED');
  });

  test('T52 one address that tries many accounts is slowed, and the failures outlive a restart', async () => {
    await h.set({ limit_login_failures: 20 });
    for (let i = 0; i < 20; i += 1) expect(await codeOf(serviceLogin(`name${i}`, 'wrong'))).toBe('LOGIN_FAILED');
    expect(await codeOf(serviceLogin('mirela.v', PASSWORD))).toBe('RATE_LIMITED');
    expect(await codeOf(serviceLogin('mirela.v', PASSWORD, '2001:db8:1:2::77'))).toBeNull();
    expect((await h.db.sql("SELECT key FROM attempts WHERE key LIKE 'login:from:203%'"))[0]?.key).toBe(
      'login:from:203.0.113.50',
    );
    h.clock.advance(HOUR + MINUTE);
    expect(await codeOf(serviceLogin('mirela.v', PASSWORD))).toBeNull();
  });

  test('T52 five of fifty wrong guesses at once are checked', async () => {
    const tally = await atOnce(50, (i) => serviceLogin('mirela.v', 'wrong', `192.0.2.${i}`));
    expect(tally).toEqual({ LOGIN_FAILED: 5, RATE_LIMITED: 45 });
  });

  test('T19 a stranger who guesses does not lock the owner out of a browser they use', async () => {
    const mine = visitor();
    await login(mine, 'mirela.v');
    for (let i = 0; i < 5; i += 1) await codeOf(serviceLogin('mirela.v', 'wrong', `203.0.113.${i}`));
    expect(await login(visitor(), 'mirela.v')).toMatchObject({ code: 'RATE_LIMITED' });
    expect(await login(mine, 'mirela.v')).toMatchObject({ status: 200 });
  });

  test('S3 the spellings of one account share one brake: name, e-mail, full-width, case, spaces', async () => {
    const wide = (text: string) =>
      [...text]
        .map((char) => (char > ' ' && char <= '~' ? String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0) : char))
        .join('');
    const spellings = [
      'mirela.v',
      'MIRELA.V',
      wide('mirela.v'),
      wide('Mirela.V'),
      'mirela@mail.example',
      wide('mirela@mail.example'),
      ` ${wide('MIRELA')}.v\u3000`,
      'mirela\u2024v',
    ];
    const tried: (string | null)[] = [];
    for (const [i, name] of spellings.entries())
      tried.push(await codeOf(serviceLogin(name, 'wrong', `203.0.113.${i}`)));
    expect(tried).toEqual([...Array<string>(5).fill('LOGIN_FAILED'), 'RATE_LIMITED', 'RATE_LIMITED', 'RATE_LIMITED']);
    expect(
      (
        await h.db.sql<{ key: string }>(
          "SELECT key FROM attempts WHERE key LIKE 'login:%' AND key NOT LIKE 'login:from:%'",
        )
      ).map(({ key }) => key.split(':')[1]),
    ).toEqual(['account']);
  });

  test('S3 the spellings of a name that nobody has share one brake, too', async () => {
    const tally = await Promise.all(
      ['nobody', 'NOBODY', 'ｎｏｂｏｄｙ', 'Ｎobody', 'nobodʏ'.normalize('NFKC'), 'nobody '].map((name, i) =>
        codeOf(serviceLogin(name, 'wrong', `203.0.113.${i}`)),
      ),
    );
    // One of them is another name.
    expect(tally.filter((code) => code === 'LOGIN_FAILED')).toHaveLength(6);
    expect(await codeOf(serviceLogin('ＮＯＢＯＤＹ', 'wrong', '203.0.113.99'))).toBe('RATE_LIMITED');
  });

  test('S3 the challenge after failures counts what the brake counts', async () => {
    await h.set({ challenge: 'altcha', challenge_login_after: 2 });
    const codes: (string | null)[] = [];
    for (const [i, name] of ['mirela.v', 'mirela@mail.example', 'ＭＩＲＥＬＡ.v'].entries())
      codes.push(await codeOf(serviceLogin(name, 'wrong', `203.0.113.${i}`)));
    expect(codes).toEqual(['LOGIN_FAILED', 'LOGIN_FAILED', 'CHALLENGE_REQUIRED']);
  });

  test('S3 a new password by a link forgives the failures under every spelling', async () => {
    for (const [i, name] of ['mirela.v', 'mirela@mail.example', 'ｍirela.v', 'MIRELA.V', 'mirela.v'].entries())
      await codeOf(serviceLogin(name, 'wrong', `203.0.113.${i}`));
    expect(await codeOf(serviceLogin('mirela@mail.example', PASSWORD, '203.0.113.90'))).toBe('RATE_LIMITED');
    await identity().requestPasswordReset(guestCtx(), 'ＭIRELA.V', '');
    await h.drainJobs();
    const [mail] = await h.db.sql<{ text: string }>("SELECT text FROM mails WHERE template = 'passwordReset'");
    const token = /token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
    await identity().resetPassword(guestCtx(), { token, password: 'an entirely different one' });
    expect(await codeOf(serviceLogin('mirela.v', 'an entirely different one', '203.0.113.91'))).toBeNull();
  });

  test('S8 the failures of others at one address do not stop a browser the user has logged in from', async () => {
    await h.set({ limit_login_failures: 20 });
    const token = 'a-device-of-mirela-0123456789';
    const here = (name: string, password: string, device = `device-${(visitors += 1)}-0123456789`) =>
      identity().login(guestCtx({ address: '203.0.113.77' }), { login: name, password }, { secret: null, device });
    await here('mirela.v', PASSWORD, token);
    for (let i = 0; i < 20; i += 1) await codeOf(here(`name${i}`, 'wrong'));
    expect(await codeOf(here('mirela.v', PASSWORD))).toBe('RATE_LIMITED');
    expect(await codeOf(here('mirela.v', PASSWORD, token))).toBeNull();
    // The browser is known for this account, and for no other.
    expect(await codeOf(here('name1', 'wrong', token))).toBe('RATE_LIMITED');
  }, 300_000);

  test('S8 a known browser is slowed by its own failures', async () => {
    const token = 'a-device-of-mirela-0123456789';
    const here = (password: string) =>
      identity().login(guestCtx(), { login: 'mirela.v', password }, { secret: null, device: token });
    await here(PASSWORD);
    for (let i = 0; i < 5; i += 1) expect(await codeOf(here('wrong'))).toBe('LOGIN_FAILED');
    expect(await codeOf(here(PASSWORD))).toBe('RATE_LIMITED');
  });

  test('T35 each log-in has a new secret and ends the session that the browser had', async () => {
    const browser = visitor();
    await login(browser, 'mirela.v');
    const first = browser.cookies.get(SESSION_COOKIE) ?? '';
    await login(browser, 'mirela.v');
    const second = browser.cookies.get(SESSION_COOKIE) ?? '';
    expect(second).not.toBe(first);
    expect(await identity().resolve(first)).toBeNull();
    expect(await identity().resolve(second)).not.toBeNull();
    const stored = JSON.stringify(await h.db.sql('SELECT * FROM sessions'));
    expect(stored).not.toContain(second);
    expect(await h.db.sql('SELECT id FROM sessions')).toHaveLength(1);
  });

  test('fifty log-ins at once with the right password open sessions of which none breaks another', async () => {
    const tally = await atOnce(50, (i) =>
      identity().login(
        guestCtx({ address: `192.0.2.${i}` }),
        { login: 'mirela.v', password: PASSWORD },
        { secret: null, device: 'one-device-0123456789' },
      ),
    );
    expect(Object.keys(tally).filter((code) => code !== 'ok' && code !== 'RATE_LIMITED')).toEqual([]);
    expect(tally.ok ?? 0).toBeGreaterThanOrEqual(5);
    expect(await h.db.sql('SELECT id FROM sessions')).toHaveLength(tally.ok ?? 0);
  });

  test('T34 a ban is shown only to who knows the password, and lifts itself when it is over', async () => {
    const [user] = await h.db.sql<{ id: string }>("SELECT id FROM users WHERE username = 'mirela.v'");
    await identity().ban(null, user?.id ?? '', { reason: 'spam', untilMs: h.clock.now() + HOUR });
    expect(await login(visitor(), 'mirela.v')).toMatchObject({ status: 403, code: 'ACCOUNT_BANNED' });
    expect(await login(visitor(), 'mirela.v', 'wrong')).toMatchObject({ status: 401, code: 'LOGIN_FAILED' });
    h.clock.advance(HOUR);
    expect(await login(visitor(), 'mirela.v')).toMatchObject({ status: 200 });
    expect(await h.db.sql('SELECT status, ban_reason, banned_until_ms FROM users')).toEqual([
      { status: 'active', ban_reason: null, banned_until_ms: null },
    ]);
  });

  test('T34 what happens while the password is being checked counts: a new password, a ban', async () => {
    const [user] = await h.db.sql<{ id: string }>("SELECT id FROM users WHERE username = 'mirela.v'");
    const loginWhile = (meanwhile: () => Promise<unknown>) => {
      const passwords = { hash: () => Promise.resolve(''), verify: async () => Boolean(await meanwhile()) || true };
      const own = createIdentity({ ...h.host.services, passwords, totp, sealer: testSealer });
      return codeOf(
        own.login(guestCtx(), { login: 'mirela.v', password: PASSWORD }, { secret: null, device: device() }),
      );
    };
    expect(await loginWhile(() => h.db.sql('UPDATE users SET password_version = password_version + 1'))).toBe(
      'LOGIN_FAILED',
    );
    expect(await loginWhile(() => identity().ban(null, user?.id ?? '', { reason: 'spam', untilMs: null }))).toBe(
      'ACCOUNT_BANNED',
    );
    expect(await h.db.sql('SELECT id FROM sessions')).toHaveLength(0);
  });

  test('a log-in from a browser not seen before is notified in the app, and from the first and from a known one not', async () => {
    const first = visitor();
    await login(first, 'mirela.v');
    await login(first, 'mirela.v');
    expect(await h.db.sql('SELECT kind FROM notifications')).toHaveLength(0);
    await login(
      openBrowser(
        h,
        '192.0.2.44',
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36',
      ),
      'mirela.v',
    );
    const notified = await h.db.sql<{ kind: string; data: string }>('SELECT kind, data FROM notifications');
    expect(notified.map(({ kind, data }) => ({ kind, data: JSON.parse(data) as unknown }))).toEqual([
      { kind: 'newDevice', data: { device: 'Chrome · Windows', address: '192.0.2.44' } },
    ]);
    expect(await h.db.sql('SELECT template, state FROM mails')).toEqual([{ template: 'newDevice', state: 'kept' }]);
  });

  test('log-out ends the session and clears the cookies, and a second one changes nothing', async () => {
    const browser = visitor();
    await login(browser, 'mirela.v');
    const secret = browser.cookies.get(SESSION_COOKIE) ?? '';
    expect(await browser.send('POST', '/api/auth/logout')).toMatchObject({ status: 200, code: null });
    expect([...browser.cookies.keys()]).toEqual(['__Host-spawnpoint-device']);
    expect(await identity().resolve(secret)).toBeNull();
    expect(await browser.send('POST', '/api/auth/logout')).toMatchObject({ status: 200 });
  });
});
