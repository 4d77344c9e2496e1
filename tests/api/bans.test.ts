import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Ping } from '#server/http/implement.types.ts';
import { liveHandlers } from '#server/api/live.ts';
import type { HandlerEvent } from '#shared/contract/endpoint.ts';
import type { CONTRACT } from '#shared/contract/index.ts';
import { ApiError } from '#shared/contract/client.ts';
import { DAY, iso, MINUTE } from '#shared/time.ts';
import { ctxOf, openBrowser } from '#tests/support/browser.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 3.9, and who may ban whom (behaviour 3.10).

/** How a call of the client ended: its code, or `ok`. */
const ended = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) => (error instanceof ApiError ? error.code : Promise.reject(error)),
  );

describe.each(ENGINES)('bans by staff on %s', (engine) => {
  let h: Harness;
  let staff: Person;
  let ann: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    staff = await h.person('oana', { permissions: ['admin.users.edit'] });
    ann = await h.person('ann');
  }, 300_000);
  afterEach(() => h.close());

  const ban = (by: Person, id: string, reason = 'two accounts', days = 7) =>
    by.api.adminAccounts.ban({ params: { id }, body: { reason, days } });
  const unban = (by: Person, id: string) => by.api.adminAccounts.unban({ params: { id } });
  const login = (password = PASSWORD) => openBrowser(h).send('POST', '/api/auth/login', { login: 'ann', password });
  const mails = async () =>
    (await h.db.uow.read((tx) => tx.mail.listLatest(20))).map(({ template, text }) => ({ template, text }));

  test('T34 a ban ends session, stream and every call at once, and its end lets the user in again', async () => {
    const ctx = await ctxOf(h, ann.secret);
    const { events } = liveHandlers({ bus: h.db.bus, identity: h.host.services.identity });
    const stream = (
      await events({ ...ctx, ...REQUEST, secret: ann.secret }, { params: undefined, query: {}, body: undefined })
    )[Symbol.asyncIterator]() as AsyncIterator<HandlerEvent<typeof CONTRACT.live.events> | Ping>;
    await ban(staff, ann.id);
    const heard: string[] = [];
    for (let step = await stream.next(); !step.done; step = await stream.next()) heard.push(step.value.event);
    expect(heard).toContain('session');
    expect(await ended(ann.api.session.get())).toBe('SESSION_EXPIRED');
    for (const call of [
      () => ann.api.account.get(),
      () => ann.api.dashboard.get(),
      () => ann.api.servers.list(),
      () => ann.api.store.items(),
      () => ann.api.supportPin.renew(),
    ])
      expect(await ended(call())).toBe('UNAUTHENTICATED');
    await unban(staff, ann.id);
    expect(await ended(ann.api.account.get())).toBe('UNAUTHENTICATED');
    expect((await login()).status).toBe(200);
  });

  test('T34 who is banned reads why, until when and how to appeal, and nobody else does', async () => {
    await h.set({ ban_appeal: 'Write to help@host.example' });
    await ban(staff, ann.id, 'two accounts', 7);
    const until = iso(h.clock.now() + 7 * DAY);
    const refused = await login();
    expect([refused.status, refused.body.error_code]).toEqual([403, 'ACCOUNT_BANNED']);
    expect(refused.body.ban).toEqual({ reason: 'two accounts', until, appeal: 'Write to help@host.example' });
    const wrong = await login('not the password');
    expect([wrong.body.error_code, wrong.body.ban]).toEqual(['LOGIN_FAILED', undefined]);
    expect(await mails()).toMatchObject([{ template: 'accountBanned', text: expect.stringContaining('two accounts') }]);
    await ban(staff, ann.id, 'for good', 0);
    expect((await login()).body.ban).toMatchObject({ reason: 'for good', until: null });
    expect((await mails()).map(({ template }) => template)).toEqual(['accountBannedForGood', 'accountBanned']);
    expect(await staff.api.adminUsers.get({ params: { id: ann.id } })).toMatchObject({
      status: 'banned',
      ban_reason: 'for good',
      banned_until: null,
      banned_by: 'oana',
      banned_at: iso(h.clock.now()),
      manageable: true,
      viewable: false,
    });
    await unban(staff, ann.id);
    expect((await mails())[0]?.template).toBe('banLifted');
    expect(await staff.api.adminUsers.get({ params: { id: ann.id } })).toMatchObject({
      status: 'active',
      ban_reason: null,
      banned_by: null,
      banned_at: null,
    });
  });

  test('another reason without days keeps the end to the millisecond, and a ban needs days where there is none', async () => {
    const change = (reason: string) =>
      staff.api.adminAccounts
        .ban({ params: { id: ann.id }, body: { reason } })
        .catch((error: ApiError) => error.fields);
    expect(await change('two accounts')).toEqual({ days: ['REQUIRED'] });
    await ban(staff, ann.id, 'two accounts', 3);
    const until = iso(h.clock.now() + 3 * DAY);
    h.clock.advance(DAY + 1);
    await change('three accounts');
    const user = () => staff.api.adminUsers.get({ params: { id: ann.id } });
    expect(await user()).toMatchObject({ ban_reason: 'three accounts', banned_until: until });
    // Two at once: the end is the one that was set, whichever comes first.
    await Promise.all([change('four accounts'), ban(staff, ann.id, 'for good', 0)]);
    expect((await user()).banned_until).toBeNull();
    await change('five accounts');
    expect(await user()).toMatchObject({ ban_reason: 'five accounts', banned_until: null });
    await ban(staff, ann.id, 'once more', 1);
    h.clock.advance(DAY);
    // Over, though nobody has lifted it yet.
    expect(await change('too late')).toEqual({ days: ['REQUIRED'] });
  });

  test('a ban whose time is over is lifted by the scheduler, once, and a permanent one stays', async () => {
    const bob = await h.person('bob');
    await ban(staff, ann.id, 'two accounts', 1);
    await ban(staff, bob.id, 'for good', 0);
    const statuses = () =>
      h.db.sql('SELECT username, status FROM users WHERE id IN (?, ?) ORDER BY username', [ann.id, bob.id]);
    const { identity } = h.host.services;
    h.clock.advance(DAY - 1);
    await identity.liftEndedBans();
    expect(await statuses()).toEqual([
      { username: 'ann', status: 'banned' },
      { username: 'bob', status: 'banned' },
    ]);
    h.clock.advance(1);
    await Promise.all([identity.liftEndedBans(), identity.liftEndedBans()]);
    expect(await statuses()).toEqual([
      { username: 'ann', status: 'active' },
      { username: 'bob', status: 'banned' },
    ]);
    expect((await mails()).filter(({ template }) => template === 'banLifted')).toHaveLength(1);
    expect(await h.db.sql("SELECT id FROM audit WHERE action = 'account.ban_over'")).toHaveLength(1);
  });

  test('T40 nobody bans or unbans without the permission, themselves, or a user of their own rank or above', async () => {
    const helper = await h.person('helper', { permissions: ['admin.users.list'] });
    const peer = await h.person('peer', { permissions: ['admin.users.edit'] });
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    await h.person('second', { permissions: ['admin.root'] });
    expect(await ended(ban(helper, ann.id))).toBe('FORBIDDEN');
    expect(await ended(ban(ann, staff.id))).toBe('FORBIDDEN');
    for (const { id } of [staff, peer, owner]) expect(await ended(ban(staff, id))).toBe('FORBIDDEN');
    expect(await ended(ban(owner, owner.id))).toBe('FORBIDDEN');
    expect(await ended(ban(owner, peer.id))).toBe('ok');
    expect(await ended(unban(staff, peer.id))).toBe('FORBIDDEN');
    expect(await ended(unban(owner, peer.id))).toBe('ok');
    expect(await ended(unban(owner, peer.id))).toBe('NOT_FOUND');
    const { identity } = h.host.services;
    const forged = { ...(await ctxOf(h, helper.secret)) };
    expect(await codeOf(identity.ban(forged, ann.id, { reason: 'past the API', untilMs: null }))).toBe('FORBIDDEN');
    expect(await codeOf(identity.unban(forged, ann.id))).toBe('FORBIDDEN');
  });

  test('an end that is past, a short reason and a broken number of days are refused', async () => {
    const { identity } = h.host.services;
    const ctx = await ctxOf(h, staff.secret);
    expect(await codeOf(identity.ban(ctx, ann.id, { reason: 'late', untilMs: h.clock.now() }))).toBe(
      'VALIDATION_FAILED',
    );
    for (const [reason, days] of [
      ['no', 7],
      ['long enough', -1],
      ['long enough', 3651],
      ['long enough', 1.5],
    ] as const)
      expect(await ended(ban(staff, ann.id, reason, days))).toBe('VALIDATION_FAILED');
    expect((await h.db.sql<{ status: string }>('SELECT status FROM users WHERE id = ?', [ann.id]))[0]?.status).toBe(
      'active',
    );
  });

  test('T38 nobody bans the last owner, not even the command line, and of two owners who ban each other one fails', async () => {
    const [one, two] = [
      await h.person('one', { permissions: ['admin.root'] }),
      await h.person('two', { permissions: ['admin.root'] }),
    ];
    const ends = await Promise.all([ended(ban(one, two.id)), ended(ban(two, one.id))]);
    expect(ends.filter((end) => end === 'ok')).toHaveLength(1);
    expect(ends.every((end) => ['ok', 'LAST_OWNER', 'UNAUTHENTICATED'].includes(end))).toBe(true);
    const [left] = await h.db.sql<{ id: string }>(
      "SELECT id FROM users WHERE status = 'active' AND username IN ('one', 'two')",
    );
    const { identity } = h.host.services;
    const terms = { reason: 'from the command line', untilMs: null };
    expect(await codeOf(identity.ban(null, left?.id ?? '', terms))).toBe('LAST_OWNER');
    h.clock.advance(MINUTE);
    expect(await h.db.sql("SELECT id FROM users WHERE status = 'active' AND username IN ('one', 'two')")).toHaveLength(
      1,
    );
  });

  test('fifty bans of one user at once leave one ban, and an unban beside a ban leaves one of both', async () => {
    const { identity } = h.host.services;
    const ctx = await ctxOf(h, staff.secret);
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => identity.ban(ctx, ann.id, { reason: `reason ${n}`, untilMs: null })),
    );
    await Promise.all([
      identity.ban(ctx, ann.id, { reason: 'again', untilMs: null }),
      identity.unban(ctx, ann.id).catch(() => undefined),
    ]);
    const [row] = await h.db.sql<{ status: string; ban_reason: string | null; banned_by: string | null }>(
      'SELECT status, ban_reason, banned_by FROM users WHERE id = ?',
      [ann.id],
    );
    expect([
      { status: 'active', ban_reason: null, banned_by: null },
      { status: 'banned', ban_reason: 'again', banned_by: staff.id },
    ] as unknown[]).toContainEqual(row);
  });
});

/** What a stream reads of its request. */
const REQUEST = {
  signal: new AbortController().signal,
  header: () => null,
  cookies: { get: () => null, set: () => undefined },
} as const;
