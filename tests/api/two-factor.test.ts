import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createPasswords } from '#server/identity-providers/passwords.ts';
import { totp } from '#server/identity-providers/totp.ts';
import { createIdentity } from '#server/modules/identity/index.ts';
import { MARKER_COOKIE, SESSION_COOKIE } from '#shared/constants.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import { ctxOf, type Browser } from '#tests/support/browser.ts';
import { codeOf, nth } from '#tests/support/coins.ts';
import {
  auditedOf,
  beginFactor,
  codeAt,
  freshSession,
  refusal,
  STEP,
  switchOn,
  notificationsOf,
  visitorOf,
  WRONG_CODE,
  wrongCode,
  type FactorOf,
} from '#tests/support/factor.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { testSealer } from '#tests/support/sealing.ts';

// Shows behaviour 3.5.

let h: Harness;
let mirela: Person;
beforeEach(async () => {
  h = await openHarness();
  mirela = await h.person('mirela.v', { credits: 120 });
});
afterEach(() => h.close());

const factorOf = () => h.host.services.identity.twoFactor;
const visitor = (secret?: string) => visitorOf(h, secret);
const code = (secret: string, steps = 0) => codeAt(secret, h.clock.now() + steps * STEP);
const verify = (browser: Browser, text: string) => browser.send('POST', '/api/auth/2fa/verify', { code: text });
const session = (browser: Browser) => browser.send('GET', '/api/user/session');

describe('set-up', () => {
  test('the set-up asks for the password, shows secret and address for the app, and is confirmed by a code', async () => {
    const browser = visitor(mirela.secret);
    const begin = (password: string) => browser.send('POST', '/api/auth/2fa/setup', { password });
    expect((await browser.send('GET', '/api/auth/2fa')).body).toMatchObject({
      enabled: false,
      has_password: true,
      recovery_left: 0,
      pending: null,
    });
    expect(await begin('not the password')).toMatchObject({
      status: 422,
      body: { fields: { password: ['PASSWORD_WRONG'] } },
    });
    expect(await begin(PASSWORD)).toMatchObject({ status: 200, code: null });
    const { pending } = (await browser.send('GET', '/api/auth/2fa')).body as {
      pending: { secret: string; uri: string };
    };
    expect(pending.secret).toMatch(/^[A-Z2-7]{32}$/);
    const uri = new URL(pending.uri);
    expect([
      uri.protocol,
      decodeURIComponent(uri.pathname),
      uri.searchParams.get('secret'),
      uri.searchParams.get('issuer'),
    ]).toEqual(['otpauth:', expect.stringContaining('Spawnpoint:mirela.v'), pending.secret, 'Spawnpoint']);
    expect((await session(browser)).body.user_info).toMatchObject({ second_factor: 'off' });
    const confirm = (text: string) => browser.send('POST', '/api/auth/2fa/setup/confirm', { code: text });
    expect(await confirm(wrongCode(pending.secret, h.clock.now()))).toMatchObject({
      status: 422,
      body: { fields: { code: ['CODE_WRONG'] } },
    });
    const done = await confirm(` ${code(pending.secret).slice(0, 3)} ${code(pending.secret).slice(3)} `);
    expect(done.code).toBeNull();
    const codes = done.body.recovery_codes as string[];
    expect(new Set(codes).size).toBe(10);
    for (const each of codes) expect(each).toMatch(/^[A-HJ-NP-Z2-9]{5}-[A-HJ-NP-Z2-9]{5}$/);
    expect((await browser.send('GET', '/api/auth/2fa')).body).toEqual({
      success: true,
      error_code: null,
      enabled: true,
      has_password: true,
      recovery_left: 10,
      pending: null,
      confirmed: false,
      passkey_domain: null,
    });
    expect((await session(browser)).body.user_info).toMatchObject({ second_factor: 'on' });
  });

  test('T32 the set-up is reported by audit, notification and e-mail, and secrets are sealed at rest and codes hashed', async () => {
    const { secret, codes } = await switchOn(h, mirela);
    expect(await auditedOf(h)).toEqual(['account.two_factor_on']);
    expect(await notificationsOf(h)).toEqual(['twoFactorOn']);
    expect(await h.db.sql('SELECT template, address FROM mails')).toEqual([
      { template: 'twoFactorOn', address: 'mirela.v@example.com' },
    ]);
    const [row] = await h.db.sql<{ secret: string; pending: string | null }>('SELECT * FROM second_factors');
    const kept = row?.secret ?? '';
    expect([kept.slice(0, 9), row?.pending]).toEqual(['sealed:1:', null]);
    expect(testSealer.open('second_factor', mirela.id, kept)).toEqual({ text: secret });
    expect(testSealer.open('second_factor', 'somebody-else', kept)).toEqual({ fault: 'damaged' });
    const everything = JSON.stringify([
      await h.db.sql('SELECT * FROM second_factors'),
      await h.db.sql('SELECT * FROM recovery_codes'),
      await h.db.sql('SELECT * FROM audit'),
      await h.db.sql('SELECT * FROM notifications'),
    ]);
    for (const open of [secret, ...codes, ...codes.map((each) => each.replace('-', ''))])
      expect(everything).not.toContain(open);
    expect(await h.db.sql('SELECT code_hash FROM recovery_codes')).toHaveLength(10);
  });

  test('a set-up is over after fifteen minutes, and may be begun again', async () => {
    const first = await beginFactor(h, mirela);
    h.clock.advance(15 * MINUTE);
    const ctx = await ctxOf(h, mirela.secret);
    expect((await factorOf().getState(ctx)).pending).toBeNull();
    expect(await codeOf(factorOf().confirm(ctx, code(first)))).toBe('TWO_FACTOR_SETUP_OVER');
    const second = await beginFactor(h, mirela);
    expect(second).not.toBe(first);
    expect(await refusal(factorOf().confirm(ctx, code(first)))).toEqual(WRONG_CODE);
    expect(await factorOf().confirm(ctx, code(second))).toHaveLength(10);
  });

  test('T32 the set-up counts its tries as well', async () => {
    const secret = await beginFactor(h, mirela);
    const ctx = await ctxOf(h, mirela.secret);
    for (let i = 0; i < 5; i += 1)
      expect(await refusal(factorOf().confirm(ctx, wrongCode(secret, h.clock.now())))).toEqual(WRONG_CODE);
    expect(await codeOf(factorOf().confirm(ctx, code(secret)))).toBe('RATE_LIMITED');
  });

  test('T32 the code that confirmed it opens no session afterwards', async () => {
    const secret = await beginFactor(h, mirela);
    const used = code(secret);
    await factorOf().confirm(await ctxOf(h, mirela.secret), used);
    expect(await verify(visitor(await freshSession(h, mirela)), used)).toMatchObject({
      status: 422,
      body: { fields: { code: ['CODE_WRONG'] } },
    });
  });

  test('T31 a set-up never overwrites a factor that is on, neither does an older set-up confirmed late', async () => {
    const { secret } = await switchOn(h, mirela);
    const browser = visitor(mirela.secret);
    expect(await browser.send('POST', '/api/auth/2fa/setup', { password: PASSWORD })).toMatchObject({
      status: 409,
      code: 'TWO_FACTOR_ON',
    });
    expect(await browser.send('POST', '/api/auth/2fa/setup/confirm', { code: code(secret) })).toMatchObject({
      status: 409,
      code: 'TWO_FACTOR_ON',
    });
    expect(await verify(visitor(await freshSession(h, mirela)), code(secret))).toMatchObject({ status: 200 });
  });
});

describe('S11 a set-up', () => {
  test('S11 the secret is seen, and the set-up confirmed, only by the session that began it', async () => {
    const secret = await beginFactor(h, mirela);
    const other = await freshSession(h, mirela);
    expect((await visitor(other).send('GET', '/api/auth/2fa')).body).toMatchObject({ enabled: false, pending: null });
    expect(await codeOf(factorOf().confirm(await ctxOf(h, other), code(secret)))).toBe('TWO_FACTOR_SETUP_OVER');
    expect((await visitor(mirela.secret).send('GET', '/api/auth/2fa')).body).toMatchObject({ pending: { secret } });
    expect(await factorOf().confirm(await ctxOf(h, mirela.secret), code(secret))).toHaveLength(10);
  });

  test('S11 another session may begin its own, which ends the one before', async () => {
    const first = await beginFactor(h, mirela);
    const other = await freshSession(h, mirela);
    const second = await beginFactor(h, { secret: other });
    expect(second).not.toBe(first);
    expect((await visitor(mirela.secret).send('GET', '/api/auth/2fa')).body).toMatchObject({ pending: null });
    expect(await factorOf().confirm(await ctxOf(h, other), code(second))).toHaveLength(10);
  });
});

describe('cancelling by GET', () => {
  const kill = (browser: Browser) => browser.get('/api/auth/2fa/setup/kill');

  test('T31 a GET ends an unfinished set-up and goes to the account page', async () => {
    const secret = await beginFactor(h, mirela);
    const answer = await kill(visitor(mirela.secret));
    expect([answer.status, answer.headers.get('location'), answer.headers.get('cache-control')]).toEqual([
      302,
      '/account?tab=security',
      'no-store',
    ]);
    expect(await codeOf(factorOf().confirm(await ctxOf(h, mirela.secret), code(secret)))).toBe('TWO_FACTOR_SETUP_OVER');
    expect((await kill(visitor(mirela.secret))).headers.get('location')).toBe('/account?tab=security');
  });

  test('T31 a GET leaves a factor that is on as it is, and goes to the form that asks for password and code', async () => {
    const { secret } = await switchOn(h, mirela);
    const before = await h.db.sql('SELECT * FROM second_factors');
    const answer = await kill(visitor(mirela.secret));
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/auth/2fa/setup']);
    expect(await h.db.sql('SELECT * FROM second_factors')).toEqual(before);
    expect(await verify(visitor(await freshSession(h, mirela)), code(secret))).toMatchObject({ status: 200 });
  });
});

describe('the second step of a log-in', () => {
  let on: FactorOf;
  beforeEach(async () => void (on = await switchOn(h, mirela)));
  const logIn = (browser: Browser) =>
    browser.send('POST', '/api/auth/login', { login: 'mirela.v', password: PASSWORD });

  test('T30 the session answers TW0_FA_BLOCKED with status 200 after the password, and everything else is shut', async () => {
    const browser = visitor();
    expect((await logIn(browser)).body).toMatchObject({ success: true, second_factor: true });
    expect(browser.cookies.has(MARKER_COOKIE)).toBe(true);
    const blocked = await session(browser);
    expect(blocked).toMatchObject({ status: 200, body: { success: false, error_code: 'TW0_FA_BLOCKED' }, lines: [] });
    expect(JSON.stringify(blocked.body)).not.toContain('mirela');
    expect(await browser.send('GET', '/api/account')).toMatchObject({ status: 403, code: 'TW0_FA_BLOCKED' });
    expect((await browser.send('GET', '/api/auth/2fa/waiting')).body).toMatchObject({ waiting: true });
    expect(await verify(browser, code(on.secret))).toMatchObject({ status: 200, code: null });
    expect((await session(browser)).body).toMatchObject({
      success: true,
      user_info: { username: 'mirela.v', second_factor: 'on' },
    });
    expect((await browser.send('GET', '/api/auth/2fa/waiting')).body).toMatchObject({ waiting: false });
    expect(await auditedOf(h)).toEqual(['account.two_factor_on', 'account.second_factor']);
  });

  test('T35 passing the second step gives the session a new secret, and the old one is worthless', async () => {
    const browser = visitor();
    await logIn(browser);
    const before = browser.cookies.get(SESSION_COOKIE) ?? '';
    await verify(browser, code(on.secret));
    expect(browser.cookies.get(SESSION_COOKIE)).not.toBe(before);
    expect(await session(visitor(before))).toMatchObject({ code: 'SESSION_EXPIRED' });
    expect((await session(browser)).code).toBeNull();
  });

  test('T30 one session’s step does not count for another, and a log-out needs no code', async () => {
    const [passed, waiting] = [visitor(), visitor()];
    await logIn(passed);
    await logIn(waiting);
    await verify(passed, code(on.secret));
    expect((await session(passed)).code).toBeNull();
    expect((await session(waiting)).code).toBe('TW0_FA_BLOCKED');
    expect(await waiting.send('POST', '/api/auth/logout')).toMatchObject({ status: 200 });
    expect((await session(waiting)).code).toBe('SESSION_EXPIRED');
  });

  test('T30 switching it on makes all other sessions wait, also those open before', async () => {
    const ana = await h.person('ana.b');
    const other = await freshSession(h, ana);
    expect((await session(visitor(other))).code).toBeNull();
    await switchOn(h, ana);
    expect((await session(visitor(other))).code).toBe('TW0_FA_BLOCKED');
    expect((await session(visitor(ana.secret))).code).toBeNull();
  });

  test('the second step needs a session, and a factor', async () => {
    expect(await verify(visitor(), '123456')).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    const ana = await h.person('ana.b');
    expect(await verify(visitor(ana.secret), '123456')).toMatchObject({ status: 409, code: 'TWO_FACTOR_OFF' });
  });

  test('T34 a ban meanwhile ends the waiting session', async () => {
    const secret = await freshSession(h, mirela);
    const ctx = await ctxOf(h, secret);
    await h.host.services.identity.ban(null, mirela.id, { reason: 'spam', untilMs: null });
    expect(await codeOf(factorOf().verify(ctx, code(on.secret)))).toBe('UNAUTHENTICATED');
    expect((await session(visitor(secret))).code).toBe('SESSION_EXPIRED');
  });

  test('T32 clocks may be one step off, and no more', async () => {
    const attempt = async (steps: number) =>
      (await verify(visitor(await freshSession(h, mirela)), code(on.secret, steps))).status;
    h.clock.advance(10 * STEP);
    expect([await attempt(-2), await attempt(2), await attempt(-1), await attempt(0), await attempt(1)]).toEqual([
      422, 422, 200, 200, 200,
    ]);
    // The later step is used: the ones before it are over with it.
    h.clock.advance(STEP);
    expect([await attempt(-1), await attempt(0), await attempt(1)]).toEqual([422, 422, 200]);
  });

  test('T32 five tries lock for fifteen minutes, the right code is no use meanwhile, and a restart forgets nothing', async () => {
    const ctx = await ctxOf(h, await freshSession(h, mirela));
    const restarted = createIdentity({
      ...h.host.services,
      passwords: createPasswords(),
      totp,
      sealer: testSealer,
    }).twoFactor;
    for (let i = 0; i < 5; i += 1)
      expect(await refusal(factorOf().verify(ctx, wrongCode(on.secret, h.clock.now())))).toEqual(WRONG_CODE);
    h.clock.advance(14 * MINUTE);
    for (const service of [factorOf(), restarted]) {
      const error = await service.verify(ctx, code(on.secret)).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'RATE_LIMITED', retryAfterS: MINUTE / SECOND });
    }
    h.clock.advance(MINUTE);
    expect(await codeOf(restarted.verify(ctx, code(on.secret)))).toBeNull();
  });

  test('S8 wrong codes of the app do not slow recovery codes, and wrong recovery codes are not counted', async () => {
    const ctx = await ctxOf(h, await freshSession(h, mirela));
    for (let i = 0; i < 5; i += 1) await refusal(factorOf().verify(ctx, wrongCode(on.secret, h.clock.now())));
    expect(await codeOf(factorOf().verify(ctx, code(on.secret)))).toBe('RATE_LIMITED');
    expect(await codeOf(factorOf().verify(ctx, nth(on.codes, 0)))).toBeNull();
    const other = await ctxOf(h, await freshSession(h, mirela));
    for (let i = 0; i < 9; i += 1) expect(await refusal(factorOf().verify(other, 'WRONG-WRONG'))).toEqual(WRONG_CODE);
    expect(await codeOf(factorOf().verify(other, code(on.secret)))).toBeNull();
  });

  test('S8 a stranger who knows the password and sends wrong codes from everywhere stops strangers, not the owner', async () => {
    const mine = visitor();
    await logIn(mine);
    expect(await verify(mine, code(on.secret))).toMatchObject({ status: 200 });
    h.clock.advance(STEP);
    // Somebody with the password, from many addresses and in many sessions: four wrong codes each.
    const wrong = wrongCode(on.secret, h.clock.now());
    const tries: string[] = [];
    for (let i = 0; i < 8; i += 1) {
      const ctx = { ...(await ctxOf(h, await freshSession(h, mirela))), address: `203.0.113.${i}` };
      for (let n = 0; n < 4; n += 1) tries.push((await refusal(factorOf().verify(ctx, wrong)))?.code ?? 'in');
    }
    expect(tries.filter((each) => each === 'VALIDATION_FAILED')).toHaveLength(20);
    expect(tries.slice(20)).toEqual(Array<string>(12).fill('RATE_LIMITED'));
    expect(
      await codeOf(
        factorOf().verify(
          { ...(await ctxOf(h, await freshSession(h, mirela))), address: '203.0.113.99' },
          code(on.secret),
        ),
      ),
    ).toBe('RATE_LIMITED');
    // The owner, in the browser they passed the factor in before, and anywhere with a recovery code.
    await logIn(mine);
    expect(await verify(mine, code(on.secret))).toMatchObject({ status: 200 });
    expect(await codeOf(factorOf().verify(await ctxOf(h, await freshSession(h, mirela)), nth(on.codes, 1)))).toBeNull();
  });

  test('S8 logging in with the password alone makes no browser one that the factor was passed in', async () => {
    const stranger = visitor();
    const wrong = wrongCode(on.secret, h.clock.now());
    for (let i = 0; i < 4; i += 1) {
      await logIn(stranger);
      for (let n = 0; n < 5; n += 1) await verify(stranger, wrong);
    }
    await logIn(stranger);
    expect(await verify(stranger, code(on.secret))).toMatchObject({ status: 429 });
  });

  test('S11 recovery codes are kept under the installation’s key, and those from before it go on working', async () => {
    const { ids, identity } = h.host.services;
    const plain = nth(on.codes, 2).replace('-', '');
    const rows = await h.db.sql<{ code_hash: string }>('SELECT code_hash FROM recovery_codes');
    expect(rows.every(({ code_hash }) => /^k1:[\w-]{43}$/.test(code_hash))).toBe(true);
    expect(rows.map(({ code_hash }) => code_hash)).not.toContain(ids.hash(`recovery:${mirela.id}:${plain}`));
    // As they were kept before there was a key for them.
    await h.db.sql('DELETE FROM recovery_codes');
    await h.db.sql('INSERT INTO recovery_codes (user_id, code_hash, used_ms) VALUES (?, ?, NULL), (?, ?, 5)', [
      mirela.id,
      ids.hash(`recovery:${mirela.id}:${plain}`),
      mirela.id,
      ids.hash(`recovery:${mirela.id}:USED222222`),
    ]);
    await identity.twoFactor.rehashOldCodes();
    expect(
      (await h.db.sql<{ code_hash: string }>('SELECT code_hash FROM recovery_codes')).every(({ code_hash }) =>
        code_hash.startsWith('k1:'),
      ),
    ).toBe(true);
    const ctx = async () => ctxOf(h, await freshSession(h, mirela));
    expect(await refusal(factorOf().verify(await ctx(), 'USED2-22222'))).toEqual(WRONG_CODE);
    expect(await codeOf(factorOf().verify(await ctx(), nth(on.codes, 2)))).toBeNull();
    expect(await refusal(factorOf().verify(await ctx(), nth(on.codes, 2)))).toEqual(WRONG_CODE);
  });

  test('T32 the tries of all sessions at one address, and those of switching it off, count together, and a right code forgives', async () => {
    const ctxs = await Promise.all([0, 1].map(async () => ctxOf(h, await freshSession(h, mirela))));
    const wrong = wrongCode(on.secret, h.clock.now());
    for (let i = 0; i < 4; i += 1) await refusal(factorOf().verify(nth(ctxs, i % 2), wrong));
    expect(await codeOf(factorOf().verify(nth(ctxs, 0), code(on.secret)))).toBeNull();
    for (let i = 0; i < 4; i += 1) await refusal(factorOf().verify(nth(ctxs, 1), wrong));
    expect(
      await refusal(factorOf().disable(await ctxOf(h, mirela.secret), { password: PASSWORD, code: wrong })),
    ).toEqual(WRONG_CODE);
    expect(await codeOf(factorOf().verify(nth(ctxs, 1), code(on.secret, 1)))).toBe('RATE_LIMITED');
  });

  test('T32 a recovery code opens one session once, however it is typed, and the user is notified', async () => {
    const first = nth(on.codes, 0);
    const browser = visitor(await freshSession(h, mirela));
    expect(await verify(browser, ` ${first.toLowerCase().replace('-', ' ')} `)).toMatchObject({ status: 200 });
    expect((await session(browser)).code).toBeNull();
    expect((await browser.send('GET', '/api/auth/2fa')).body).toMatchObject({ recovery_left: 9 });
    expect(await verify(visitor(await freshSession(h, mirela)), first)).toMatchObject({
      status: 422,
      body: { fields: { code: ['CODE_WRONG'] } },
    });
    expect(await notificationsOf(h)).toEqual(['twoFactorOn', 'recoveryCodeUsed']);
    expect(await auditedOf(h)).toEqual(['account.two_factor_on', 'account.recovery_code', 'account.second_factor']);
  });

  test('a recovery code of somebody else is none of theirs', async () => {
    const ana = await h.person('ana.b');
    const other = await switchOn(h, ana);
    expect(await verify(visitor(await freshSession(h, mirela)), nth(other.codes, 0))).toMatchObject({ status: 422 });
    expect(await verify(visitor(await freshSession(h, ana)), nth(other.codes, 0))).toMatchObject({ status: 200 });
  });

  test('T32 a secret that cannot be read opens nothing, and a recovery code still does', async () => {
    await h.db.sql("UPDATE second_factors SET secret = 'sealed:1:foreign0:AAAA'");
    const waiting = visitor(await freshSession(h, mirela));
    expect((await session(waiting)).code).toBe('TW0_FA_BLOCKED');
    expect(await verify(waiting, code(on.secret))).toMatchObject({ status: 422 });
    expect(await verify(waiting, nth(on.codes, 3))).toMatchObject({ status: 200 });
  });
});
