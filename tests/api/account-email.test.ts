import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { ctxOf, guestCtx, openBrowser } from '#tests/support/browser.ts';
import { atOnce, codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { refusal, switchOn } from '#tests/support/factor.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 3.8.

const NEW = 'mirela@new.example';
const OLD = 'mirela.v@example.com';

describe.each(ENGINES)('another address for an account on %s', (engine) => {
  let h: Harness;
  let mirela: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    mirela = await h.person('mirela.v');
  });
  afterEach(() => h.close());

  const emailChange = () => h.host.services.identity.emailChange;
  const ask = async (email = NEW, password = PASSWORD, who = mirela) =>
    emailChange().request(await ctxOf(h, who.secret), { email, password });
  const mails = (template: string) =>
    h.db.sql<{ address: string; text: string }>(
      'SELECT address, text FROM mails WHERE template = ? ORDER BY created_ms, id',
      [template],
    );
  const tokenOf = async (template: string) =>
    /\/auth\/email\?(?:undo=yes&)?token=([\w-]+)/.exec((await mails(template)).at(-1)?.text ?? '')?.[1] ?? '';
  /** Asks for an address and confirms it. Out: the token that undoes it. */
  async function change(email = NEW): Promise<string> {
    h.clock.advance(MINUTE);
    await ask(email);
    await emailChange().confirm(guestCtx(), await tokenOf('emailChange'));
    return tokenOf('emailChanged');
  }
  const addressOf = async (person = mirela) =>
    (await h.db.sql<{ email: string }>('SELECT email FROM users WHERE id = ?', [person.id]))[0]?.email;
  const works = async (secret: string) => (await h.host.services.identity.resolve(secret)) !== null;

  test('T36 an address changes by the link in its own e-mail and not before, and the old one gets a way to undo it', async () => {
    await ask();
    expect(await mirela.api.accountEmail.get()).toMatchObject({ email: OLD, pending: { email: NEW } });
    expect((await mails('emailChange')).map(({ address }) => address)).toEqual([NEW]);
    expect(await addressOf()).toBe(OLD);
    const token = await tokenOf('emailChange');
    await emailChange().confirm(guestCtx(), token);
    expect(await mirela.api.accountEmail.get()).toMatchObject({ email: NEW, pending: null });
    expect((await mails('emailChanged')).map(({ address }) => address)).toEqual([OLD]);
    expect(await codeOf(emailChange().confirm(guestCtx(), token))).toBe('EMAIL_LINK_INVALID');
    expect(await works(mirela.secret)).toBe(true);
    const notified = await h.db.sql<{ kind: string }>('SELECT kind FROM notifications WHERE user_id = ?', [mirela.id]);
    expect(notified.map(({ kind }) => kind)).toContain('emailChanged');
  });

  test('T36 the new address counts as confirmed, and links to the old one end with the change', async () => {
    await h.db.sql('UPDATE users SET verified_ms = NULL');
    await h.host.services.identity.resendVerification(await ctxOf(h, mirela.secret));
    await h.host.services.identity.requestPasswordReset(guestCtx(), 'mirela.v', '');
    await h.drainJobs();
    const links = async (template: string) => /token=([\w-]+)/.exec((await mails(template)).at(-1)?.text ?? '')?.[1];
    const [verify, reset] = [await links('verify'), await links('passwordReset')];
    await change();
    expect((await mirela.api.account.get()).verified).toBe(true);
    const { identity } = h.host.services;
    expect(await codeOf(identity.verifyAddress(guestCtx(), verify ?? ''))).toBe('VERIFY_LINK_INVALID');
    expect(
      await codeOf(identity.resetPassword(guestCtx(), { token: reset ?? '', password: 'quite another one' })),
    ).toBe('RESET_LINK_INVALID');
  });

  test('panel accounts follow the new address, and follow it back', async () => {
    const jobs = async () =>
      (await h.db.sql("SELECT id FROM jobs WHERE kind = 'servers.account' AND state = 'ready'")).length;
    expect(await jobs()).toBe(0);
    const token = await change();
    expect(await jobs()).toBe(1);
    await h.drainJobs();
    await emailChange().undo(guestCtx(), token);
    expect(await jobs()).toBe(1);
  });

  test('T36 nothing that is answered or shown tells whether an address has an account: its owner gets an e-mail', async () => {
    const other = await h.person('tobi');
    await ask('TOBI@example.com');
    expect(await mirela.api.accountEmail.get()).toMatchObject({ pending: { email: 'TOBI@example.com' } });
    expect(await mails('emailChange')).toEqual([]);
    expect((await mails('emailTaken')).map(({ address }) => address)).toEqual(['tobi@example.com']);
    h.clock.advance(MINUTE);
    await ask('TOBI@example.com');
    expect(await mails('emailTaken')).toHaveLength(1);
    expect(await addressOf(other)).toBe('tobi@example.com');
  });

  test('the own address, a wrong password and what is no address are refused at their fields', async () => {
    const at = (field: string, code: string) => ({ code: 'VALIDATION_FAILED', fields: { [field]: [code] } });
    expect(await refusal(ask(' MIRELA.V@example.com'.trim()))).toEqual(at('email', 'EMAIL_TAKEN'));
    expect(await refusal(ask(NEW, 'wrong'))).toEqual(at('password', 'PASSWORD_WRONG'));
    const browser = openBrowser(h);
    browser.cookies.set(SESSION_COOKIE, mirela.secret);
    expect(await browser.send('POST', '/api/account/email', { email: 'none', password: PASSWORD })).toMatchObject({
      status: 422,
      body: { fields: { email: ['INVALID_EMAIL'] } },
    });
    expect(await mails('emailChange')).toEqual([]);
  });

  test('T52 nobody’s mailbox is filled: one e-mail a minute, five a day, and a wrong password is slowed', async () => {
    await ask();
    expect(await codeOf(ask('b@new.example'))).toBe('RESEND_TOO_SOON');
    for (let at = 1; at < 5; at += 1) {
      h.clock.advance(MINUTE);
      await ask(`${at}@new.example`);
    }
    h.clock.advance(MINUTE);
    expect(await codeOf(ask('sixth@new.example'))).toBe('RESEND_TOO_SOON');
    h.clock.advance(DAY);
    await ask('sixth@new.example');
    for (let at = 0; at < 5; at += 1) await codeOf(ask(NEW, 'wrong'));
    expect(await codeOf(ask())).toBe('RATE_LIMITED');
  });

  test('a link works for a day, until it is cancelled, another one is asked for, or the password changes', async () => {
    await ask();
    const late = await tokenOf('emailChange');
    h.clock.advance(DAY);
    expect(await codeOf(emailChange().confirm(guestCtx(), late))).toBe('EMAIL_LINK_INVALID');
    await ask();
    const cancelled = await tokenOf('emailChange');
    await mirela.api.accountEmail.cancel();
    expect(await codeOf(emailChange().confirm(guestCtx(), cancelled))).toBe('EMAIL_LINK_INVALID');
    expect(await codeOf(emailChange().cancel(await ctxOf(h, mirela.secret)))).toBe('NOT_FOUND');
    h.clock.advance(MINUTE);
    await ask();
    const replaced = await tokenOf('emailChange');
    h.clock.advance(MINUTE);
    await ask('second@new.example');
    expect(await codeOf(emailChange().confirm(guestCtx(), replaced))).toBe('EMAIL_LINK_INVALID');
    const stale = await tokenOf('emailChange');
    const ctx = await ctxOf(h, mirela.secret);
    await h.host.services.identity.changePassword(ctx, { current: PASSWORD, password: 'a whole new sentence' });
    expect(await codeOf(emailChange().confirm(guestCtx(), stale))).toBe('EMAIL_LINK_INVALID');
    expect(await addressOf()).toBe(OLD);
  });

  test('T36 a link used fifty times at once counts once, and one of two users who confirm one address gets it', async () => {
    const tobi = await h.person('tobi');
    await ask();
    const mine = await tokenOf('emailChange');
    await ask(NEW, PASSWORD, tobi);
    const his = await tokenOf('emailChange');
    expect(await atOnce(50, (at) => emailChange().confirm(guestCtx(), at % 2 === 0 ? mine : his))).toEqual({
      ok: 1,
      EMAIL_LINK_INVALID: 49,
    });
    expect([await addressOf(), await addressOf(tobi)].filter((email) => email === NEW)).toHaveLength(1);
    expect(await mails('emailChanged')).toHaveLength(1);
  });

  test('T36 the old address takes the account back: sessions and the known password end, and a new one is set by its own link', async () => {
    const token = await change();
    await emailChange().undo(guestCtx(), token);
    expect(await addressOf()).toBe(OLD);
    expect(await works(mirela.secret)).toBe(false);
    const { identity } = h.host.services;
    const browser = { secret: null, device: 'device-0123456789' };
    expect(await codeOf(identity.login(guestCtx(), { login: OLD, password: PASSWORD }, browser))).toBe('LOGIN_FAILED');
    const reset = /reset-password\?token=([\w-]+)/.exec((await mails('passwordReset')).at(-1)?.text ?? '')?.[1] ?? '';
    expect((await mails('passwordReset')).map(({ address }) => address)).toEqual([OLD]);
    await identity.resetPassword(guestCtx(), { token: reset, password: 'a whole new sentence' });
    await identity.login(guestCtx(), { login: OLD, password: 'a whole new sentence' }, browser);
    expect(await codeOf(emailChange().undo(guestCtx(), token))).toBe('EMAIL_LINK_INVALID');
  });

  test('T36 a second change does not outrun the undoing of the first, and its own link is void afterwards', async () => {
    const first = await change();
    const second = await change('third@new.example');
    expect(second).not.toBe(first);
    await emailChange().undo(guestCtx(), first);
    expect(await addressOf()).toBe(OLD);
    expect(await codeOf(emailChange().undo(guestCtx(), second))).toBe('EMAIL_LINK_INVALID');
  });

  test('T36 a second factor set up after the change goes with it, an older one stays', async () => {
    await switchOn(h, mirela);
    h.clock.advance(HOUR);
    await emailChange().undo(guestCtx(), await change());
    const factors = () => h.db.sql('SELECT user_id FROM second_factors WHERE secret IS NOT NULL');
    expect(await factors()).toHaveLength(1);
    const tobi = await h.person('tobi');
    await ask('tobi@new.example', PASSWORD, tobi);
    await emailChange().confirm(guestCtx(), await tokenOf('emailChange'));
    h.clock.advance(HOUR);
    await switchOn(h, tobi);
    await emailChange().undo(guestCtx(), await tokenOf('emailChanged'));
    expect(await factors()).toEqual([{ user_id: mirela.id }]);
  });

  test('the way back ends after three days, and until then nobody else gets the old address', async () => {
    const token = await change();
    const again = { username: 'again', email: OLD.toUpperCase(), password: PASSWORD, first_name: 'A', last_name: 'B' };
    const create = () => h.host.services.identity.createUser({ ...again, locale: 'en', role: 'member' });
    expect(await refusal(create())).toEqual({ code: 'VALIDATION_FAILED', fields: { email: ['EMAIL_TAKEN'] } });
    const tobi = await h.person('tobi');
    await ask(OLD, PASSWORD, tobi);
    expect(await codeOf(emailChange().confirm(guestCtx(), await tokenOf('emailChange')))).toBe('EMAIL_LINK_INVALID');
    h.clock.advance(3 * DAY);
    expect(await codeOf(emailChange().undo(guestCtx(), token))).toBe('EMAIL_LINK_INVALID');
    await h.drainJobs();
    expect(await h.db.sql('SELECT id FROM email_changes')).toEqual([]);
    await create();
  });

  test('T36 an address that nobody ever confirmed has no say, where the host asks for that', async () => {
    await h.db.sql('UPDATE users SET verified_ms = NULL');
    await h.close();
    h = await openHarness({ engine, config: { mail: MAIL } });
    mirela = await h.person('mirela.v');
    await h.set({ mail_verification: true });
    await h.db.sql('UPDATE users SET verified_ms = NULL');
    expect(await change()).toBe('');
    expect(await addressOf()).toBe(NEW);
  });

  test('T34 a banned or deleted account changes nothing by a link it had', async () => {
    await ask();
    const token = await tokenOf('emailChange');
    await h.host.services.identity.ban(null, mirela.id, { reason: 'spam', untilMs: null });
    expect(await codeOf(emailChange().confirm(guestCtx(), token))).toBe('EMAIL_LINK_INVALID');
    expect(await addressOf()).toBe(OLD);
  });
});

/** Somewhere that takes no mail: what is queued stays so. */
const MAIL = {
  host: '127.0.0.1',
  port: 9,
  security: 'none' as const,
  username: null,
  password: null,
  fromAddress: 'no-reply@panel.example',
  fromName: 'Spawnpoint',
};

test('T31 the page of a link changes nothing by being read, and undoing logs only its own user out', async () => {
  const h = await openHarness();
  const ann = await h.person('ann');
  const browser = openBrowser(h);
  browser.cookies.set(SESSION_COOKIE, ann.secret);
  expect((await browser.get('/api/auth/email/undo')).status).toBe(405);
  expect(await browser.send('POST', '/api/auth/email/undo', { token: 'x' })).toMatchObject({
    status: 410,
    code: 'EMAIL_LINK_INVALID',
  });
  expect(browser.cookies.has(SESSION_COOKIE)).toBe(true);
  await h.close();
});
