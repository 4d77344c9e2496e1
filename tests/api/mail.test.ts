import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { ctxOf, guestCtx, openBrowser } from '#tests/support/browser.ts';
import { atOnce, codeOf, nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { refusal, switchOn } from '#tests/support/factor.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { openSmtp, type SmtpStandIn } from '#tests/support/smtp.ts';

let smtp: SmtpStandIn;
let h: Harness;
beforeEach(async () => {
  smtp = await openSmtp();
  h = await openHarness({ config: { mail: smtp.config } });
});
afterEach(async () => {
  await h.close();
  await smtp.close();
});

const NEWCOMER = {
  username: 'mirela.v',
  email: 'mirela@mail.example',
  password: PASSWORD,
  first_name: 'Mirela',
  last_name: 'Vasile',
  terms: true,
};
const identity = () => h.host.services.identity;
let visitors = 0;
const visitor = () => openBrowser(h, `198.51.100.${(visitors += 1)}`);
/** An account from before the host asked for confirmed addresses. */
async function early(): Promise<Person> {
  const person = await h.person('early.e');
  await h.db.sql('UPDATE users SET verified_ms = NULL WHERE id = ?', [person.id]);
  return person;
}
const register = (change: object = {}) => visitor().send('POST', '/api/auth/register', { ...NEWCOMER, ...change });
/** Registers, and opens the link. */
async function join(): Promise<void> {
  await register();
  await h.drainJobs();
  await identity().verifyAddress(guestCtx(), latestToken());
}
const tokenIn = (text: string | undefined) =>
  /https:\/\/panel\.example\.com\/auth\/verify\?token=([\w-]+)/.exec(text ?? '')?.[1] ?? '';
const latestToken = () => tokenIn(smtp.delivered.at(-1)?.mail.text);

describe('confirming an address', () => {
  beforeEach(() => h.set({ mail_verification: true }));

  test('S6 the link in the e-mail activates the account, and until then the log-in fails like a wrong password', async () => {
    const browser = visitor();
    expect(await browser.send('POST', '/api/auth/register', NEWCOMER)).toMatchObject({
      status: 200,
      body: { success: true, signed_in: false },
    });
    expect(browser.cookies.has(SESSION_COOKIE)).toBe(false);
    await h.drainJobs();
    const { mail } = nth(smtp.delivered, 0);
    expect(mail).toMatchObject({
      subject: 'Confirm your e-mail address',
      from: { address: 'no-reply@panel.example' },
      to: [{ address: 'mirela@mail.example' }],
    });
    const token = latestToken();
    expect(token.length).toBeGreaterThanOrEqual(43);
    expect(mail.html).toContain(`href="https://panel.example.com/auth/verify?token=${token}"`);
    expect(mail.text).toContain('Hi Mirela,');

    const logIn = () => browser.send('POST', '/api/auth/login', { login: 'mirela.v', password: PASSWORD });
    expect(await logIn()).toMatchObject({ status: 401, code: 'LOGIN_FAILED' });
    expect(await visitor().send('POST', '/api/auth/verify', { token })).toMatchObject({ status: 200, code: null });
    expect(await logIn()).toMatchObject({ status: 200 });
    expect((await browser.send('GET', '/api/user/session')).body.user_info).toMatchObject({ verified: true });
    expect(await browser.send('POST', '/api/earn/redeem', { code: 'WELCOME' })).toMatchObject({ code: 'CODE_UNKNOWN' });
    expect(await browser.send('POST', '/api/auth/verify/resend')).toMatchObject({
      status: 409,
      code: 'ALREADY_VERIFIED',
    });
  });

  test('an account from before the host asked for it may read pages, but neither earn nor set up what would keep its owner out', async () => {
    const person = await early();
    const browser = visitor();
    await browser.send('POST', '/api/auth/login', { login: 'early.e', password: PASSWORD });
    expect((await browser.send('GET', '/api/user/session')).body.user_info).toMatchObject({ verified: false });
    expect(await browser.send('POST', '/api/earn/redeem', { code: 'WELCOME' })).toMatchObject({
      status: 403,
      code: 'ACCOUNT_UNVERIFIED',
    });
    for (const path of [
      '/api/auth/2fa/setup',
      '/api/auth/2fa/setup/confirm',
      '/api/account/linked/discord/start',
      '/api/account/linked/discord',
    ]) {
      expect([
        path,
        (await browser.send('POST', path, { password: PASSWORD, code: '123456', state: 'x' })).code,
      ]).toEqual([path, 'ACCOUNT_UNVERIFIED']);
    }
    await identity().resendVerification(await ctxOf(h, person.secret));
    await h.drainJobs();
    expect(await browser.send('POST', '/api/auth/verify', { token: latestToken() })).toMatchObject({ status: 200 });
    expect(await browser.send('POST', '/api/auth/2fa/setup', { password: PASSWORD })).toMatchObject({ status: 200 });
  });

  test('T36 a link works once, for 24 hours, and a newer one ends it', async () => {
    const verify = (token: string) => codeOf(identity().verifyAddress(guestCtx(), token));
    const again = async () => {
      await visitor().send('POST', '/api/auth/verify/request', { email: 'MIRELA@mail.example' });
      await h.drainJobs();
      return latestToken();
    };
    await register();
    await h.drainJobs();
    const first = latestToken();
    h.clock.advance(MINUTE);
    const second = await again();
    expect(second).not.toBe(first);
    expect(await verify(first)).toBe('VERIFY_LINK_INVALID');
    h.clock.advance(DAY - 1);
    const third = await again();
    expect(await verify(second)).toBe('VERIFY_LINK_INVALID');
    expect(await atOnce(50, () => identity().verifyAddress(guestCtx(), third))).toEqual({
      ok: 1,
      VERIFY_LINK_INVALID: 49,
    });
    expect(await verify('guess')).toBe('VERIFY_LINK_INVALID');
    expect(await h.db.sql('SELECT username, verified_ms IS NOT NULL AS verified FROM users')).toMatchObject([
      { username: 'mirela.v' },
    ]);
    h.clock.advance(DAY);
    await register({ username: 'other.one', email: 'other@mail.example' });
    await h.drainJobs();
    h.clock.advance(DAY);
    expect(await verify(latestToken())).toBe('VERIFY_LINK_INVALID');
  });

  test('T36 links are built from the installation’s address, not from what a request claims', async () => {
    const response = await h.http('/api/auth/register', {
      method: 'POST',
      body: JSON.stringify(NEWCOMER),
      headers: {
        'content-type': 'application/json',
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        origin: 'http://evil.example',
      },
    });
    expect(response.status).toBe(200);
    await h.drainJobs();
    expect(latestToken()).not.toBe('');
    expect(JSON.stringify(smtp.delivered[0]?.mail)).not.toContain('evil.example');
  });

  test('T36 the answer does not show whether an address has an account, and its owner gets one e-mail a day', async () => {
    await join();
    const facts = (answer: Awaited<ReturnType<typeof register>>) => ({
      status: answer.status,
      body: answer.body,
      cookies: answer.lines.map((line) => line.replace(/=[^;]*/, '')),
    });
    const free = facts(await register({ username: 'other.one', email: 'free@mail.example' }));
    const taken = facts(await register({ username: 'other.two', email: 'MIRELA@mail.example' }));
    expect(taken).toEqual(free);
    expect(facts(await register({ username: 'other.three' }))).toEqual(free);
    await h.drainJobs();
    const sent = () => smtp.delivered.map(({ to, mail }) => `${to[0]}: ${mail.subject}`).sort();
    expect(sent()).toEqual([
      'free@mail.example: Confirm your e-mail address',
      'mirela@mail.example: Confirm your e-mail address',
      'mirela@mail.example: You already have an account',
    ]);
    h.clock.advance(DAY);
    await register({ username: 'other.four' });
    await h.drainJobs();
    expect(sent().filter((line) => line.includes('already'))).toHaveLength(2);
    expect(await h.db.sql('SELECT username FROM users')).toEqual([{ username: 'mirela.v' }]);
    expect(await register({ username: 'MIRELA.v', email: 'new@mail.example' })).toMatchObject({
      status: 422,
      body: { fields: { username: ['USERNAME_TAKEN'] } },
    });
  });

  test('S6 name and address behave the same until the link is opened, whether or not the address had an account', async () => {
    await join();
    const view = async (name: string, email: string) => {
      const strip = ({ status, body }: Awaited<ReturnType<typeof register>>) => ({
        status,
        body: { ...body, request_id: '' },
      });
      const password = `${PASSWORD} ${name.length}`;
      const send = (path: string, body: object) => visitor().send('POST', path, body).then(strip);
      return {
        registered: strip(await register({ username: name, email, password })),
        byName: await send('/api/auth/login', { login: name, password }),
        byAddress: await send('/api/auth/login', { login: email, password }),
        sameName: strip(await register({ username: name.toUpperCase(), email: 'third@mail.example' })),
        sameBoth: strip(await register({ username: name, email, password })),
        sameAddress: strip(await register({ username: `${name}.2`, email })),
        again: await send('/api/auth/verify/request', { email }),
        forgot: await send('/api/auth/forgot', { login: email }),
        forgotName: await send('/api/auth/forgot', { login: name }),
      };
    };
    const free = await view('free.f', 'free@mail.example');
    const taken = await view('took.t', 'mirela@mail.example');
    expect(taken).toEqual(free);
    expect(free).toMatchObject({
      registered: { status: 200 },
      byName: { status: 401 },
      byAddress: { status: 401 },
      sameName: { status: 422 },
      sameBoth: { status: 422 },
    });
    await h.drainJobs();
    // A day later both names are free again.
    h.clock.advance(DAY);
    for (const name of ['free.f', 'took.t'])
      expect((await register({ username: name, email: `new-${name}@mail.example` })).status).toBe(200);
  });

  test('S6 the address goes to whose link is opened first, and the other links are worthless then', async () => {
    await register({ username: 'first.f', email: 'shared@mail.example' });
    await h.drainJobs();
    const first = latestToken();
    h.clock.advance(MINUTE);
    await register({ username: 'second.s', email: 'SHARED@mail.example' });
    await h.drainJobs();
    const second = latestToken();
    expect(second).not.toBe(first);
    expect(await codeOf(identity().verifyAddress(guestCtx(), second))).toBeNull();
    expect(await codeOf(identity().verifyAddress(guestCtx(), first))).toBe('VERIFY_LINK_INVALID');
    expect(await h.db.sql('SELECT username FROM users')).toEqual([{ username: 'second.s' }]);
  });

  test('S6 the account comes with its default limits, its referral and its known browser, and the audit log has both steps', async () => {
    const ann = await h.person('ann');
    const { code } = await ann.api.referrals.makeCode();
    const browser = visitor();
    await browser.send('POST', '/api/auth/register', { ...NEWCOMER, referral: code });
    await h.drainJobs();
    await identity().verifyAddress(guestCtx(), latestToken());
    const [user] = await h.db.sql<{ id: string }>("SELECT id FROM users WHERE username = 'mirela.v'");
    expect(await h.db.sql('SELECT memory FROM user_limits WHERE user_id = ?', [user?.id ?? ''])).toEqual([
      { memory: 1024 },
    ]);
    expect(await h.db.sql('SELECT referrer_id FROM referrals WHERE newcomer_id = ?', [user?.id ?? ''])).toEqual([
      { referrer_id: ann.id },
    ]);
    expect(
      (
        await h.db.sql<{ action: string }>('SELECT action FROM audit WHERE target = ? ORDER BY id', [user?.id ?? ''])
      ).map(({ action }) => action),
    ).toEqual(['account.register', 'account.verify']);
    await browser.send('POST', '/api/auth/login', { login: 'mirela.v', password: PASSWORD });
    expect(await h.db.sql("SELECT id FROM mails WHERE template = 'newDevice'")).toEqual([]);
    expect(await h.db.sql('SELECT username FROM pending_accounts')).toEqual([]);
  });

  test('S6 what nobody opened is removed', async () => {
    await register();
    h.clock.advance(DAY);
    await identity().purge();
    expect(await h.db.sql('SELECT username FROM pending_accounts')).toEqual([]);
  });

  test('S7 a reset of an account that nobody had confirmed removes what whoever used it had attached', async () => {
    const person = await early();
    await h.set({ mail_verification: false });
    await switchOn(h, person);
    await h.db.sql(
      "INSERT INTO linked_identities (id, user_id, provider, subject, name, scopes, tokens, version, refreshing_until_ms, linked_ms, updated_ms) VALUES ('i1', ?, 'discord', '80351110224678912', 'Squatter', 'identify', 'x', 1, 0, 1, 1)",
      [person.id],
    );
    await h.set({ mail_verification: true });
    await identity().requestPasswordReset(guestCtx(), 'early.e', '');
    await h.drainJobs();
    const token = /reset-password\?token=([\w-]+)/.exec(smtp.delivered.at(-1)?.mail.text ?? '')?.[1] ?? '';
    await identity().resetPassword(guestCtx(), { token, password: 'an entirely different one' });
    const browser = visitor();
    expect(
      await browser.send('POST', '/api/auth/login', { login: 'early.e', password: 'an entirely different one' }),
    ).toMatchObject({ status: 200, body: { second_factor: false } });
    expect((await browser.send('GET', '/api/user/session')).body.user_info).toMatchObject({
      verified: true,
      second_factor: 'off',
    });
    expect([
      await h.db.sql('SELECT user_id FROM second_factors'),
      await h.db.sql('SELECT user_id FROM recovery_codes'),
      await h.db.sql('SELECT id FROM linked_identities'),
    ]).toEqual([[], [], []]);
  });

  test('S7 a reset of a confirmed account leaves its second factor', async () => {
    const person = await h.person('sure.s');
    await switchOn(h, person);
    await identity().requestPasswordReset(guestCtx(), 'sure.s', '');
    await h.drainJobs();
    const token = /reset-password\?token=([\w-]+)/.exec(smtp.delivered.at(-1)?.mail.text ?? '')?.[1] ?? '';
    await identity().resetPassword(guestCtx(), { token, password: 'an entirely different one' });
    expect(
      await visitor().send('POST', '/api/auth/login', { login: 'sure.s', password: 'an entirely different one' }),
    ).toMatchObject({ status: 200, body: { second_factor: true } });
  });

  test.each(ENGINES)(
    'T36 a race for one address or one name shows nothing either, on %s',
    async (engine) => {
      const own = await openHarness({ engine, config: { mail: smtp.config } });
      await own.set({ mail_verification: true });
      const { identity } = own.host.services;
      const tally = await atOnce(20, (i) =>
        identity.register(
          guestCtx(),
          { ...NEWCOMER, username: `racer${i}` },
          { secret: null, device: `device-of-racer-${i}` },
        ),
      );
      expect(tally).toEqual({ ok: 20 });
      expect(
        await atOnce(20, (i) =>
          identity.register(
            guestCtx(),
            { ...NEWCOMER, email: `racer${i}@mail.example` },
            { secret: null, device: `device-of-racer-${i}` },
          ),
        ),
      ).toEqual({ ok: 1, VALIDATION_FAILED: 19 });
      const before = smtp.delivered.length;
      await own.drainJobs();
      // One to the address of the first race, and one to the winner's of the second.
      expect(smtp.delivered.length - before).toBe(2);
      const tokens = smtp.delivered.slice(before).map(({ mail }) => tokenIn(mail.text));
      expect(await atOnce(40, (i) => identity.verifyAddress(guestCtx(), tokens[i % 2] ?? ''))).toEqual({
        ok: 2,
        VERIFY_LINK_INVALID: 38,
      });
      expect(await own.db.sql('SELECT id FROM users')).toHaveLength(2);
      await own.close();
    },
    60_000,
  );

  test('T52 another e-mail goes to one that waits after a minute, five a day to one who asks, and of fifty requests at once one', async () => {
    await register();
    const browser = visitor();
    const again = async () => {
      await browser.send('POST', '/api/auth/verify/request', { email: 'mirela@mail.example' });
      await h.drainJobs();
      return smtp.delivered.length;
    };
    expect(await again()).toBe(2);
    expect(await again()).toBe(2);
    for (let count = 3; count <= 6; count += 1) {
      h.clock.advance(MINUTE);
      expect(await again()).toBe(count);
    }
    h.clock.advance(MINUTE);
    expect(await again()).toBe(6);
    // Somebody else has a budget of their own.
    await visitor().send('POST', '/api/auth/verify/request', { email: 'mirela@mail.example' });
    await h.drainJobs();
    expect(smtp.delivered).toHaveLength(7);
    h.clock.advance(HOUR);
    expect(
      await atOnce(50, (i) =>
        identity().requestVerificationLink(
          guestCtx({ address: '203.0.113.5' }),
          i % 2 ? 'mirela@mail.example' : 'MIRELA@mail.example',
          '',
        ),
      ),
    ).toEqual({ ok: 50 });
    await h.drainJobs();
    expect(smtp.delivered).toHaveLength(8);
  });

  test('T52 another e-mail goes to an account from before after a minute, five a day, and of fifty requests at once one', async () => {
    const ctx = await ctxOf(h, (await early()).secret);
    const wait = async () =>
      ((await identity()
        .resendVerification(ctx)
        .catch((error: unknown) => error)) as { code?: string; retryAfterS?: number } | undefined) ?? null;
    expect(await wait()).toBeNull();
    expect(await wait()).toMatchObject({ code: 'RESEND_TOO_SOON', retryAfterS: 60 });
    h.clock.advance(MINUTE);
    expect(await atOnce(50, () => identity().resendVerification(ctx))).toEqual({ ok: 1, RESEND_TOO_SOON: 49 });
    for (let i = 0; i < 3; i += 1) {
      h.clock.advance(MINUTE);
      expect(await wait()).toBeNull();
    }
    h.clock.advance(MINUTE);
    expect(await wait()).toMatchObject({ code: 'RESEND_TOO_SOON', retryAfterS: 24 * 3600 - 5 * 60 });
    h.clock.advance(DAY - 5 * MINUTE);
    expect(await wait()).toBeNull();
    await h.drainJobs();
    expect(smtp.delivered.filter(({ mail }) => mail.subject === 'Confirm your e-mail address')).toHaveLength(6);
  });

  test('T35 a mail that has left can no longer be used: its one-time link is not kept', async () => {
    const stored = async () => JSON.stringify(await h.db.sql('SELECT text, html FROM mails'));
    await register();
    expect(tokenIn(await stored())).not.toBe('');
    await h.drainJobs();
    expect(await stored()).not.toContain(latestToken());
    expect(await stored()).toContain('/auth/verify?token=…');
  });
});

describe('mail_verification without a way to send mail', () => {
  test('S11 mail_verification cannot be switched on, and the refusal says why', async () => {
    const quiet = await openHarness();
    expect(await refusal(quiet.set({ mail_verification: true }))).toEqual({
      code: 'VALIDATION_FAILED',
      fields: { mail_verification: ['NEEDS_MAIL'] },
    });
    expect(quiet.host.services.settings.current().mail_verification).toBe(false);
    await quiet.set({ mail_verification: false });
    await quiet.close();
  });

  test('S11 mail_verification counts as off where the way went away later, and nobody is shown as confirmed', async () => {
    const quiet = await openHarness();
    await quiet.db.uow.run((tx) => tx.settings.put('mail_verification', 'true', 1));
    await quiet.host.services.settings.load();
    expect(await quiet.guest.auth.options()).toMatchObject({ verification: false });
    const person = await quiet.person('mirela.v');
    await quiet.db.sql('UPDATE users SET verified_ms = NULL');
    expect(await person.api.account.get()).toMatchObject({ verified: true, confirmation: 'not_asked' });
    // Other settings can be changed all the same.
    await quiet.set({ app_name: 'Quiet' });
    await quiet.close();
  });
});

test('a log-in from a new device is announced by mail', async () => {
  await register();
  await visitor().send('POST', '/api/auth/login', { login: 'mirela.v', password: PASSWORD });
  await h.drainJobs();
  const { mail } = nth(smtp.delivered, 0);
  expect(mail.subject).toBe('New device logged in to your account');
  expect(mail.text).toContain('Firefox · Linux');
  expect(mail.text).toContain('https://panel.example.com/account');
});

test('E5 a mail whose moment has passed while the mail server was away is not sent any more', async () => {
  const { mailing, uow } = h.host.services;
  const id = 'lantern-of-ann';
  await uow.run(async (tx) => {
    const letter = {
      userId: null,
      address: 'ann@mail.example',
      locale: 'en',
      template: 'serverDeleteWarning',
    } as const;
    const vars = { name: 'Ann', server: id, when: { at: h.clock.now() + DAY }, path: '/' };
    await mailing.send(tx, { ...letter, vars, untilMs: h.clock.now() + DAY });
    await mailing.send(tx, { ...letter, vars, untilMs: h.clock.now() + 3 * DAY });
  });
  h.clock.advance(2 * DAY);
  await h.drainJobs();
  expect(smtp.delivered.filter(({ mail }) => mail.text?.includes(id))).toHaveLength(1);
  expect(
    await h.db.sql("SELECT state, last_error FROM mails WHERE template = 'serverDeleteWarning' ORDER BY state"),
  ).toMatchObject([{ state: 'failed', last_error: 'not sent: what it announces was past' }, { state: 'sent' }]);
});
