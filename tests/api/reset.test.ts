import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mailListCommand } from '#server/cli/mail.ts';
import { LIMITS } from '#shared/limits.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { ctxOf, guestCtx, openBrowser } from '#tests/support/browser.ts';
import { atOnce, codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { openSmtp } from '#tests/support/smtp.ts';

// Shows behaviour 3.7.

let h: Harness;
let mirela: Person;
beforeEach(async () => {
  h = await openHarness();
  mirela = await h.person('mirela.v');
});
afterEach(() => h.close());

const NEXT = 'plough lantern meadow seven';
let visitors = 0;
const visitor = (own = h) => openBrowser(own, `198.51.${Math.floor((visitors += 1) / 250)}.${(visitors % 250) + 1}`);
const ask = (login: string) => visitor().send('POST', '/api/auth/forgot', { login });
const identity = (own = h) => own.host.services.identity;
const reset = (token: string, password = NEXT, own = h) => identity(own).resetPassword(guestCtx(), { token, password });
const login = (password: string, name = 'mirela.v') =>
  codeOf(
    identity().login(
      guestCtx(),
      { login: name, password },
      { secret: null, device: `device-${(visitors += 1)}-0123456789` },
    ),
  );

interface Mail extends Record<string, string | number | null> {
  address: string;
  template: string;
  locale: string;
  subject: string;
  text: string;
  html: string;
}
/** The letters of one kind, the oldest first. */
const letters = (template = 'passwordReset', own = h) =>
  own.db.sql<Mail>(
    'SELECT address, template, locale, subject, text, html FROM mails WHERE template = ? ORDER BY created_ms, id',
    [template],
  );
const tokenIn = (text: string) =>
  /https:\/\/panel\.example\.com\/auth\/reset-password\?token=([\w-]+)/.exec(text)?.[1] ?? '';
/** Asks for a letter and reads the link's token in it. */
async function link(name = 'mirela.v', own = h, address = '198.51.100.9'): Promise<string> {
  await identity(own).requestPasswordReset(guestCtx({ address }), name, '');
  await own.drainJobs();
  return tokenIn((await letters('passwordReset', own)).at(-1)?.text ?? '');
}
const passwordVersion = async (own = h) =>
  (await own.db.sql<{ password_version: number }>("SELECT password_version FROM users WHERE username = 'mirela.v'"))[0]
    ?.password_version;

describe('a forgotten password', () => {
  test('an e-mail with a link leads to a new password, and everything that was open ends, and the user is notified', async () => {
    await h.db.sql("UPDATE users SET locale = 'de', first_name = 'Mirela' WHERE username = 'mirela.v'");
    expect(await ask('MIRELA.V ')).toMatchObject({ status: 200, code: null });
    await h.drainJobs();
    const [letter] = await letters();
    expect(letter).toMatchObject({
      address: 'mirela.v@example.com',
      locale: 'de',
      subject: 'Neues Passwort festlegen',
    });
    const token = tokenIn(letter?.text ?? '');
    expect(token.length).toBeGreaterThanOrEqual(43);
    expect(letter?.html).toContain(`href="https://panel.example.com/auth/reset-password?token=${token}"`);
    expect(letter?.text).toContain('Hallo Mirela,');

    const browser = visitor();
    const answer = await browser.send('POST', '/api/auth/reset', { token, password: NEXT });
    expect(answer).toMatchObject({ status: 200, code: null });
    expect(await identity().resolve(mirela.secret)).toBeNull();
    expect(await login(PASSWORD)).toBe('LOGIN_FAILED');
    expect(await login(NEXT)).toBeNull();
    await h.drainJobs();
    const [mail] = await letters('passwordChanged');
    expect(mail).toMatchObject({ address: 'mirela.v@example.com', subject: 'Dein Passwort wurde geändert' });
    expect(mail?.text).toContain('Firefox · Linux');
    expect(mail?.text).toContain('https://panel.example.com/auth/forgot-password');
    expect((await h.db.sql('SELECT kind FROM notifications')).map((row) => row.kind)).toContain('passwordChanged');
    expect(await h.db.sql("SELECT actor_id, target FROM audit WHERE action = 'account.password_reset'")).toEqual([
      { actor_id: mirela.id, target: mirela.id },
    ]);
  });

  test('T30 the link opens no session: what a log-in asks for is asked for', async () => {
    const browser = visitor();
    const answer = await browser.send('POST', '/api/auth/reset', { token: await link(), password: NEXT });
    expect(answer).toMatchObject({ status: 200, lines: [] });
    expect(browser.cookies.size).toBe(0);
    expect(await h.db.sql('SELECT id FROM sessions')).toEqual([]);
  });

  test('the rules are those of the registration, and a refused password leaves the link good', async () => {
    const token = await link();
    const refused = async (password: string) =>
      (await visitor().send('POST', '/api/auth/reset', { token, password })).body.fields;
    expect(await refused('short')).toEqual({ password: ['TOO_SHORT'] });
    expect(await refused('Password2024')).toEqual({ password: ['PASSWORD_COMMON'] });
    expect(await refused('mirela.v12345')).toEqual({ password: ['PASSWORD_COMMON'] });
    expect(await visitor().send('POST', '/api/auth/reset', { token, password: NEXT })).toMatchObject({ status: 200 });
  });

  test('wrong guesses from before do not slow the log-in with the new password', async () => {
    const own = { secret: null, device: 'device-of-mirela-1-0123456789' };
    const atHome = (password: string) =>
      codeOf(identity().login(guestCtx({ address: '203.0.113.80' }), { login: 'mirela.v', password }, own));
    expect(await atHome(PASSWORD)).toBeNull();
    for (let i = 0; i < 6; i += 1) await atHome('a wrong password');
    for (let i = 0; i < 6; i += 1) await login('a wrong password');
    expect([await login(PASSWORD), await atHome(PASSWORD)]).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
    await reset(await link());
    expect([await login(NEXT), await atHome(NEXT)]).toEqual([null, null]);
  });

  test('the e-mail waits in the outbox without a mail server, where the operator reads it', async () => {
    expect((await visitor().send('GET', '/api/auth/options')).body).toMatchObject({ sends_mail: false });
    const token = await link();
    const printed: string[] = [];
    await mailListCommand(h.host.services, ['list'], { out: (line) => void printed.push(line), err: () => undefined });
    expect(printed.join('\n')).toContain(`https://panel.example.com/auth/reset-password?token=${token}`);
    expect(printed.join('\n')).toContain('To: mirela.v@example.com');
  });

  test('T35 the link is kept as a hash, and an e-mail that has left no longer holds it', async () => {
    const smtp = await openSmtp();
    const own = await openHarness({ config: { mail: smtp.config } });
    await own.person('mirela.v');
    expect((await visitor(own).send('GET', '/api/auth/options')).body).toMatchObject({ sends_mail: true });
    await identity(own).requestPasswordReset(guestCtx(), 'mirela.v', '');
    await own.drainJobs();
    const token = tokenIn(smtp.delivered[0]?.mail.text ?? '');
    expect(token).not.toBe('');
    const everything = JSON.stringify([
      await own.db.sql('SELECT * FROM one_time_tokens'),
      await own.db.sql('SELECT * FROM mails'),
      await own.db.sql('SELECT * FROM jobs'),
    ]);
    expect(everything).not.toContain(token);
    expect(everything).toContain(own.host.services.ids.hash(token));
    await own.close();
    await smtp.close();
  });
});

describe('T36 what a stranger learns', () => {
  test('T36 a stranger learns nothing: every name has one answer, made without asking for the accounts', async () => {
    for (const name of ['banned.b', 'gone.g']) await h.person(name);
    await h.db.sql("UPDATE users SET status = 'banned' WHERE username = 'banned.b'");
    await h.db.sql("UPDATE users SET status = 'deleted' WHERE username = 'gone.g'");
    const facts = async (login: string) => {
      const before = await h.db.sql('SELECT id FROM jobs');
      const answer = await ask(login);
      // Before any job has run: all that a request leaves is one order, which is the same for everybody.
      const left = (
        await h.db.sql<{ id: string; kind: string; attempts: number; payload: string }>(
          'SELECT id, kind, attempts, payload FROM jobs',
        )
      ).filter(({ id }) => !before.some((old) => old.id === id));
      expect(left.map(({ payload }) => JSON.parse(payload))).toEqual([
        { login, network: expect.any(String), device: '' },
      ]);
      return {
        status: answer.status,
        body: { ...answer.body, request_id: '' },
        lines: answer.lines,
        left: left.map(({ kind, attempts }) => ({ kind, attempts })),
      };
    };
    const known = await facts('mirela.v');
    expect(known).toMatchObject({ status: 200, body: { success: true }, left: [{ kind: 'identity.reset' }] });
    for (const login of [
      'mirela.v@example.com',
      'nobody',
      'nobody@mail.example',
      'banned.b',
      'gone.g',
      'gone.g@example.com',
    ])
      expect(await facts(login)).toEqual(known);
    expect(await h.db.sql('SELECT id FROM one_time_tokens')).toEqual([]);
    await h.drainJobs();
    expect((await letters()).map(({ address }) => address)).toEqual(['mirela.v@example.com']);
    expect(await h.db.sql("SELECT id FROM jobs WHERE state = 'dead'")).toEqual([]);
  });

  test('T36 a stranger learns nothing by asking again: the account’s own limits are kept silently', async () => {
    const first = await ask('mirela.v');
    await h.drainJobs();
    const again = await ask('mirela.v');
    await h.drainJobs();
    expect({ status: again.status, body: again.body }).toEqual({ status: first.status, body: first.body });
    expect(await letters()).toHaveLength(1);
  });

  test('T36 the link is made from the installation’s address, not from what a request claims', async () => {
    const response = await h.http('/api/auth/forgot', {
      method: 'POST',
      body: JSON.stringify({ login: 'mirela.v' }),
      headers: {
        'content-type': 'application/json',
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        origin: 'http://evil.example',
      },
    });
    expect(response.status).toBe(200);
    await h.drainJobs();
    expect(tokenIn((await letters())[0]?.text ?? '')).not.toBe('');
    expect(JSON.stringify(await letters())).not.toContain('evil.example');
  });
});

describe('T36 a link', () => {
  test('T36 a link works for an hour', async () => {
    const token = await link();
    h.clock.advance(HOUR - 1);
    expect((await visitor().send('GET', `/api/auth/options?reset_token=${token}`)).body).toMatchObject({
      reset_valid: true,
    });
    h.clock.advance(1);
    expect((await visitor().send('GET', `/api/auth/options?reset_token=${token}`)).body).toMatchObject({
      reset_valid: false,
    });
    expect(await visitor().send('POST', '/api/auth/reset', { token, password: NEXT })).toMatchObject({
      status: 410,
      code: 'RESET_LINK_INVALID',
    });
    expect(await codeOf(reset('guess'))).toBe('RESET_LINK_INVALID');
    expect(await login(PASSWORD)).toBeNull();
  });

  test('T36 a link is used up by nothing but a new password', async () => {
    const token = await link();
    for (let i = 0; i < 3; i += 1)
      expect((await visitor().send('GET', `/api/auth/options?reset_token=${token}`)).body).toMatchObject({
        reset_valid: true,
      });
    expect(await identity().resolve(mirela.secret)).not.toBeNull();
    expect(await passwordVersion()).toBe(1);
    expect(await codeOf(reset(token))).toBeNull();
    expect(await codeOf(reset(token, 'an entirely different one'))).toBe('RESET_LINK_INVALID');
    expect(await login(NEXT)).toBeNull();
  });

  test('T36 a link dies with all others when one of them is used', async () => {
    const first = await link();
    h.clock.advance(MINUTE);
    const second = await link('mirela.v@example.com');
    expect(second).not.toBe(first);
    expect(await codeOf(reset(first))).toBeNull();
    expect(await codeOf(reset(second, 'an entirely different one'))).toBe('RESET_LINK_INVALID');
  });

  test('T36 a link dies with the password that it was sent for', async () => {
    const token = await link();
    const { secret } = await identity().login(
      guestCtx(),
      { login: 'mirela.v', password: PASSWORD },
      { secret: null, device: 'device-of-mirela-1' },
    );
    await identity().changePassword(await ctxOf(h, secret), {
      current: PASSWORD,
      password: 'an entirely different one',
    });
    expect((await visitor().send('GET', `/api/auth/options?reset_token=${token}`)).body).toMatchObject({
      reset_valid: false,
    });
    expect(await codeOf(reset(token))).toBe('RESET_LINK_INVALID');
    expect(await login('an entirely different one')).toBeNull();
  });

  test('T36 a link dies with the address that it was sent to', async () => {
    const token = await link();
    await h.db.sql(
      "UPDATE users SET email = 'new@mail.example', email_key = 'new@mail.example' WHERE username = 'mirela.v'",
    );
    expect(await codeOf(reset(token))).toBe('RESET_LINK_INVALID');
    expect(await passwordVersion()).toBe(1);
  });

  test('a link is worth nothing during a ban, and the e-mail comes again once it is over', async () => {
    const token = await link();
    await identity().ban(null, mirela.id, { reason: 'test', untilMs: h.clock.now() + 30 * MINUTE });
    expect(await codeOf(reset(token))).toBe('RESET_LINK_INVALID');
    h.clock.advance(10 * MINUTE);
    await link();
    expect(await letters()).toHaveLength(1);
    h.clock.advance(20 * MINUTE);
    await reset(await link());
    expect(await letters()).toHaveLength(2);
    expect(await login(NEXT)).toBeNull();
  });
});

describe.each(ENGINES)('T36 races on %s', (engine) => {
  let own: Harness;
  beforeEach(async () => {
    own = await openHarness({ engine });
    await own.person('mirela.v');
  });
  afterEach(() => own.close());

  test('T36 fifty uses of one link at once are one change', async () => {
    const token = await link('mirela.v', own);
    expect(await atOnce(50, (i) => reset(token, `${NEXT} number ${i}`, own))).toEqual({
      ok: 1,
      RESET_LINK_INVALID: 49,
    });
    expect(await passwordVersion(own)).toBe(2);
    expect(await letters('passwordChanged', own)).toHaveLength(1);
  }, 300_000);

  test('T36 one of two links that are used at once is one change', async () => {
    const first = await link('mirela.v', own);
    own.clock.advance(MINUTE);
    const second = await link('mirela.v', own);
    expect(await atOnce(20, (i) => reset(i % 2 ? first : second, `${NEXT} number ${i}`, own))).toEqual({
      ok: 1,
      RESET_LINK_INVALID: 19,
    });
    expect(await passwordVersion(own)).toBe(2);
  }, 300_000);

  test('T52 fifty requests at once, by name and by address, are one e-mail', async () => {
    expect(
      await atOnce(50, (i) =>
        identity(own).requestPasswordReset(
          guestCtx({ address: `203.0.113.${i % 7}` }),
          i % 2 ? 'mirela.v' : 'mirela.v@example.com',
          '',
        ),
      ),
    ).toEqual({ ok: 50 });
    await own.drainJobs();
    expect(await letters('passwordReset', own)).toHaveLength(1);
  }, 300_000);
});

describe('T52 mailboxes are not filled', () => {
  test('T52 another e-mail is sent after a minute, five in 24 hours', async () => {
    const sent = async () => (await link(), (await letters()).length);
    expect(await sent()).toBe(1);
    h.clock.advance(MINUTE - 1);
    expect(await sent()).toBe(1);
    h.clock.advance(1);
    for (let count = 2; count <= 5; count += 1) {
      expect(await sent()).toBe(count);
      h.clock.advance(MINUTE);
    }
    expect(await sent()).toBe(5);
    h.clock.advance(DAY - 5 * MINUTE);
    expect(await sent()).toBe(6);
    h.clock.advance(MINUTE);
    expect(await sent()).toBe(7);
  });

  test('S8 there is still one good link at any time where the budget is spent, and no more than one an hour', async () => {
    for (let count = 0; count < 8; count += 1) {
      await link();
      h.clock.advance(MINUTE);
    }
    expect(await letters()).toHaveLength(5);
    // The fifth was sent four minutes after the first; eight have passed.
    h.clock.advance(HOUR - 4 * MINUTE - 1);
    await link();
    expect(await letters()).toHaveLength(5);
    h.clock.advance(1);
    const token = await link();
    expect(await letters()).toHaveLength(6);
    await link();
    expect(await letters()).toHaveLength(6);
    await reset(token);
    expect(await login(NEXT)).toBeNull();
  });

  test('S8 a stranger who asks again and again leaves the owner their own e-mails', async () => {
    for (let count = 0; count < 7; count += 1) {
      await link('mirela.v', h, '203.0.113.66');
      h.clock.advance(MINUTE);
    }
    expect(await letters()).toHaveLength(5);
    const token = await link('mirela.v@example.com', h, '198.51.100.44');
    expect(await letters()).toHaveLength(6);
    await reset(token);
    expect(await login(NEXT)).toBeNull();
  });

  test('S8 in a browser they have logged in from, the owner has a budget apart from everybody at the same address', async () => {
    const browser = visitor();
    await browser.send('POST', '/api/auth/login', { login: 'mirela.v', password: PASSWORD });
    const [row] = await h.db.sql<{ address: string }>(
      'SELECT address FROM sessions ORDER BY created_ms DESC, id DESC LIMIT 1',
    );
    for (let count = 0; count < 7; count += 1) {
      await link('mirela.v', h, row?.address);
      h.clock.advance(MINUTE);
    }
    expect(await letters()).toHaveLength(5);
    await browser.send('POST', '/api/auth/forgot', { login: 'mirela.v' });
    await h.drainJobs();
    expect(await letters()).toHaveLength(6);
  });

  test('S8 many strangers together fill no mailbox: twenty are sent a day, and then one an hour', async () => {
    for (let count = 0; count < 30; count += 1) {
      await link('mirela.v', h, `203.0.113.${count}`);
      h.clock.advance(MINUTE);
    }
    expect(await letters()).toHaveLength(20);
  });

  test('T52 one address asks so often, whatever it asks for, also with a session', async () => {
    const browser = visitor();
    const asked = (i: number) => browser.send('POST', '/api/auth/forgot', { login: `name${i}` });
    for (let i = 0; i < h.host.services.settings.current().limit_reset; i += 1)
      expect(await asked(i)).toMatchObject({ status: 200 });
    expect(await asked(99)).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    browser.cookies.set('__Host-spawnpoint', mirela.secret);
    expect(await asked(100)).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    h.clock.advance(LIMITS.reset.windowS * 1000);
    expect(await asked(101)).toMatchObject({ status: 200 });
  });
});
