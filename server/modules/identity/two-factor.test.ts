import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DomainError } from '#shared/errors.ts';
import { DAY, MINUTE, SECOND } from '#shared/time.ts';
import { ctxOf } from '#tests/support/browser.ts';
import { codeOf, nth } from '#tests/support/coins.ts';
import { codeAt, freshSession, refusal, STEP, WRONG_CODE, wrongCode } from '#tests/support/factor.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { identityDeps, lateThrottle, plainPasswords, topicsDuring } from '#tests/support/identity.ts';
import { testLog } from '#tests/support/log.ts';
import type { SignedIn } from '../kernel.ts';
import type { IdentityDeps } from './deps.ts';
import { createTwoFactor } from './two-factor.ts';

let h: Harness;
let ann: Person;
let ctx: SignedIn;
beforeEach(async () => {
  h = await openHarness();
  ann = await h.person('ann');
  ctx = await ctxOf(h, ann.secret);
  await h.db.sql("UPDATE users SET password_hash = 'plain:right'");
});
afterEach(() => h.close());

const factor = (over: Partial<IdentityDeps> = {}) => createTwoFactor(identityDeps(h, over), lateThrottle(h));
const sessionOf = async (secret: string) => ctxOf(h, secret);
const another = async () => sessionOf(await freshSession(h, ann));
const row = async () => (await h.db.sql<Record<string, unknown>>('SELECT * FROM second_factors'))[0];
const audited = async () =>
  (await h.db.sql<{ action: string }>('SELECT action FROM audit ORDER BY id')).map(({ action }) => action);
const attempts = async () =>
  (await h.db.sql<{ key: string; count: number }>('SELECT key, count FROM attempts ORDER BY key')).map(
    ({ key, count }) => `${key}=${count}`,
  );
const trusted = async (device: string) =>
  h.db.uow.read((tx) => tx.factors.isTrustedDevice(ann.id, h.host.services.ids.hash(device)));
const passed = async (sessionId: string) =>
  (
    await h.db.sql<{ second_factor_ms: number | null }>('SELECT second_factor_ms FROM sessions WHERE id = ?', [
      sessionId,
    ])
  )[0]?.second_factor_ms;
const logInFrom = (device: string) =>
  h.db.uow.run((tx) => tx.identity.recordDevice(ann.id, h.host.services.ids.hash(device), h.clock.now()));
const TOPICS = () => [`account:${ann.id}`, `user:${ann.id}`];

/** Begins a set-up. Out: the secret for the app. */
async function begin(by = ctx): Promise<string> {
  await factor().begin(by, 'right');
  return (await factor().getState(by)).pending?.secret ?? '';
}
/** Switches the factor on in the session of `ctx`, and moves on by a step. */
async function switchOn(): Promise<{ secret: string; codes: readonly string[] }> {
  const secret = await begin();
  const codes = await factor().confirm(ctx, codeAt(secret, h.clock.now()));
  h.clock.advance(STEP);
  return { secret, codes };
}
const now = (secret: string) => codeAt(secret, h.clock.now());
const wrong = (secret: string) => wrongCode(secret, h.clock.now());

describe('a set-up of the second factor', () => {
  test('S11 the set-up is seen by the session that began it, for fifteen minutes, with what an app needs', async () => {
    await h.set({ app_name: 'Hosty' });
    expect(await factor().getState(ctx)).toEqual({
      enabled: false,
      hasPassword: true,
      recoveryLeft: 0,
      pending: null,
      confirmed: false,
    });
    const secret = await begin();
    expect(JSON.stringify(await row())).not.toContain(secret);
    const { pending } = await factor().getState(ctx);
    expect(decodeURIComponent(pending?.uri ?? '')).toStartWith('otpauth://totp/Hosty:ann?');
    expect((await factor().getState(await another())).pending).toBeNull();
    h.clock.advance(15 * MINUTE - 1);
    expect((await factor().getState(ctx)).pending?.secret).toBe(secret);
    h.clock.advance(1);
    expect((await factor().getState(ctx)).pending).toBeNull();
    expect(await codeOf(factor().confirm(ctx, now(secret)))).toBe('TWO_FACTOR_SETUP_OVER');
    expect(await begin()).not.toBe(secret);
  });

  test('T52 the password of a set-up is counted, a wrong one is named at its field, and the right one forgets them', async () => {
    const WRONG = { code: 'VALIDATION_FAILED', fields: { password: ['PASSWORD_WRONG'] } };
    expect(await refusal(factor().begin(ctx, 'wrong'))).toEqual(WRONG);
    expect(await attempts()).toEqual([`password:${ann.id}=1`]);
    for (let at = 1; at < 5; at += 1) expect(await refusal(factor().begin(ctx, 'wrong'))).toEqual(WRONG);
    expect(await codeOf(factor().begin(ctx, 'right'))).toBe('RATE_LIMITED');
    h.clock.advance(10 * SECOND);
    await factor().begin(ctx, 'right');
    expect(await attempts()).toEqual([]);
    const verify = () => Promise.reject(new DomainError('SERVER_UNAVAILABLE'));
    expect(await codeOf(factor({ passwords: { ...plainPasswords, verify } }).begin(ctx, 'right'))).toBe(
      'SERVER_UNAVAILABLE',
    );
    expect(await attempts()).toEqual([]);
  });

  test('T31 cancelling ends a set-up and leaves a factor that is on, and says whether one is', async () => {
    expect(await factor().cancel(ctx)).toBe(false);
    expect(await row()).toBeUndefined();
    const secret = await begin();
    expect(await factor().cancel(ctx)).toBe(false);
    expect(await row()).toMatchObject({ pending: null, pending_ms: null, pending_session: null });
    expect(await codeOf(factor().confirm(ctx, now(secret)))).toBe('TWO_FACTOR_SETUP_OVER');
    await switchOn();
    const on = await row();
    expect(await factor().cancel(ctx)).toBe(true);
    expect(await row()).toEqual(on);
  });

  test('T30 the right code switches the factor on: ten recovery codes, this session has passed, all others hear that they wait', async () => {
    const other = await another();
    await logInFrom('a-browser');
    const secret = await begin();
    const topics = [...TOPICS(), `session:${other.actor.sessionId}`, `session:${ctx.actor.sessionId}`].toSorted();
    let codes: readonly string[] = [];
    expect(
      await topicsDuring(h, topics, async () => (codes = await factor().confirm(ctx, now(secret), 'a-browser'))),
    ).toEqual(topics);
    expect(new Set(codes).size).toBe(10);
    expect(await row()).toMatchObject({
      enabled_ms: h.clock.now(),
      last_step: Math.floor(h.clock.now() / STEP),
      pending: null,
      pending_ms: null,
      pending_session: null,
    });
    expect([await passed(ctx.actor.sessionId), await passed(other.actor.sessionId)]).toEqual([h.clock.now(), null]);
    expect(await trusted('a-browser')).toBe(true);
    expect(await factor().getState(ctx)).toEqual({
      enabled: true,
      hasPassword: true,
      recoveryLeft: 10,
      pending: null,
      confirmed: false,
    });
    expect((await audited()).at(-1)).toBe('account.two_factor_on');
    expect([await codeOf(factor().begin(ctx, 'right')), await codeOf(factor().confirm(ctx, now(secret)))]).toEqual([
      'TWO_FACTOR_ON',
      'TWO_FACTOR_ON',
    ]);
  });

  test('T32 a wrong code of a set-up is counted, and five make the right one wait', async () => {
    const secret = await begin();
    for (let at = 0; at < 5; at += 1) expect(await refusal(factor().confirm(ctx, wrong(secret)))).toEqual(WRONG_CODE);
    const waiting = await factor()
      .confirm(ctx, now(secret))
      .catch((error: unknown) => error);
    expect(waiting).toMatchObject({ code: 'RATE_LIMITED', retryAfterS: 15 * 60 });
    expect(await factor().getState(ctx)).toMatchObject({ enabled: false });
  });

  test('T34 an account that is not active sets nothing up', async () => {
    await h.db.sql("UPDATE users SET status = 'banned'");
    expect(await codeOf(factor().begin(ctx, 'right'))).toBe('UNAUTHENTICATED');
    expect(await codeOf(factor().cancel(ctx))).toBe('UNAUTHENTICATED');
    expect(await codeOf(factor().confirm(ctx, '123456'))).toBe('UNAUTHENTICATED');
  });
});

describe('the second step', () => {
  test('T35 the right code gives the session another secret for thirty days, and its streams and caches hear of it', async () => {
    const { secret } = await switchOn();
    const waiting = await another();
    await logInFrom('a-browser');
    const id = waiting.actor.sessionId;
    const topics = [`rotated:${id}`, `session:${ctx.actor.sessionId}`, `session:${id}`];
    let fresh = '';
    expect(
      await topicsDuring(h, topics, async () => (fresh = await factor().verify(waiting, now(secret), 'a-browser'))),
    ).toEqual([`rotated:${id}`, `session:${id}`]);
    expect(await h.db.sql('SELECT token_hash, expires_ms FROM sessions WHERE id = ?', [id])).toEqual([
      { token_hash: h.host.services.ids.hash(fresh), expires_ms: h.clock.now() + 30 * DAY },
    ]);
    expect([await passed(id), await trusted('a-browser'), (await audited()).at(-1)]).toEqual([
      h.clock.now(),
      true,
      'account.second_factor',
    ]);
  });

  test('T32 a code opens once, and none that is older than the last', async () => {
    const { secret } = await switchOn();
    h.clock.advance(STEP);
    await factor().verify(ctx, now(secret));
    expect(await refusal(factor().verify(ctx, now(secret)))).toEqual(WRONG_CODE);
    expect(await refusal(factor().verify(ctx, codeAt(secret, h.clock.now() - STEP)))).toEqual(WRONG_CODE);
    h.clock.advance(STEP);
    await factor().verify(ctx, `${now(secret).slice(0, 3)} ${now(secret).slice(3)}`);
    expect(await attempts()).toEqual([]);
  });

  test('T32 wrong codes of the app are counted, five make all codes of the app wait, and no recovery code', async () => {
    const { secret, codes } = await switchOn();
    for (let at = 0; at < 5; at += 1) expect(await refusal(factor().verify(ctx, wrong(secret)))).toEqual(WRONG_CODE);
    const waiting = await factor()
      .verify(ctx, now(secret))
      .catch((error: unknown) => error);
    expect(waiting).toMatchObject({ code: 'RATE_LIMITED', retryAfterS: 15 * 60 });
    expect(await refusal(factor().verify(ctx, 'AAAAA-AAAAA'))).toEqual(WRONG_CODE);
    expect(await attempts()).toEqual([
      `factor:account:${ann.id}=5`,
      `factor:from:${ann.id}:198.51.100.9=5`,
      `factor:session:${ctx.actor.sessionId}=5`,
    ]);
    await factor().verify(ctx, nth(codes, 0).toLowerCase());
    expect(await attempts()).toEqual([]);
    expect(await refusal(factor().verify(ctx, nth(codes, 0)))).toEqual(WRONG_CODE);
    expect((await factor().getState(ctx)).recoveryLeft).toBe(9);
    const [notice] = await h.db.sql<{ data: string }>("SELECT data FROM notifications WHERE kind = 'recoveryCodeUsed'");
    expect(JSON.parse(notice?.data ?? '{}')).toMatchObject({ left: 9 });
  });

  test('S8 a browser that the factor was passed in is counted by itself', async () => {
    await logInFrom('a-browser');
    const { secret } = await switchOn();
    await factor().verify(ctx, now(secret), 'a-browser');
    h.clock.advance(STEP);
    expect(await refusal(factor().verify(ctx, wrong(secret), 'a-browser'))).toEqual(WRONG_CODE);
    const device = h.host.services.ids.hash('a-browser');
    expect(await attempts()).toEqual([
      `factor:device:${ann.id}:${device}=1`,
      `factor:session:${ctx.actor.sessionId}=1`,
    ]);
  });

  test('T32 a secret that cannot be read opens nothing, and the log says whose', async () => {
    const { secret, codes } = await switchOn();
    await h.db.sql("UPDATE second_factors SET secret = 'not sealed by us'");
    const log = testLog();
    expect(await refusal(factor({ log }).verify(ctx, now(secret)))).toEqual(WRONG_CODE);
    expect(log.lines).toMatchObject([{ event: 'second_factor.unreadable', fields: { user_id: ann.id } }]);
    await factor({ log }).verify(ctx, nth(codes, 1));
    expect(log.lines).toHaveLength(1);
  });

  test('T34 nobody passes without a factor, with an account that is not active or with a session that has ended', async () => {
    expect(await codeOf(factor().verify(ctx, '123456'))).toBe('TWO_FACTOR_OFF');
    const { secret, codes } = await switchOn();
    await h.db.sql('DELETE FROM sessions');
    expect(await codeOf(factor().verify(ctx, nth(codes, 0)))).toBe('UNAUTHENTICATED');
    expect((await factor().getState(ctx)).recoveryLeft).toBe(10);
    await h.db.sql("UPDATE users SET status = 'banned'");
    expect(await codeOf(factor().verify(ctx, now(secret)))).toBe('UNAUTHENTICATED');
  });
});

describe('a factor that is on', () => {
  test('T31 the factor goes by password and code together, with its codes, and every session hears of it', async () => {
    const { secret } = await switchOn();
    const other = await another();
    expect(await codeOf(factor().disable(ctx, { password: 'wrong', code: now(secret) }))).toBe('VALIDATION_FAILED');
    expect(await refusal(factor().disable(ctx, { password: 'right', code: wrong(secret) }))).toEqual(WRONG_CODE);
    expect((await factor().getState(ctx)).enabled).toBe(true);
    const topics = [...TOPICS(), `session:${other.actor.sessionId}`, `session:${ctx.actor.sessionId}`].toSorted();
    const code = now(secret);
    expect(await topicsDuring(h, topics, () => factor().disable(ctx, { password: 'right', code }))).toEqual(topics);
    expect(await factor().getState(ctx)).toEqual({
      enabled: false,
      hasPassword: true,
      recoveryLeft: 0,
      pending: null,
      confirmed: false,
    });
    expect((await audited()).at(-1)).toBe('account.two_factor_off');
    expect(await codeOf(factor().disable(ctx, { password: 'right', code }))).toBe('TWO_FACTOR_OFF');
  });

  test('T32 new recovery codes come by password and code together, end the old ones, and are audited', async () => {
    const { secret, codes } = await switchOn();
    expect(await codeOf(factor().renewCodes(ctx, { password: 'wrong', code: now(secret) }))).toBe('VALIDATION_FAILED');
    expect(await refusal(factor().renewCodes(ctx, { password: 'right', code: wrong(secret) }))).toEqual(WRONG_CODE);
    const fresh = await factor().renewCodes(ctx, { password: 'right', code: now(secret) });
    expect((await audited()).at(-1)).toBe('account.recovery_codes');
    expect(await refusal(factor().verify(ctx, nth(codes, 0)))).toEqual(WRONG_CODE);
    await factor().verify(ctx, nth(fresh, 0));
  });

  test('S8 switching off and new codes take the browser into account, as the second step does', async () => {
    await logInFrom('a-browser');
    const { secret } = await switchOn();
    await factor().verify(ctx, now(secret), 'a-browser');
    h.clock.advance(STEP);
    const typed = { password: 'right', code: wrong(secret) };
    expect(await refusal(factor().disable(ctx, typed, 'a-browser'))).toEqual(WRONG_CODE);
    expect(await refusal(factor().renewCodes(ctx, typed, 'a-browser'))).toEqual(WRONG_CODE);
    const device = h.host.services.ids.hash('a-browser');
    expect(await attempts()).toEqual([
      `factor:device:${ann.id}:${device}=2`,
      `factor:session:${ctx.actor.sessionId}=2`,
    ]);
  });

  test('the operator takes a factor away from who lost everything, and from nobody else', async () => {
    expect(await codeOf(factor().remove('nobody'))).toBe('NOT_FOUND');
    expect(await codeOf(factor().remove('ann'))).toBe('TWO_FACTOR_OFF');
    await begin();
    expect(await codeOf(factor().remove('ann'))).toBe('TWO_FACTOR_OFF');
    await switchOn();
    const topics = [...TOPICS(), `session:${ctx.actor.sessionId}`].toSorted();
    expect(await topicsDuring(h, topics, () => factor().remove('ann@example.com'))).toEqual(topics);
    expect((await factor().getState(ctx)).enabled).toBe(false);
  });
});

describe('recovery codes from before there was a key', () => {
  test('S11 every old hash is put under the key at the start, however many there are, and its code goes on working', async () => {
    const { codes } = await switchOn();
    const { ids } = h.host.services;
    const plain = codes.map((code) => ids.hash(`recovery:${ann.id}:${code.replace('-', '')}`));
    const more = Array.from({ length: 495 }, (_, at) => ids.hash(`more-${at}`));
    await h.db.uow.run((tx) => tx.factors.replaceCodes(ann.id, [...plain, ...more]));
    expect(await h.db.uow.read((tx) => tx.factors.listUnkeyedCodes(1000))).toHaveLength(505);
    await factor().rehashOldCodes();
    expect(await h.db.uow.read((tx) => tx.factors.listUnkeyedCodes(1000))).toHaveLength(0);
    await factor().rehashOldCodes();
    await factor().verify(ctx, nth(codes, 3));
    expect((await factor().getState(ctx)).recoveryLeft).toBe(504);
  });
});

describe('a second factor of an account without a password', () => {
  test('T31 such an account is asked for a code alone, and says that it has no password', async () => {
    await switchOn();
    expect((await factor().getState(ctx)).hasPassword).toBe(true);
    await h.db.sql("UPDATE users SET password_hash = ''");
    expect((await factor().getState(ctx)).hasPassword).toBe(false);
    h.clock.advance(15 * MINUTE);
    expect((await refusal(factor().disable(ctx, {})))?.fields).toEqual({ code: ['REQUIRED'] });
  });
});

test('T31 a set-up that is begun with a wrong password has begun nothing', async () => {
  expect(await codeOf(factor().begin(ctx, 'wrong'))).toBe('VALIDATION_FAILED');
  expect([(await row())?.pending ?? null, (await factor().getState(ctx)).pending]).toEqual([null, null]);
});

test('T32 codes wait to the last second of the fifteen minutes', async () => {
  const { secret } = await switchOn();
  const other = await another();
  for (let count = 0; count < 5; count += 1) await codeOf(factor().verify(other, wrong(secret)));
  h.clock.advance(15 * MINUTE - SECOND);
  expect(await codeOf(factor().verify(other, now(secret)))).toBe('RATE_LIMITED');
  h.clock.advance(SECOND);
  expect(await codeOf(factor().verify(other, now(secret)))).toBeNull();
});
