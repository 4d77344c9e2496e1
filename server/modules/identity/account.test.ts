import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DomainError } from '#shared/errors.ts';
import { DAY, SECOND } from '#shared/time.ts';
import { ctxOf } from '#tests/support/browser.ts';
import { codeOf } from '#tests/support/coins.ts';
import { refusal } from '#tests/support/factor.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { identityDeps, lateThrottle, plainPasswords, topicsDuring } from '#tests/support/identity.ts';
import type { SignedIn } from '../kernel.ts';
import { createAccount } from './account.ts';
import type { Passwords } from './ports.ts';

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

const account = (passwords: Partial<Passwords> = {}) =>
  createAccount(identityDeps(h, { passwords: { ...plainPasswords, ...passwords } }), lateThrottle(h));
const NEW = 'a whole new sentence';
const attempts = () => h.db.sql('SELECT key, count FROM attempts');
const stored = async () => (await h.db.sql<Record<string, unknown>>('SELECT * FROM users'))[0];
const audited = async () =>
  h.db.sql<Record<string, unknown>>('SELECT action, actor_id, target, before, after FROM audit ORDER BY id');
const COUNTED = () => [{ key: `password:${ann.id}`, count: 1 }];
const field = (name: string, code: string) => ({ code: 'VALIDATION_FAILED', fields: { [name]: [code] } });

describe('the profile', () => {
  test('a change of the profile is stored and audited, and all who keep something of the user hear of it', async () => {
    const topics = [`account:${ann.id}`, `user:${ann.id}`];
    const change = { first_name: 'Ann', last_name: 'Bee', locale: 'ro' } as const;
    expect(await topicsDuring(h, topics, () => account().updateProfile(ctx, change))).toEqual(topics);
    expect(await stored()).toMatchObject({ first_name: 'Ann', last_name: 'Bee', locale: 'ro' });
    expect(await account().getProfile(ctx)).toMatchObject({ user: { firstName: 'Ann' }, role: { key: 'member' } });
    const [row] = (await audited()).filter(({ action }) => action === 'account.profile');
    expect(row).toMatchObject({ actor_id: ann.id, target: ann.id });
    expect([JSON.parse(String(row?.before)), JSON.parse(String(row?.after))]).toEqual([
      { first_name: 'Test', last_name: 'Person', locale: 'en', time_zone: null },
      { ...change, time_zone: null },
    ]);
  });

  test('panels hear of another first or last name, and of nothing else', async () => {
    const heard: string[] = [];
    const emit = (async (_: unknown, name: string) => void heard.push(name)) as never;
    const { updateProfile } = createAccount(identityDeps(h, { events: { emit } }), lateThrottle(h));
    const same = { first_name: 'Test', last_name: 'Person', locale: 'de' } as const;
    await updateProfile(ctx, same);
    expect(heard).toEqual([]);
    await updateProfile(ctx, { ...same, first_name: 'Ann' });
    await updateProfile(ctx, { ...same, first_name: 'Ann', last_name: 'Bee' });
    expect(heard).toEqual(['user.renamed', 'user.renamed']);
  });

  test('an account that went away meanwhile has no profile', async () => {
    const gone = { ...ctx, actor: { ...ctx.actor, userId: '01890000-0000-7000-8000-000000000000' } };
    expect(await codeOf(account().getProfile(gone))).toBe('UNAUTHENTICATED');
    const change = { first_name: 'Ann', last_name: 'Bee', locale: 'ro' } as const;
    expect(await codeOf(account().updateProfile(gone, change))).toBe('UNAUTHENTICATED');
  });
});

describe('a new password', () => {
  const change = (current: string, password: string, passwords: Partial<Passwords> = {}) =>
    account(passwords).changePassword(ctx, { current, password });

  test('T35 a new password gives the session a new secret for thirty days and ends all others, whose pages are notified', async () => {
    const other = await h.host.services.identity.openSession(ann.id, { address: '192.0.2.1', userAgent: '' });
    const own = ctx.actor.sessionId;
    const topics = [
      `account:${ann.id}`,
      `rotated:${other.sessionId}`,
      `rotated:${own}`,
      `session:${other.sessionId}`,
      `session:${own}`,
      `user:${ann.id}`,
    ];
    let secret = '';
    expect(await topicsDuring(h, topics, async () => (secret = await change('right', NEW)))).toEqual(
      topics.filter((topic) => topic !== `rotated:${other.sessionId}`).toSorted(),
    );
    expect(await h.db.sql('SELECT id, token_hash, expires_ms FROM sessions')).toEqual([
      { id: own, token_hash: h.host.services.ids.hash(secret), expires_ms: h.clock.now() + 30 * DAY },
    ]);
    expect(await stored()).toMatchObject({ password_hash: `plain:${NEW}`, password_version: 2 });
    expect((await audited()).map(({ action }) => action)).toContain('account.password');
  });

  test('T52 a wrong current password is counted, the fifth makes the next wait, and the right one forgets them', async () => {
    expect(await refusal(change('wrong', NEW))).toEqual(field('current', 'PASSWORD_WRONG'));
    expect(await attempts()).toEqual(COUNTED());
    // A common one is told only to who knows the current one.
    expect(await refusal(change('wrong', 'password123'))).toEqual(field('current', 'PASSWORD_WRONG'));
    for (let at = 2; at < 5; at += 1) expect(await codeOf(change('wrong', NEW))).toBe('VALIDATION_FAILED');
    expect(await codeOf(change('right', NEW))).toBe('RATE_LIMITED');
    h.clock.advance(10 * SECOND);
    await change('right', NEW);
    expect(await attempts()).toEqual([]);
  });

  test('a common password, or one made of the own name or address, is refused at its field, and forgets wrong tries', async () => {
    await h.db.sql("UPDATE users SET username = 'annabella', email = 'violetta.bee@example.com'");
    await codeOf(change('wrong', NEW));
    for (const password of ['password123', 'annabella', 'violetta.bee'])
      expect(await refusal(change('right', password))).toEqual(field('password', 'PASSWORD_COMMON'));
    expect([await attempts(), (await stored())?.password_version]).toEqual([[], 1]);
  });

  test('a try that could not be checked, or whose new password could not be hashed, is refunded first', async () => {
    const fail = () => Promise.reject(new DomainError('SERVER_UNAVAILABLE'));
    expect(await codeOf(change('right', NEW, { verify: fail }))).toBe('SERVER_UNAVAILABLE');
    expect(await attempts()).toEqual([]);
    expect(await codeOf(change('right', NEW, { hash: fail }))).toBe('SERVER_UNAVAILABLE');
    expect(await attempts()).toEqual([]);
  });

  test('T34 a session that ended while the password was hashed changes nothing', async () => {
    const hash = async (password: string) => {
      await h.db.sql('DELETE FROM sessions');
      return `plain:${password}`;
    };
    expect(await codeOf(change('right', NEW, { hash }))).toBe('UNAUTHENTICATED');
    expect(await stored()).toMatchObject({ password_hash: 'plain:right', password_version: 1 });
  });
});

describe('a user whom the operator makes', () => {
  const bob = {
    username: 'bob',
    email: 'bob@example.com',
    password: NEW,
    first_name: 'B',
    last_name: 'O',
    locale: 'de',
    role: 'support',
  } as const;

  test('a user whom the operator makes has the role, a confirmed address and a row in the audit log by nobody', async () => {
    const id = await account().createUser(bob);
    const [row] = await h.db.sql<Record<string, unknown>>('SELECT * FROM users WHERE id = ?', [id]);
    expect(row).toMatchObject({
      username: 'bob',
      locale: 'de',
      verified_ms: h.clock.now(),
      password_hash: `plain:${NEW}`,
    });
    expect((await audited()).filter(({ target }) => target === id)).toMatchObject([
      { action: 'users.create', actor_id: null, after: '{"username":"bob","role":"Support"}' },
    ]);
  });

  test('a user whom the operator makes has no common password, nor the own name as one', async () => {
    expect(await refusal(account().createUser({ ...bob, password: 'password123' }))).toEqual(
      field('password', 'PASSWORD_COMMON'),
    );
    expect(await refusal(account().createUser({ ...bob, username: 'robertina', password: 'robertina' }))).toEqual(
      field('password', 'PASSWORD_COMMON'),
    );
    expect(await h.db.sql('SELECT id FROM users')).toHaveLength(1);
  });
});
