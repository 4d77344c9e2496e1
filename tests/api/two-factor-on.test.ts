import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { liveHandlers } from '#server/api/live.ts';
import { SECOND } from '#shared/time.ts';
import { ctxOf, type Browser } from '#tests/support/browser.ts';
import { atOnce, codeOf, nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
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
  wrongCode,
  type FactorOf,
} from '#tests/support/factor.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { fakeTimer } from '#tests/support/timer.ts';

let h: Harness;
let mirela: Person;
beforeEach(async () => {
  h = await openHarness();
  mirela = await h.person('mirela.v');
});
afterEach(() => h.close());

const factorOf = (own: Harness = h) => own.host.services.identity.twoFactor;
const visitor = (secret?: string) => visitorOf(h, secret);
const code = (secret: string, steps = 0) => codeAt(secret, h.clock.now() + steps * STEP);
const verify = (browser: Browser, text: string) => browser.send('POST', '/api/auth/2fa/verify', { code: text });
const session = (browser: Browser) => browser.send('GET', '/api/user/session');

describe('a factor that is on', () => {
  let on: FactorOf;
  beforeEach(async () => void (on = await switchOn(h, mirela)));

  test('T31 the factor is switched off by password and code, not by one of them', async () => {
    const browser = visitor(mirela.secret);
    const other = visitor(await freshSession(h, mirela));
    const off = (input: object) => browser.send('POST', '/api/auth/2fa/disable', input);
    expect(await off({ password: PASSWORD })).toMatchObject({ status: 422 });
    expect(await off({ code: code(on.secret) })).toMatchObject({ status: 422 });
    expect(await off({ password: 'not the password', code: code(on.secret) })).toMatchObject({
      status: 422,
      body: { fields: { password: ['PASSWORD_WRONG'] } },
    });
    expect(await off({ password: PASSWORD, code: wrongCode(on.secret, h.clock.now()) })).toMatchObject({
      status: 422,
      body: { fields: { code: ['CODE_WRONG'] } },
    });
    expect((await browser.send('GET', '/api/auth/2fa')).body).toMatchObject({ enabled: true });
    expect(
      await other.send('POST', '/api/auth/2fa/disable', { password: PASSWORD, code: code(on.secret) }),
    ).toMatchObject({ status: 403, code: 'TW0_FA_BLOCKED' });
    expect(await off({ password: PASSWORD, code: code(on.secret) })).toMatchObject({ status: 200 });
    expect((await session(other)).code).toBeNull();
    expect([await h.db.sql('SELECT * FROM second_factors'), await h.db.sql('SELECT * FROM recovery_codes')]).toEqual([
      [],
      [],
    ]);
    expect(await auditedOf(h)).toEqual(['account.two_factor_on', 'account.two_factor_off']);
    expect(await notificationsOf(h)).toEqual(['twoFactorOn', 'twoFactorOff']);
    expect(
      (await h.db.sql<{ template: string }>('SELECT template FROM mails ORDER BY id')).map((mail) => mail.template),
    ).toEqual(['twoFactorOn', 'twoFactorOff']);
    expect(await off({ password: PASSWORD, code: code(on.secret, 1) })).toMatchObject({
      status: 409,
      code: 'TWO_FACTOR_OFF',
    });
  });

  test('T31 guessing the password there is slowed down', async () => {
    const ctx = await ctxOf(h, mirela.secret);
    const guess = () => refusal(factorOf().disable(ctx, { password: 'not the password', code: code(on.secret) }));
    for (let i = 0; i < 5; i += 1)
      expect(await guess()).toEqual({ code: 'VALIDATION_FAILED', fields: { password: ['PASSWORD_WRONG'] } });
    expect(await guess()).toMatchObject({ code: 'RATE_LIMITED' });
  });

  test('T32 new recovery codes end the old ones', async () => {
    const browser = visitor(mirela.secret);
    const renewed = await browser.send('POST', '/api/auth/2fa/recovery', { password: PASSWORD, code: code(on.secret) });
    const codes = renewed.body.recovery_codes as string[];
    expect(codes).toHaveLength(10);
    expect(codes.filter((each) => on.codes.includes(each))).toEqual([]);
    expect(await verify(visitor(await freshSession(h, mirela)), nth(on.codes, 1))).toMatchObject({ status: 422 });
    expect(await verify(visitor(await freshSession(h, mirela)), nth(codes, 1))).toMatchObject({ status: 200 });
    expect(await auditedOf(h)).toContain('account.recovery_codes');
  });

  test('T30 a new password ends the sessions, and the factor stays', async () => {
    await visitor(mirela.secret).send('POST', '/api/account/password', {
      current: PASSWORD,
      password: 'another good phrase',
    });
    const browser = visitor();
    expect(
      (await browser.send('POST', '/api/auth/login', { login: 'mirela.v', password: 'another good phrase' })).body,
    ).toMatchObject({ second_factor: true });
    expect((await session(browser)).code).toBe('TW0_FA_BLOCKED');
  });

  test('the operator takes it away from who lost everything', async () => {
    const waiting = visitor(await freshSession(h, mirela));
    expect(await codeOf(factorOf().remove('nobody'))).toBe('NOT_FOUND');
    await factorOf().remove('MIRELA.V@example.com');
    expect((await session(waiting)).code).toBeNull();
    expect(await codeOf(factorOf().remove('mirela.v'))).toBe('TWO_FACTOR_OFF');
    expect(await auditedOf(h)).toEqual(['account.two_factor_on', 'account.two_factor_off']);
  });
});

describe.each(ENGINES)('fifty at once on %s', (engine) => {
  let own: Harness;
  let person: Person;
  let on: FactorOf;
  beforeEach(async () => {
    own = await openHarness({ engine });
    person = await own.person('racer');
    on = await switchOn(own, person);
  });
  afterEach(() => own.close());
  const contexts = async () => ctxOf(own, await freshSession(own, person));

  test('T32 one code opens one session', async () => {
    const ctxs = await Promise.all(Array.from({ length: 10 }, contexts));
    const now = codeAt(on.secret, own.clock.now());
    const tally = await atOnce(50, (i) => factorOf(own).verify(nth(ctxs, i % 10), now));
    expect(tally).toEqual({ ok: 1, VALIDATION_FAILED: 5, RATE_LIMITED: 44 });
    expect(await own.db.sql('SELECT id FROM sessions WHERE second_factor_ms IS NOT NULL')).toHaveLength(2);
  });

  test('T32 one recovery code opens one session', async () => {
    const ctxs = await Promise.all(Array.from({ length: 10 }, contexts));
    const tally = await atOnce(50, (i) => factorOf(own).verify(nth(ctxs, i % 10), nth(on.codes, 4)));
    expect(tally).toEqual({ ok: 1, VALIDATION_FAILED: 49 });
    expect(await own.db.sql('SELECT code_hash FROM recovery_codes WHERE used_ms IS NOT NULL')).toHaveLength(1);
  });

  test('T32 five of fifty guesses are checked', async () => {
    const ctx = await contexts();
    expect(await atOnce(50, () => factorOf(own).verify(ctx, wrongCode(on.secret, own.clock.now())))).toEqual({
      VALIDATION_FAILED: 5,
      RATE_LIMITED: 45,
    });
  });

  test('the repository alone gives a recovery code out once, and keeps a row for each user', async () => {
    const [row] = await own.db.sql<{ code_hash: string }>('SELECT code_hash FROM recovery_codes');
    const used = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        own.db.uow.run((tx) => tx.factors.useCode(person.id, row?.code_hash ?? '', 1000 + i)),
      ),
    );
    expect(used.filter(Boolean)).toHaveLength(1);
    expect(await own.db.uow.read((tx) => tx.factors.countUnusedCodes(person.id))).toBe(9);
    const other = await own.person('other');
    const kept = {
      userId: other.id,
      secret: 's',
      enabledMs: 1,
      lastStep: 2,
      pending: 'p',
      pendingMs: 3,
      pendingSession: 's',
    };
    await own.db.uow.run(async (tx) => {
      await tx.factors.save({ ...kept, secret: null });
      await tx.factors.save(kept);
    });
    expect(await own.db.uow.read((tx) => tx.factors.find(other.id))).toEqual(kept);
    await own.db.uow.run((tx) => tx.factors.remove(other.id));
    expect(await own.db.uow.read((tx) => tx.factors.find(other.id))).toBeNull();
    expect(await own.db.uow.read((tx) => tx.factors.countUnusedCodes(person.id))).toBe(9);
  });

  test('fifty confirmations switch on once, with one set of codes', async () => {
    const ana = await own.person('ana.b');
    const secret = await beginFactor(own, ana);
    const ctx = await ctxOf(own, ana.secret);
    const now = codeAt(secret, own.clock.now());
    expect(await atOnce(50, () => factorOf(own).confirm(ctx, now))).toEqual({ ok: 1, TWO_FACTOR_ON: 49 });
    expect(await own.db.uow.read((tx) => tx.factors.countUnusedCodes(ana.id))).toBe(10);
  });
});

describe('who must have one (force_2fa)', () => {
  const account = (person: Person) => visitorOf(h, person.secret).send('GET', '/api/account');
  const standing = async (person: Person) =>
    ((await session(visitor(person.secret))).body.user_info as { second_factor: string }).second_factor;

  test('T30 the setting (nobody, staff, all) holds at once, also for sessions that are open', async () => {
    const staff = await h.person('staff.s', { permissions: ['admin.users.list'] });
    const both = async () => [
      await standing(mirela),
      (await account(mirela)).code,
      await standing(staff),
      (await account(staff)).code,
    ];
    expect(await both()).toEqual(['off', null, 'off', null]);
    await h.set({ force_2fa: 'staff' });
    expect(await both()).toEqual(['off', null, 'required', 'TWO_FACTOR_REQUIRED']);
    await h.set({ force_2fa: 'all' });
    expect(await both()).toEqual(['required', 'TWO_FACTOR_REQUIRED', 'required', 'TWO_FACTOR_REQUIRED']);
    await h.set({ force_2fa: 'nobody' });
    expect(await both()).toEqual(['off', null, 'off', null]);
    expect(await codeOf(h.set({ force_2fa: 'everyone' }))).toBe('VALIDATION_FAILED');
  });

  test('T30 setting one up opens the rest, and switching it off shuts it again', async () => {
    await h.set({ force_2fa: 'all' });
    const browser = visitor(mirela.secret);
    await browser.send('POST', '/api/auth/2fa/setup', { password: PASSWORD });
    const { pending } = (await browser.send('GET', '/api/auth/2fa')).body as { pending: { secret: string } };
    expect(await account(mirela)).toMatchObject({ status: 403, code: 'TWO_FACTOR_REQUIRED' });
    expect(await browser.send('POST', '/api/auth/2fa/setup/confirm', { code: code(pending.secret) })).toMatchObject({
      status: 200,
    });
    expect([await standing(mirela), (await account(mirela)).code]).toEqual(['on', null]);
    expect(
      await browser.send('POST', '/api/auth/2fa/disable', { password: PASSWORD, code: code(pending.secret, 1) }),
    ).toMatchObject({ status: 200 });
    expect([await standing(mirela), (await account(mirela)).code]).toEqual(['required', 'TWO_FACTOR_REQUIRED']);
  });

  test('a new account meets it as well', async () => {
    await h.set({ force_2fa: 'all' });
    const browser = visitor();
    await browser.send('POST', '/api/auth/register', {
      username: 'new.n',
      email: 'new@example.com',
      password: PASSWORD,
      first_name: 'New',
      last_name: 'Person',
      terms: true,
    });
    expect((await session(browser)).body.user_info).toMatchObject({ second_factor: 'required' });
    expect(await browser.send('POST', '/api/earn/redeem', { code: 'WELCOME' })).toMatchObject({
      status: 403,
      code: 'TWO_FACTOR_REQUIRED',
    });
  });
});

describe('live updates', () => {
  async function stream(secret: string) {
    const timer = fakeTimer(h.clock);
    const live = liveHandlers({ bus: h.db.bus, identity: h.host.services.identity, timer });
    const cookies = { get: () => null, set: () => undefined };
    const ctx = {
      ...(await ctxOf(h, secret)),
      secret,
      cookies,
      header: () => null,
      signal: new AbortController().signal,
    };
    const events = (await live.events(ctx, { params: undefined, query: {}, body: undefined }))[Symbol.asyncIterator]();
    /** Everything the stream says until it ends. */
    const toTheEnd = async () => {
      const words: string[] = [];
      for (let step = await events.next(); !step.done; step = await events.next()) words.push(step.value.event);
      return words;
    };
    return { timer, events, toTheEnd };
  }

  test('T30 the stream of a session that has to wait from now on ends at once, with a last word, and the one that passed stays', async () => {
    const other = await stream(await freshSession(h, mirela));
    const own = await stream(mirela.secret);
    const ending = other.toTheEnd();
    await switchOn(h, mirela);
    expect((await ending).at(-1)).toBe('session');
    expect(other.timer.waiting).toBe(0);
    h.db.bus.publish([`servers:${mirela.id}`]);
    const words: (string | undefined)[] = [];
    while (words.at(-1) !== 'servers') {
      const step = await own.events.next();
      words.push(step.done ? 'ended' : step.value.event);
      if (step.done) break;
    }
    expect(words.at(-1)).toBe('servers');
    await own.events.return?.();
  });

  test('T30 the stream of a user who has to set one up first ends with the next beat', async () => {
    const line = await stream(mirela.secret);
    await h.set({ force_2fa: 'all' });
    h.clock.advance(25 * SECOND);
    line.timer.run();
    expect((await line.toTheEnd()).at(-1)).toBe('session');
  });
});
