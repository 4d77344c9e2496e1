import { describe, expect, test } from 'bun:test';
import { createBus } from '#server/data/bus.ts';
import { SerializedJson, type CookieOptions, type HandlerCtx } from '#server/http/implement.types.ts';
import type { Actor } from '#server/modules/kernel.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { guestCtx } from '#tests/support/browser.ts';
import { fakeClock } from '#tests/support/clock.ts';
import { codeOf } from '#tests/support/coins.ts';
import { testLog } from '#tests/support/log.ts';
import { sessionHandlers } from './session.ts';

const NO_INPUT = { params: undefined, query: undefined, body: undefined };
const ann: Actor = { userId: 'ann', sessionId: 's1', username: 'ann', permissions: [], verified: true };

const METERS = {
  memory: { used: 1, limit: 10 },
  disk: { used: 2, limit: 20 },
  cpu: { used: 3, limit: 30 },
  slots: { used: 4, limit: 40 },
  ports: { used: 5, limit: 50 },
  databases: { used: 6, limit: 60 },
  backups: { used: 7, limit: 70 },
};
/** What the session of a user with so many credits shows, and a secret that stays in the service. */
const sessionOf = (userId: string, balance: number) => ({
  user: {
    id: userId,
    username: 'Ann',
    email: 'ann@example.com',
    firstName: 'Ann',
    lastName: 'Lee',
    role: 'Member',
    roleColor: '#123456',
    locale: 'de',
    timeZone: 'Europe/Berlin',
    verified: true,
    confirmation: 'confirmed' as const,
    secondFactor: 'on' as const,
    createdMs: 0,
    passwordHash: 'not for the browser',
  },
  credits: { balance, held: 40, debt: 30 },
  meters: METERS,
  unread: { notifications: 3, tickets: 2 },
  permissions: ['servers.create'],
});

/** The handler over services that count how often they are asked. `isActive`: whether the account has an answer. */
function setUp({ isActive = true } = {}) {
  const bus = createBus(testLog());
  const clock = fakeClock();
  const state = { reads: 0, menus: 0, linked: false };
  const { get } = sessionHandlers({
    bus,
    clock,
    redirectLinks: {
      menu: async (visitor) => {
        state.menus += 1;
        return state.linked ? [{ name: visitor, slug: 'chat', icon: 'chat', menu: 'community' }] : [];
      },
    },
    announcements: { hasAny: async () => false, standing: () => Promise.reject(new Error('nothing is announced')) },
    identity: {
      findSessionView: async (userId) => {
        state.reads += 1;
        return isActive ? sessionOf(userId, state.reads) : null;
      },
    },
  });
  /** Asks for the answer. Out: its credits (how often it was read), and the names of the cookies that were set. */
  async function ask(actor: Actor | null = ann, secret: string | null = 'a-secret') {
    const set: [name: string, value: string, options: CookieOptions][] = [];
    const ctx: HandlerCtx = {
      ...guestCtx(),
      actor,
      secret,
      signal: new AbortController().signal,
      header: () => null,
      cookies: { get: () => null, set: (...cookie) => void set.push(cookie) },
    };
    let answer: unknown = null;
    const code = await codeOf(
      (async () => {
        answer = await get(ctx, NO_INPUT);
      })(),
    );
    const json = answer instanceof SerializedJson ? answer.json : 'null';
    const fields = JSON.parse(json) as { billing?: { credits: number } } | null;
    return { code, json, read: fields?.billing?.credits ?? 0, set };
  }
  return { bus, clock, state, ask };
}

describe('the session answer that is kept ready', () => {
  test('the answer is read once for all polls of a minute, and again when the minute is over', async () => {
    const { clock, ask } = setUp();
    expect([(await ask()).read, (await ask()).read]).toEqual([1, 1]);
    clock.advance(MINUTE - 1);
    expect((await ask()).read).toBe(1);
    clock.advance(1);
    expect((await ask()).read).toBe(2);
  });

  test('the answer is read again after a change of the user, a server, a notification, a role or a setting', async () => {
    const { bus, ask } = setUp();
    await ask();
    for (const [at, topic] of ['user:ann', 'servers:ann', 'notifications:ann', 'settings.loaded', 'roles'].entries()) {
      bus.publish([topic]);
      expect({ topic, read: (await ask()).read }).toEqual({ topic, read: at + 2 });
    }
    bus.publish(['user:bob', 'servers:bob', 'notifications:bob']);
    expect((await ask()).read).toBe(6);
  });

  test('each user gets their own answer, of what the contract names and nothing else', async () => {
    const { ask } = setUp();
    const bob = { ...ann, userId: 'bob', sessionId: 's2' };
    expect([(await ask()).read, (await ask(bob)).read, (await ask()).read]).toEqual([1, 2, 1]);
    expect(JSON.parse((await ask(bob)).json)).toEqual({
      success: true,
      error_code: null,
      user_info: {
        id: 'bob',
        uuid: 'bob',
        username: 'Ann',
        email: 'ann@example.com',
        first_name: 'Ann',
        last_name: 'Lee',
        role: 'Member',
        role_color: '#123456',
        locale: 'de',
        time_zone: 'Europe/Berlin',
        verified: true,
        confirmation: 'confirmed',
        second_factor: 'on',
        created_at: '1970-01-01T00:00:00.000Z',
      },
      billing: { credits: 2, held: 40, debt: 30 },
      stats: {
        servers: 4,
        unread: 3,
        tickets_unread: 2,
        memory_used: 1,
        memory_limit: 10,
        disk_used: 2,
        disk_limit: 20,
        cpu_used: 3,
        cpu_limit: 30,
        slots_used: 4,
        slots_limit: 40,
        ports_used: 5,
        ports_limit: 50,
        databases_used: 6,
        databases_limit: 60,
        backups_used: 7,
        backups_limit: 70,
      },
      permissions: ['servers.create'],
    });
  });
});

describe('links of the host in the session answer', () => {
  const menuOf = async (answer: Promise<{ json: string }>) =>
    (JSON.parse((await answer).json) as { menu?: { name: string }[] }).menu?.map(({ name }) => name);

  test('the menu is read once for all players and once for all staff, and again when staff changed a link', async () => {
    const { bus, state, ask } = setUp();
    state.linked = true;
    const staff = { ...ann, userId: 'sue', permissions: ['admin.users.list'] };
    expect(await menuOf(ask())).toEqual(['player']);
    expect(await menuOf(ask({ ...ann, userId: 'bob' }))).toEqual(['player']);
    expect(await menuOf(ask(staff))).toEqual(['staff']);
    expect(state.menus).toBe(2);
    state.linked = false;
    bus.publish(['redirect-links']);
    expect(await menuOf(ask())).toBeUndefined();
    expect(state.menus).toBe(3);
  });

  test('staff who view as a player get the menu of a player', async () => {
    const { state, ask } = setUp();
    state.linked = true;
    const viewer = { userId: 'sue', username: 'sue', untilMs: MINUTE };
    expect(await menuOf(ask({ ...ann, permissions: ['admin.users.list'], viewer } as Actor))).toEqual(['player']);
  });
});

describe('who gets no session answer', () => {
  test('T30 a session that waits for its second factor is refused, and nothing is read for it', async () => {
    const { state, ask } = setUp();
    expect(await ask({ ...ann, waiting: true })).toMatchObject({ code: 'TW0_FA_BLOCKED', set: [] });
    expect(state.reads).toBe(0);
  });

  test('a guest gets none, and neither does who brought a dead secret', async () => {
    const { state, ask } = setUp();
    expect(await ask(null, null)).toMatchObject({ code: 'SESSION_EXPIRED', set: [] });
    expect(await ask(null, 'a-dead-secret')).toMatchObject({ code: 'SESSION_EXPIRED', set: [] });
    expect(state.reads).toBe(0);
  });

  test('a user whose account is not active gets none, and it is looked up each time', async () => {
    const { state, ask } = setUp({ isActive: false });
    expect(await ask()).toMatchObject({ code: 'SESSION_EXPIRED', set: [] });
    expect(await ask()).toMatchObject({ code: 'SESSION_EXPIRED', set: [] });
    expect(state.reads).toBe(2);
  });
});

test('no answer sets or deletes a cookie: it could undo a log-in that was answered before it', async () => {
  const { clock, ask } = setUp();
  for (const day of [0, 1, 29]) {
    clock.advance(day * DAY);
    expect((await ask()).set).toEqual([]);
  }
});
