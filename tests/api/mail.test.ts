import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { ctxOf, guestCtx, openBrowser } from '#tests/support/browser.ts';
import { atOnce, codeOf, nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, PASSWORD, type Harness } from '#tests/support/harness.ts';
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

const NEWCOMER = { username: 'mirela.v', email: 'mirela@mail.example', password: PASSWORD, first_name: 'Mirela', last_name: 'Vasile', terms: true };
const identity = () => h.host.services.identity;
let visitors = 0;
const visitor = () => openBrowser(h, `198.51.100.${(visitors += 1)}`);
const register = (change: object = {}) => visitor().send('POST', '/api/auth/register', { ...NEWCOMER, ...change });
const tokenIn = (text: string | undefined) => /https:\/\/panel\.example\.com\/auth\/verify\?token=([\w-]+)/.exec(text ?? '')?.[1] ?? '';
const latestToken = () => tokenIn(smtp.delivered.at(-1)?.mail.text);

describe('confirming an address', () => {
  beforeEach(() => h.set({ mail_verification: true }));

  test('a letter with a link leaves; before it is opened one may look around, but not earn', async () => {
    const browser = visitor();
    expect(await browser.send('POST', '/api/auth/register', NEWCOMER)).toMatchObject({ status: 200, body: { success: true, signed_in: false } });
    expect(browser.cookies.has(SESSION_COOKIE)).toBe(false);
    await h.settle();
    const { mail } = nth(smtp.delivered, 0);
    expect(mail).toMatchObject({ subject: 'Confirm your e-mail address', from: { address: 'no-reply@panel.example' }, to: [{ address: 'mirela@mail.example' }] });
    const token = latestToken();
    expect(token.length).toBeGreaterThanOrEqual(43);
    expect(mail.html).toContain(`href="https://panel.example.com/auth/verify?token=${token}"`);
    expect(mail.text).toContain('Hello Mirela,');

    await browser.send('POST', '/api/auth/login', { login: 'mirela.v', password: PASSWORD });
    expect((await browser.send('GET', '/api/user/session')).body.user_info).toMatchObject({ verified: false });
    const redeem = () => browser.send('POST', '/api/earn/redeem', { code: 'WELCOME' });
    expect(await redeem()).toMatchObject({ status: 403, code: 'ACCOUNT_UNVERIFIED' });
    expect(await visitor().send('POST', '/api/auth/verify', { token })).toMatchObject({ status: 200, code: null });
    expect((await browser.send('GET', '/api/user/session')).body.user_info).toMatchObject({ verified: true });
    expect(await redeem()).toMatchObject({ code: 'CODE_UNKNOWN' });
    expect(await browser.send('POST', '/api/auth/verify/resend')).toMatchObject({ status: 409, code: 'ALREADY_VERIFIED' });
  });

  test('T36 a link works once, for 24 hours, and a newer one ends it', async () => {
    const verify = (token: string) => codeOf(identity().verify(guestCtx(), token));
    await register();
    await h.settle();
    const first = latestToken();
    const { secret } = await identity().login(guestCtx(), { login: 'mirela.v', password: PASSWORD }, { secret: null, device: 'device-of-mirela-1' });
    h.clock.advance(MINUTE);
    await identity().resend(await ctxOf(h, secret));
    await h.settle();
    const second = latestToken();
    expect(second).not.toBe(first);
    expect(await verify(first)).toBe('VERIFY_LINK_INVALID');
    h.clock.advance(DAY);
    expect(await verify(second)).toBe('VERIFY_LINK_INVALID');
    await identity().resend(await ctxOf(h, secret));
    await h.settle();
    expect(await atOnce(50, () => identity().verify(guestCtx(), latestToken()))).toEqual({ ok: 1, VERIFY_LINK_INVALID: 49 });
    expect(await verify('guess')).toBe('VERIFY_LINK_INVALID');
  });

  test('T36 links are built from the installation’s address, not from what a request claims', async () => {
    const response = await h.http('/api/auth/register', {
      method: 'POST',
      body: JSON.stringify(NEWCOMER),
      headers: { 'content-type': 'application/json', host: 'evil.example', 'x-forwarded-host': 'evil.example', origin: 'http://evil.example' },
    });
    expect(response.status).toBe(200);
    await h.settle();
    expect(latestToken()).not.toBe('');
    expect(JSON.stringify(smtp.delivered[0]?.mail)).not.toContain('evil.example');
  });

  test('T36 the answer does not tell whether an address has an account; its owner gets one letter a day', async () => {
    await register();
    const facts = (answer: Awaited<ReturnType<typeof register>>) => ({ status: answer.status, body: answer.body, cookies: answer.lines.map((line) => line.replace(/=[^;]*/, '')) });
    const free = facts(await register({ username: 'other.one', email: 'free@mail.example' }));
    const taken = facts(await register({ username: 'other.two', email: 'MIRELA@mail.example' }));
    expect(taken).toEqual(free);
    expect(facts(await register({ username: 'other.three' }))).toEqual(free);
    await h.settle();
    const letters = () => smtp.delivered.map(({ to, mail }) => `${to[0]}: ${mail.subject}`).sort();
    expect(letters()).toEqual([
      'free@mail.example: Confirm your e-mail address',
      'mirela@mail.example: Confirm your e-mail address',
      'mirela@mail.example: You already have an account',
    ]);
    h.clock.advance(DAY);
    await register({ username: 'other.four' });
    await h.settle();
    expect(letters().filter((line) => line.includes('already'))).toHaveLength(2);
    expect(await h.db.sql('SELECT id FROM users')).toHaveLength(2);
    expect(await register({ username: 'MIRELA.v', email: 'new@mail.example' })).toMatchObject({ status: 422, body: { fields: { username: ['USERNAME_TAKEN'] } } });
  });

  test.each(ENGINES)('T36 nor does a race for one address tell anything, on %s', async (engine) => {
    const own = await openHarness({ engine, config: { mail: smtp.config } });
    await own.set({ mail_verification: true });
    const { identity } = own.host.services;
    const tally = await atOnce(20, (i) => identity.register(guestCtx(), { ...NEWCOMER, username: `racer${i}` }, { secret: null, device: `device-of-racer-${i}` }));
    expect(tally).toEqual({ ok: 20 });
    expect(await own.db.sql('SELECT id FROM users')).toHaveLength(1);
    await own.close();
  }, 30_000);

  test('T52 another letter after a minute, five a day, and of fifty requests at once one', async () => {
    await register();
    const { secret } = await identity().login(guestCtx(), { login: 'mirela.v', password: PASSWORD }, { secret: null, device: 'device-of-mirela-1' });
    const ctx = await ctxOf(h, secret);
    const wait = async () => ((await identity().resend(ctx).catch((error: unknown) => error)) as { code?: string; retryAfterS?: number } | undefined) ?? null;
    expect(await wait()).toMatchObject({ code: 'RESEND_TOO_SOON', retryAfterS: 60 });
    h.clock.advance(MINUTE);
    expect(await atOnce(50, () => identity().resend(ctx))).toEqual({ ok: 1, RESEND_TOO_SOON: 49 });
    for (let i = 0; i < 3; i += 1) {
      h.clock.advance(MINUTE);
      expect(await wait()).toBeNull();
    }
    h.clock.advance(MINUTE);
    expect(await wait()).toMatchObject({ code: 'RESEND_TOO_SOON', retryAfterS: 24 * 3600 - 5 * 60 });
    h.clock.advance(DAY - 5 * MINUTE);
    expect(await wait()).toBeNull();
    await h.settle();
    expect(smtp.delivered.filter(({ mail }) => mail.subject === 'Confirm your e-mail address')).toHaveLength(6);
  });

  test('T35 a mail that has left can no longer be used: its one-time link is not kept', async () => {
    const stored = async () => JSON.stringify(await h.db.sql('SELECT text, html FROM mails'));
    await register();
    expect(tokenIn(await stored())).not.toBe('');
    await h.settle();
    expect(await stored()).not.toContain(latestToken());
    expect(await stored()).toContain('/auth/verify?token=…');
  });

  test('is not asked for where no mail can be sent', async () => {
    const quiet = await openHarness();
    await quiet.set({ mail_verification: true });
    expect(await quiet.guest.auth.options()).toMatchObject({ verification: false });
    const person = await quiet.person('mirela.v');
    expect(await person.api.account.get()).toMatchObject({ verified: true });
    await quiet.close();
  });
});

test('a log-in from a new device is told by mail', async () => {
  await register();
  await visitor().send('POST', '/api/auth/login', { login: 'mirela.v', password: PASSWORD });
  await h.settle();
  const { mail } = nth(smtp.delivered, 0);
  expect(mail.subject).toBe('Your account was used on a new device');
  expect(mail.text).toContain('Firefox · Linux');
  expect(mail.text).toContain('https://panel.example.com/account');
});

test('E5 a mail whose moment has passed while the mail server was away is not sent any more', async () => {
  const { mailing, uow } = h.host.services;
  const id = 'lantern-of-ann';
  await uow.run(async (tx) => {
    const letter = { userId: null, address: 'ann@mail.example', locale: 'en', template: 'serverDeleteWarning' } as const;
    const vars = { name: 'Ann', server: id, when: { at: h.clock.now() + DAY }, path: '/' };
    await mailing.send(tx, { ...letter, vars, untilMs: h.clock.now() + DAY });
    await mailing.send(tx, { ...letter, vars, untilMs: h.clock.now() + 3 * DAY });
  });
  h.clock.advance(2 * DAY);
  await h.settle();
  expect(smtp.delivered.filter(({ mail }) => mail.text?.includes(id))).toHaveLength(1);
  expect(await h.db.sql("SELECT state, last_error FROM mails WHERE template = 'serverDeleteWarning' ORDER BY state")).toMatchObject([
    { state: 'failed', last_error: 'not sent: what it announces was past' }, { state: 'sent' },
  ]);
});
