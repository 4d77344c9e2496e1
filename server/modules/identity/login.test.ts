import { createViewing } from './viewing.ts';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DomainError } from '#shared/errors.ts';
import { HOUR, SECOND } from '#shared/time.ts';
import { FIREFOX, guestCtx } from '#tests/support/browser.ts';
import { codeOf } from '#tests/support/coins.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { identityDeps, lateThrottle, plainPasswords, topicsDuring } from '#tests/support/identity.ts';
import type { Tx } from '../tx.ts';
import type { IdentityDeps } from './deps.ts';
import { accountTriesKey, createLogin, deviceTriesPrefix } from './login.ts';
import { createSessionOpener } from './open-session.ts';
import type { Passwords } from './ports.ts';
import { createSessions } from './sessions.ts';

let h: Harness;
let ann: Person;
beforeEach(async () => {
  h = await openHarness();
  ann = await h.person('ann');
  await h.db.sql("UPDATE users SET password_hash = 'plain:right'");
});
afterEach(() => h.close());

const HOME = 'the-browser-at-home';
const CTX = guestCtx({ address: '203.0.113.7' });

/** Logs in as the product does, but for what is given otherwise. */
function loginWith(over: Partial<IdentityDeps> = {}) {
  const deps = identityDeps(h, over);
  const throttle = lateThrottle(h);
  const { login } = createLogin(deps, createSessionOpener(deps, createSessions(deps, createViewing(deps))), throttle);
  return ({
    name = 'ann',
    password = 'right',
    device = HOME,
    secret = null,
    ctx = CTX,
    challenge = undefined,
  }: Try = {}) => login(ctx, { login: name, password, challenge }, { secret, device });
}
interface Try {
  readonly name?: string;
  readonly password?: string;
  readonly device?: string;
  readonly secret?: string | null;
  readonly ctx?: typeof CTX;
  readonly challenge?: string | undefined;
}
/** The counters that stand at something. */
const counters = async () =>
  Object.fromEntries(
    (await h.db.sql<{ key: string; count: number }>('SELECT key, count FROM attempts')).map((row) => [
      row.key,
      row.count,
    ]),
  );
const PLACE = 'login:from:203.0.113.7';
const own = (device: string) => `${deviceTriesPrefix(ann.id)}${h.host.services.ids.hash(device)}`;
const audited = async () =>
  h.db.sql<Record<string, unknown>>(
    "SELECT action, actor_id, target FROM audit WHERE action IN ('account.login', 'account.ban_over') ORDER BY id",
  );

describe('the counters of a log-in', () => {
  test('T52 a wrong password counts at the account and at the place, and a right one forgets those of the account alone', async () => {
    const login = loginWith();
    for (const count of [1, 2]) {
      expect(await codeOf(login({ password: 'wrong' }))).toBe('LOGIN_FAILED');
      expect(await counters()).toEqual({ [accountTriesKey(ann.id)]: count, [PLACE]: count });
    }
    await login();
    expect(await counters()).toEqual({ [PLACE]: 2 });
  });

  test('T52 five wrong passwords are free, and a try while waiting is neither checked nor counted', async () => {
    let checks = 0;
    const verify: Passwords['verify'] = (password, hash) => {
      checks += 1;
      return plainPasswords.verify(password, hash);
    };
    const login = loginWith({ passwords: { ...plainPasswords, verify } });
    for (let at = 0; at < 5; at += 1) expect(await codeOf(login({ password: 'wrong' }))).toBe('LOGIN_FAILED');
    expect(await codeOf(login())).toBe('RATE_LIMITED');
    expect([checks, await counters()]).toEqual([5, { [accountTriesKey(ann.id)]: 5, [PLACE]: 5 }]);
    h.clock.advance(10 * SECOND);
    await login();
    expect(checks).toBe(6);
  });

  test('T52 the place waits after as many failures as the setting says, under whatever name', async () => {
    await h.set({ limit_login_failures: 20 });
    const login = loginWith();
    for (let at = 0; at < 20; at += 1) expect(await codeOf(login({ name: `nobody${at}` }))).toBe('LOGIN_FAILED');
    expect(await codeOf(login())).toBe('RATE_LIMITED');
    expect(await codeOf(login({ ctx: guestCtx({ address: '203.0.113.8' }) }))).toBeNull();
    expect(await counters()).toMatchObject({ [PLACE]: 20 });
  });

  test('S8 a browser the user has logged in from is counted by itself, and its counter is forgotten with the right password', async () => {
    const login = loginWith();
    await login();
    expect(await codeOf(login({ password: 'wrong' }))).toBe('LOGIN_FAILED');
    expect(await counters()).toEqual({ [own(HOME)]: 1 });
    expect(await codeOf(login({ password: 'wrong', device: 'another-browser' }))).toBe('LOGIN_FAILED');
    expect(await counters()).toEqual({ [own(HOME)]: 1, [accountTriesKey(ann.id)]: 1, [PLACE]: 1 });
    await login();
    expect(await counters()).toEqual({ [accountTriesKey(ann.id)]: 1, [PLACE]: 1 });
  });

  test('T36 a deleted account and a name that nobody has are refused and counted as any wrong password is', async () => {
    const login = loginWith();
    await login();
    await h.db.sql("UPDATE users SET status = 'deleted'");
    // Also from the browser that was known once.
    expect(await codeOf(login())).toBe('LOGIN_FAILED');
    expect(await counters()).toEqual({ [accountTriesKey(ann.id)]: 1, [PLACE]: 1 });
    await h.db.sql('DELETE FROM attempts');
    expect(await codeOf(login({ name: 'nobody' }))).toBe('LOGIN_FAILED');
    const name = `login:name:${h.host.services.ids.hash('nobody')}`;
    expect(await counters()).toEqual({ [name]: 1, [PLACE]: 1 });
  });

  test('T36 the password of an account that is not there is checked against nothing, as long as any', async () => {
    const hashes: (string | null)[] = [];
    const login = loginWith({
      passwords: { ...plainPasswords, verify: async (_, hash) => hashes.push(hash) < 0 },
    });
    await codeOf(login({ name: 'nobody' }));
    await codeOf(login());
    await h.db.sql("UPDATE users SET status = 'deleted'");
    await codeOf(login());
    expect(hashes).toEqual([null, 'plain:right', null]);
  });

  test('a try whose password could not be checked is refunded before the caller hears of it', async () => {
    const login = loginWith({
      passwords: { ...plainPasswords, verify: () => Promise.reject(new DomainError('SERVER_UNAVAILABLE')) },
    });
    expect(await codeOf(login())).toBe('SERVER_UNAVAILABLE');
    expect(await counters()).toEqual({});
  });

  test('T34 what happened while the password was being checked counts, and only a wrong password stays counted', async () => {
    const during = (text: string) =>
      loginWith({
        passwords: {
          ...plainPasswords,
          verify: async (password, hash) => {
            await h.db.sql(text);
            return plainPasswords.verify(password, hash);
          },
        },
      })();
    expect(await codeOf(during('UPDATE users SET password_version = password_version + 1'))).toBe('LOGIN_FAILED');
    expect(await counters()).toEqual({ [accountTriesKey(ann.id)]: 1, [PLACE]: 1 });
    expect(await codeOf(during("UPDATE users SET status = 'banned'"))).toBe('ACCOUNT_BANNED');
    expect(await counters()).toEqual({ [PLACE]: 1 });
    expect(await codeOf(during("UPDATE users SET status = 'deleted'"))).toBe('LOGIN_FAILED');
    expect(await h.db.sql('SELECT id FROM sessions')).toHaveLength(1);
  });
});

describe('the challenge before a log-in', () => {
  test('S3 the challenge is verified from the set number of failures on, before the try is counted', async () => {
    await h.set({ challenge_login_after: 2 });
    const asked: unknown[][] = [];
    const login = loginWith({
      challenge: {
        kind: () => 'altcha',
        verify: async (...given) => {
          asked.push(given);
          await Bun.sleep(0);
          if (given[2] !== 'solved') throw new DomainError('CHALLENGE_REQUIRED');
        },
      },
    });
    for (let at = 0; at < 2; at += 1) expect(await codeOf(login({ password: 'wrong' }))).toBe('LOGIN_FAILED');
    expect(asked).toEqual([]);
    expect(await codeOf(login())).toBe('CHALLENGE_REQUIRED');
    expect(await counters()).toEqual({ [accountTriesKey(ann.id)]: 2, [PLACE]: 2 });
    expect(await codeOf(login({ challenge: 'solved' }))).toBeNull();
    expect(asked).toEqual([
      ['login', { ctx: CTX, device: HOME }, undefined],
      ['login', { ctx: CTX, device: HOME }, 'solved'],
    ]);
  });

  test('no challenge is asked for where it is off', async () => {
    await h.set({ challenge_login_after: 1 });
    const login = loginWith({
      challenge: { kind: () => 'off', verify: () => Promise.reject(new DomainError('CHALLENGE_REQUIRED')) },
    });
    expect(await codeOf(login({ password: 'wrong' }))).toBe('LOGIN_FAILED');
    expect(await codeOf(login())).toBeNull();
  });
});

describe('the session that a log-in opens', () => {
  test('T35 the session takes the place of the one the browser had, and is audited', async () => {
    const login = loginWith();
    const opened = await login({ secret: ann.secret });
    expect(await h.db.sql('SELECT id, user_id, token_hash FROM sessions')).toEqual([
      { id: opened.sessionId, user_id: ann.id, token_hash: h.host.services.ids.hash(opened.secret) },
    ]);
    expect(await audited()).toEqual([{ action: 'account.login', actor_id: ann.id, target: ann.id }]);
  });

  test('a user is notified of each browser that is new but the first, by its name or by none', async () => {
    const login = loginWith();
    const notified = async () => {
      const rows = await h.db.sql<{ data: string }>(
        "SELECT data FROM notifications WHERE kind = 'newDevice' ORDER BY id",
      );
      return rows.map(({ data }) => JSON.parse(data) as unknown);
    };
    await login();
    await login();
    expect(await notified()).toEqual([]);
    await login({ device: 'the-second', ctx: { ...CTX, userAgent: FIREFOX } });
    await login({ device: 'the-third', ctx: { ...CTX, userAgent: '' } });
    await login({ device: 'the-third' });
    expect(await notified()).toMatchObject([
      { device: 'Firefox · Linux', address: '203.0.113.7' },
      { device: '–', address: '203.0.113.7' },
    ]);
  });

  test('T34 a ban without end or whose end is to come refuses, and one that is over goes with the log-in', async () => {
    const login = loginWith();
    const stored = async () => h.db.sql('SELECT status, ban_reason, banned_until_ms FROM users');
    await h.host.services.identity.ban(null, ann.id, { reason: 'spam', untilMs: null });
    expect(await codeOf(login())).toBe('ACCOUNT_BANNED');
    expect(await codeOf(login({ password: 'wrong' }))).toBe('LOGIN_FAILED');
    const untilMs = h.clock.now() + HOUR;
    await h.host.services.identity.ban(null, ann.id, { reason: 'spam', untilMs });
    h.clock.advance(HOUR - 1);
    expect(await codeOf(login())).toBe('ACCOUNT_BANNED');
    expect(await stored()).toEqual([{ status: 'banned', ban_reason: 'spam', banned_until_ms: untilMs }]);
    expect([await audited(), await h.db.sql('SELECT id FROM sessions')]).toEqual([[], []]);
    h.clock.advance(1);
    const topics = [`account:${ann.id}`, `user:${ann.id}`];
    expect(await topicsDuring(h, topics, () => login())).toEqual(topics);
    expect(await stored()).toEqual([{ status: 'active', ban_reason: null, banned_until_ms: null }]);
    expect((await audited()).map(({ action }) => action)).toEqual(['account.ban_over', 'account.login']);
  });

  test('T34 whoever hears that a ban is over finds the account active', async () => {
    const heard: unknown[] = [];
    const emit = (async (tx: Tx, name: string) => {
      heard.push([name, (await tx.identity.findUser(ann.id))?.status]);
    }) as IdentityDeps['events']['emit'];
    await h.host.services.identity.ban(null, ann.id, { reason: 'spam', untilMs: h.clock.now() + 1 });
    h.clock.advance(1);
    await loginWith({ events: { emit } })();
    expect(heard).toEqual([['user.ban_expired', 'active']]);
  });
});
