import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { liveHandlers } from '#server/api/live.ts';
import type { Ping } from '#server/http/implement.types.ts';
import { writeAudit } from '#server/modules/audit/index.ts';
import { runOnce } from '#server/modules/idempotency/index.ts';
import { ACTING_AS_HEADER, SESSION_COOKIE } from '#shared/constants.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { HandlerEvent } from '#shared/contract/endpoint.ts';
import type { CONTRACT } from '#shared/contract/index.ts';
import { iso, MINUTE } from '#shared/time.ts';
import { ctxOf, openBrowser } from '#tests/support/browser.ts';
import { ENGINES } from '#tests/support/db.ts';
import { freshSession, switchOn } from '#tests/support/factor.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 8.3: viewing as somebody.

const LIFE = 30 * MINUTE;
/** How a call of the client ended: its code, or `ok`. */
const ended = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) => (error instanceof ApiError ? error.code : Promise.reject(error)),
  );

describe.each(ENGINES)('viewing as a user on %s', (engine) => {
  let h: Harness;
  let staff: Person;
  let ann: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    staff = await h.person('oana', { permissions: ['admin.users.edit', 'admin.users.list'] });
    ann = await h.person('ann', { credits: 500 });
  }, 300_000);
  afterEach(() => h.close());

  const start = (by: Person, id: string) => by.api.adminViewing.start({ params: { id } });
  /** Whom a session shows, and until when it views. */
  const shown = async (by: Person) => {
    const { user_info: user, viewing } = await by.api.session.get();
    return [user.username, viewing?.until ?? null];
  };
  const log = () =>
    h.db.sql<{ action: string; actor_id: string | null; target: string }>(
      "SELECT action, actor_id, target FROM audit WHERE action LIKE 'users.view%' ORDER BY at_ms, id",
    );
  const rankOf = (person: Person, rank: number) =>
    h.db.sql('UPDATE roles SET rank = ? WHERE name = ?', [rank, `role-${person.username}`]);

  test('T39 a form that was left open while staff viewed as a user does not run as theirs afterwards, nor the other way', async () => {
    const browser = openBrowser(h);
    browser.cookies.set(SESSION_COOKIE, staff.secret);
    const send = async (method: string, path: string, as: string | null, body: object | null = null) => {
      const headers: Record<string, string> = as === null ? {} : { [ACTING_AS_HEADER]: as };
      if (body) headers['content-type'] = 'application/json';
      const response = await browser.get(path, { method, headers, body: body && JSON.stringify(body) });
      return ((await response.json()) as { error_code: string | null }).error_code;
    };
    const save = (as: string | null) =>
      send('PATCH', '/api/account', as, { first_name: 'Ann', last_name: 'Lee', locale: 'en' });
    await start(staff, ann.id);
    // Refused as ever while it lasts; the way out is open from any page.
    expect([await save(ann.id), await save(staff.id)]).toEqual(['VIEWING_READ_ONLY', 'VIEWING_READ_ONLY']);
    expect(await send('POST', '/api/view-as/end', staff.id)).toBeNull();
    expect(await save(ann.id)).toBe('USER_CHANGED');
    expect((await staff.api.account.get()).first_name).toBe('Test');
    // Whoever says nothing (a script of one's own) and the right page go on.
    expect([await save(null), await save(staff.id)]).toEqual([null, null]);
  });

  test('T39 who views as a user sees what they see, and it is in the log of both', async () => {
    const until = iso(h.clock.now() + LIFE);
    await start(staff, ann.id);
    expect(await shown(staff)).toEqual(['ann', until]);
    const { permissions, billing } = await staff.api.session.get();
    expect([permissions, billing.credits]).toEqual([[], 500]);
    expect((await staff.api.dashboard.get()).balance).toBe(500);
    // The user's own session is as it was.
    expect(await shown(ann)).toEqual(['ann', null]);
    expect((await ann.api.notifications.list()).notifications).toMatchObject([{ kind: 'viewedByStaff', data: {} }]);
    expect(await staff.api.viewing.end()).toMatchObject({ user_id: ann.id });
    expect(await shown(staff)).toEqual(['oana', null]);
    expect((await staff.api.session.get()).permissions).toContain('admin.users.edit');
    expect(await log()).toEqual([
      { action: 'users.view_as', actor_id: staff.id, target: ann.id },
      { action: 'users.view_as_end', actor_id: staff.id, target: ann.id },
    ]);
    const activity = (await ann.api.accountActivity.activity()).rows;
    expect(activity.filter(({ action }) => action.startsWith('users.view'))).toMatchObject([
      { action: 'users.view_as_end', own: false, address: null, device: null },
      { action: 'users.view_as', own: false, address: null, device: null },
    ]);
  });

  test('T39 no statement, purchase, variable or fact of security is shown to who views as a user', async () => {
    await start(staff, ann.id);
    expect((await ann.api.dashboard.get()).statement).toHaveLength(1);
    expect((await staff.api.dashboard.get()).statement).toEqual([]);
    expect((await staff.api.store.items()).purchases).toEqual([]);
    await switchOn(h, ann);
    expect((await ann.api.session.get()).user_info.second_factor).toBe('on');
    expect((await staff.api.session.get()).user_info.second_factor).toBe('off');
    // Who has to set a factor up first views nobody.
    await h.set({ force_2fa: 'staff' });
    expect(await shown(staff)).toEqual(['oana', null]);
    expect(await ended(start(staff, ann.id))).toBe('TWO_FACTOR_REQUIRED');
  });

  test('T39 nobody views as somebody of their own rank or above, or without the right', async () => {
    const helper = await h.person('helper', { permissions: ['admin.users.list'] });
    const peer = await h.person('peer', { permissions: ['admin.users.edit'] });
    const boss = await h.person('boss', { permissions: ['admin.root'] });
    const other = await h.person('other', { permissions: ['admin.root'] });
    await rankOf(boss, 90);
    await rankOf(other, 90);
    expect(await ended(start(helper, ann.id))).toBe('FORBIDDEN');
    expect(await ended(start(staff, peer.id))).toBe('FORBIDDEN');
    expect(await ended(start(staff, boss.id))).toBe('FORBIDDEN');
    expect(await ended(start(staff, staff.id))).toBe('FORBIDDEN');
    // admin.root makes no exception.
    expect(await ended(start(boss, other.id))).toBe('FORBIDDEN');
    expect(await ended(start(boss, boss.id))).toBe('FORBIDDEN');
    expect(await ended(start(staff, '01890000-0000-7000-8000-000000000000'))).toBe('NOT_FOUND');
    expect((await boss.api.adminUsers.get({ params: { id: other.id } })).viewable).toBe(false);
    expect((await boss.api.adminUsers.get({ params: { id: staff.id } })).viewable).toBe(true);
    expect(await ended(start(boss, staff.id))).toBe('ok');
    expect(await log()).toHaveLength(1);
  });

  test('T39 whoever views as staff gets none of their rights, and cannot view on from there', async () => {
    const boss = await h.person('boss', { permissions: ['admin.root'] });
    await rankOf(boss, 90);
    await start(boss, staff.id);
    expect((await boss.api.session.get()).permissions).toEqual([]);
    for (const call of [
      () => start(boss, ann.id),
      () => boss.api.adminUsers.list({}),
      () => boss.api.adminUsers.get({ params: { id: ann.id } }),
      () => boss.api.adminAccounts.ban({ params: { id: ann.id }, body: { reason: 'no reason', days: 1 } }),
      () => boss.api.account.statement({}),
      () => boss.api.supportPin.renew(),
    ])
      expect(await ended(call())).toBe('VIEWING_READ_ONLY');
    expect(await shown(boss)).toEqual(['oana', iso(h.clock.now() + LIFE)]);
  });

  test('T39 it ends after half an hour for every further call, and is logged once', async () => {
    await start(staff, ann.id);
    h.clock.advance(LIFE - 1);
    expect((await shown(staff))[0]).toBe('ann');
    h.clock.advance(1);
    const calls = await Promise.all([shown(staff), shown(staff), ended(staff.api.viewing.end()), shown(staff)]);
    expect(calls).toEqual([['oana', null], ['oana', null], 'ok', ['oana', null]]);
    await h.host.services.identity.viewing.endAllOver();
    expect(await log()).toEqual([
      { action: 'users.view_as', actor_id: staff.id, target: ann.id },
      { action: 'users.view_as_end', actor_id: null, target: ann.id },
    ]);
    expect(await ended(staff.api.adminUsers.get({ params: { id: ann.id } }))).toBe('ok');
    // One that nobody comes back to is ended by the scheduler.
    await start(staff, ann.id);
    h.clock.advance(LIFE);
    const { viewing } = h.host.services.identity;
    await Promise.all([viewing.endAllOver(), viewing.endAllOver()]);
    expect((await log()).map(({ action }) => action)).toEqual([
      'users.view_as',
      'users.view_as_end',
      'users.view_as',
      'users.view_as_end',
    ]);
  });

  test('T34 T39 a ban of the viewed user ends it for good, also where the ban is lifted at once', async () => {
    const other = await h.person('other', { permissions: ['admin.users.edit'] });
    await start(staff, ann.id);
    expect((await shown(staff))[0]).toBe('ann');
    const params = { id: ann.id };
    await other.api.adminAccounts.ban({ params, body: { reason: 'two accounts', days: 7 } });
    await other.api.adminAccounts.unban({ params });
    expect(await shown(staff)).toEqual(['oana', null]);
    expect((await log()).map(({ action }) => action)).toEqual(['users.view_as', 'users.view_as_end']);
    await other.api.adminAccounts.ban({ params, body: { reason: 'two accounts', days: 7 } });
    expect(await ended(start(staff, ann.id))).toBe('CONFLICT');
  });

  test('T39 an account that is deleted while it is viewed is shown no more, nor when it is gone entirely', async () => {
    await start(staff, ann.id);
    expect((await shown(staff))[0]).toBe('ann');
    await h.db.sql("UPDATE users SET status = 'deleted' WHERE id = ?", [ann.id]);
    h.db.bus.publish([`account:${ann.id}`]);
    expect(await shown(staff)).toEqual(['oana', null]);
    expect(await ended(start(staff, ann.id))).toBe('NOT_FOUND');
    const bob = await h.person('bob');
    await start(staff, bob.id);
    await h.db.sql('DELETE FROM sessions WHERE user_id = ?', [bob.id]);
    await h.db.sql(
      "UPDATE sessions SET viewed_user_id = '01890000-0000-7000-8000-000000000000' WHERE viewed_user_id = ?",
      [bob.id],
    );
    h.db.bus.publish([`account:${bob.id}`]);
    expect(await shown(staff)).toEqual(['oana', null]);
  });

  test('T34 T39 a ban of who views ends it with their session, and so does a log-out', async () => {
    const boss = await h.person('boss', { permissions: ['admin.root'] });
    await start(staff, ann.id);
    await boss.api.adminAccounts.ban({ params: { id: staff.id }, body: { reason: 'curious', days: 7 } });
    expect(await ended(staff.api.session.get())).toBe('SESSION_EXPIRED');
    expect(await ended(staff.api.dashboard.get())).toBe('UNAUTHENTICATED');
    await rankOf(boss, 90);
    await start(boss, ann.id);
    await boss.api.auth.logout();
    expect(await ended(boss.api.session.get())).toBe('SESSION_EXPIRED');
    expect(await ended(ann.api.session.get())).toBe('ok');
    expect(await h.db.sql("SELECT actor_id FROM audit WHERE action = 'account.logout'")).toEqual([
      { actor_id: boss.id },
    ]);
  });

  test('T39 T40 a role that is taken from who views, or that the viewed user gets, ends it', async () => {
    const boss = await h.person('boss', { permissions: ['admin.root'] });
    await start(staff, ann.id);
    const role = await h.db.sql<{ id: string }>("SELECT id FROM roles WHERE name = 'role-oana'");
    const by = await ctxOf(h, boss.secret);
    await h.db.uow.run((tx) => h.host.services.access.assignRole(tx, by, ann.id, role[0]?.id ?? ''));
    expect(await shown(staff)).toEqual(['oana', null]);
    const bob = await h.person('bob');
    await start(staff, bob.id);
    await h.db.sql("DELETE FROM role_permissions WHERE permission = 'admin.users.edit'");
    h.db.bus.publish(['roles']);
    expect(await shown(staff)).toEqual(['oana', null]);
    expect((await log()).map(({ actor_id: actor }) => actor)).toEqual([staff.id, null, staff.id, null]);
  });

  test('T39 one of many who begin at once in one session wins, and a ban meanwhile leaves no viewing', async () => {
    const bob = await h.person('bob');
    const boss = await h.person('boss', { permissions: ['admin.root'] });
    const begun = await Promise.all([ann, bob, ann, bob].map(({ id }) => ended(start(staff, id))));
    expect(begun.filter((code) => code === 'ok')).toHaveLength(1);
    // A call that came last finds the session viewing already.
    expect(begun.filter((code) => !['ok', 'CONFLICT', 'VIEWING_READ_ONLY'].includes(code))).toEqual([]);
    await Promise.all([staff.api.viewing.end(), staff.api.viewing.end()]);
    expect((await log()).map(({ action }) => action)).toEqual(['users.view_as', 'users.view_as_end']);
    for (let round = 0; round < 4; round += 1) {
      const params = { id: ann.id };
      await Promise.all([
        ended(start(staff, ann.id)),
        boss.api.adminAccounts.ban({ params, body: { reason: 'two accounts', days: 7 } }),
      ]);
      expect(await shown(staff)).toEqual(['oana', null]);
      expect(await h.db.sql('SELECT id FROM sessions WHERE viewed_user_id IS NOT NULL')).toEqual([]);
      await boss.api.adminAccounts.unban({ params });
    }
  });

  test('T30 T39 a second factor that staff turn on meanwhile is waited for when they stop viewing', async () => {
    await start(staff, ann.id);
    await switchOn(h, { secret: await freshSession(h, staff) });
    await staff.api.viewing.end().catch(() => undefined);
    expect(await ended(staff.api.session.get())).toBe('TW0_FA_BLOCKED');
    expect(await ended(staff.api.adminUsers.get({ params: { id: ann.id } }))).toBe('TW0_FA_BLOCKED');
    expect(await ended(start(staff, ann.id))).toBe('TW0_FA_BLOCKED');
  });

  test('T39 its stream hears of the viewed user, and ends with it', async () => {
    await start(staff, ann.id);
    const ctx = await ctxOf(h, staff.secret);
    const { events } = liveHandlers({ bus: h.db.bus, identity: h.host.services.identity });
    const request = {
      cookies: { get: () => null, set: () => undefined },
      signal: new AbortController().signal,
      header: () => null,
    };
    const stream = (
      await events({ ...ctx, ...request, secret: staff.secret }, { params: undefined, query: {}, body: undefined })
    )[Symbol.asyncIterator]() as AsyncIterator<HandlerEvent<typeof CONTRACT.live.events> | Ping>;
    h.db.bus.publish([`servers:${ann.id}`]);
    expect((await stream.next()).value).toMatchObject({ event: 'servers' });
    await staff.api.viewing.end();
    const heard: string[] = [];
    for (let step = await stream.next(); !step.done; step = await stream.next()) heard.push(step.value.event);
    expect(heard).toContain('session');
    h.db.bus.publish([`servers:${ann.id}`]);
    expect((await stream.next()).done).toBe(true);
  });

  test('T39 nothing is written in the name of who is viewed, whatever an endpoint lets through', async () => {
    await start(staff, ann.id);
    const ctx = await ctxOf(h, staff.secret);
    expect(ctx.actor).toMatchObject({ userId: ann.id, viewer: { userId: staff.id } });
    const { uow } = h.db;
    const refused = expect.objectContaining({ code: 'VIEWING_READ_ONLY' });
    const audited = uow.run((tx) => writeAudit(tx, h.host.services, ctx, { action: 'account.password' }));
    await expect(audited).rejects.toEqual(refused);
    const { people, apiTokens, identity } = h.host.services;
    await expect(runOnce({ uow, now: 0 }, ctx, async () => 'done')).rejects.toEqual(refused);
    await expect(people.adjust(ctx, ann.id, { amount: 5, reason: 'mine' })).rejects.toEqual(refused);
    await expect(identity.endSession(ctx, ctx.actor.sessionId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const token = { name: 'Bot', scopes: ['account:read' as const], expires_in_days: null, addresses: '' };
    await expect(apiTokens.create(ctx, token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('T39 neither rate limits nor signals of abuse are counted to who is viewed', async () => {
    await start(staff, ann.id);
    const cookie = `${SESSION_COOKIE}=${staff.secret}; __Host-spawnpoint-device=a-device-of-staff`;
    const before = await h.db.sql('SELECT * FROM abuse_signals WHERE user_id = ?', [ann.id]);
    const ask = (method: string, path: string) =>
      h.http(path, { method, headers: { cookie, origin: 'http://127.0.0.1', 'x-forwarded-for': '198.51.100.77' } });
    for (let round = 0; round < 40; round += 1) await ask('GET', '/api/lookup?q=ann');
    expect((await ask('GET', '/api/lookup?q=ann')).status).toBe(429);
    expect(await ended(ann.api.profiles.lookup({ query: { q: 'ann' } }))).not.toBe('RATE_LIMITED');
    expect((await ask('POST', '/api/view-as/end')).status).toBe(200);
    expect(await h.db.sql('SELECT * FROM abuse_signals WHERE user_id = ?', [ann.id])).toEqual(before);
  });
});
