import { arch, release, type } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { liveHandlers } from '#server/api/live.ts';
import type { SignedInCtx } from '#server/http/implement.types.ts';
import { MARKER_COOKIE, SESSION_COOKIE } from '#shared/constants.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { ctxOf, openBrowser, type Browser } from '#tests/support/browser.ts';
import { codeOf } from '#tests/support/coins.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { fakeTimer } from '#tests/support/timer.ts';

let h: Harness;
let mirela: Person;
beforeEach(async () => {
  h = await openHarness();
  mirela = await h.person('mirela.v', { credits: 120 });
});
afterEach(() => h.close());

/** A browser that holds a session. */
function signedIn(secret = mirela.secret): Browser {
  const browser = openBrowser(h);
  browser.cookies.set(SESSION_COOKIE, secret);
  browser.cookies.set(MARKER_COOKIE, '1');
  return browser;
}
const ask = (browser: Browser) => browser.send('GET', '/api/user/session');
const identity = () => h.host.services.identity;

describe('the session answer', () => {
  test('S7.1 the answer says who, credits, numbers and permissions, and no secret, and no cache keeps it', async () => {
    const answer = await ask(signedIn());
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store, no-cache');
    expect(answer.body).toEqual({
      success: true,
      error_code: null,
      user_info: {
        id: mirela.id,
        uuid: mirela.id,
        username: 'mirela.v',
        email: 'mirela.v@example.com',
        first_name: 'Test',
        last_name: 'Person',
        role: 'Member',
        role_color: '#8d93a1',
        locale: 'en',
        time_zone: 'UTC',
        verified: true,
        confirmation: 'confirmed',
        second_factor: 'off',
        created_at: '2026-03-10T12:00:00.000Z',
      },
      billing: { credits: 120, held: 0, debt: 0 },
      stats: {
        servers: 0,
        unread: 0,
        tickets_unread: 0,
        memory_used: 0,
        memory_limit: 1024,
        disk_used: 0,
        disk_limit: 5120,
        cpu_used: 0,
        cpu_limit: 100,
        slots_used: 0,
        slots_limit: 1,
        ports_used: 0,
        ports_limit: 1,
        databases_used: 0,
        databases_limit: 0,
        backups_used: 0,
        backups_limit: 0,
      },
      permissions: [],
    });
  });

  test('the answer is new as soon as something in it changed', async () => {
    const browser = signedIn();
    await ask(browser);
    await h.creditPerson(mirela.id, 30);
    expect((await ask(browser)).body.billing).toMatchObject({ credits: 150 });
    await h.db.uow.run((tx) =>
      h.host.services.notifications.notify(tx, [
        { userId: mirela.id, kind: 'newDevice', data: { device: 'x', address: 'y' } },
      ]),
    );
    expect((await ask(browser)).body.stats).toMatchObject({ unread: 1 });
    await h.db.uow.run((tx) => h.host.services.limits.raise(tx, mirela.id, 'memory', 1024));
    expect((await ask(browser)).body.stats).toMatchObject({ memory_limit: 2048 });
    await browser.send('PATCH', '/api/account', { first_name: 'Mira', last_name: 'V', locale: 'ro' });
    expect((await ask(browser)).body.user_info).toMatchObject({ first_name: 'Mira', locale: 'ro' });
    const helper = {
      id: '01890000-0000-7000-8000-00000000000f',
      key: null,
      name: 'Helper',
      color: '#123456',
      rank: 5,
      isDefault: false,
      createdMs: 0,
    };
    await h.db.uow.run((tx) => tx.access.add(helper, ['admin.users.list']));
    await h.db.sql('UPDATE users SET role_id = ?', [helper.id]);
    h.db.bus.publish([`user:${mirela.id}`]);
    expect((await ask(browser)).body).toMatchObject({
      permissions: ['admin.users.list'],
      user_info: { role: 'Helper' },
    });
  });

  test('a request without a session is a failed answer with status 200, and sets and deletes no cookie', async () => {
    const guest = await ask(openBrowser(h));
    expect(guest).toMatchObject({ status: 200, code: 'SESSION_EXPIRED', body: { success: false }, lines: [] });
    expect(typeof guest.body.request_id).toBe('string');
    const stale = signedIn('x'.repeat(43));
    expect(await ask(stale)).toMatchObject({ status: 200, code: 'SESSION_EXPIRED' });
    // The marker is the page's to clear: by it the page knows that its session failed and was not ended by a log-out.
    // The secret stays too: by the time of the answer, another tab may have logged in.
    expect([...stale.cookies.keys()].toSorted()).toEqual([SESSION_COOKIE, MARKER_COOKIE].toSorted());
  });

  test('other cookie names of the specification open nothing', async () => {
    const browser = openBrowser(h);
    for (const name of ['session_token', 'auth_token', 'token', 'spawnpoint_token', MARKER_COOKIE])
      browser.cookies.set(name, mirela.secret);
    expect(await ask(browser)).toMatchObject({ code: 'SESSION_EXPIRED' });
    expect(await browser.send('GET', '/api/account')).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  });
});

describe('the life of a session', () => {
  test('a session slides with its use, and ends thirty days after the last', async () => {
    const browser = signedIn();
    for (let day = 0; day < 40; day += 10) {
      h.clock.advance(10 * DAY);
      expect((await ask(browser)).code).toBeNull();
    }
    h.clock.advance(30 * DAY - 1);
    expect((await ask(browser)).code).toBeNull();
    h.clock.advance(30 * DAY);
    expect((await ask(browser)).code).toBe('SESSION_EXPIRED');
    await identity().purge();
    expect(await h.db.sql('SELECT id FROM sessions')).toHaveLength(0);
  });

  test('a use is written down at most every five minutes', async () => {
    const seen = async () => (await h.db.sql<{ seen_ms: number }>('SELECT seen_ms FROM sessions'))[0]?.seen_ms;
    const begun = h.clock.now();
    const browser = signedIn();
    h.clock.advance(5 * MINUTE - 1);
    await ask(browser);
    expect(await seen()).toBe(begun);
    h.clock.advance(1);
    await ask(browser);
    expect(await seen()).toBe(begun + 5 * MINUTE);
  });

  test('a poll sets no cookie: answered late, it would undo a log-in that was answered before it', async () => {
    const browser = signedIn();
    for (const day of [0, 1, 29]) {
      h.clock.advance(day * DAY);
      expect(await ask(browser)).toMatchObject({ code: null, lines: [] });
    }
  });

  test('T34 a ban ends every session at once, and unbanned, one may log in again', async () => {
    const second = await identity().openSession(mirela.id, { address: '192.0.2.1', userAgent: '' });
    const browsers = [signedIn(), signedIn(second.secret)];
    for (const browser of browsers) expect((await ask(browser)).code).toBeNull();
    await identity().ban(null, mirela.id, { reason: 'spam', untilMs: null });
    for (const browser of browsers) {
      expect((await ask(browser)).code).toBe('SESSION_EXPIRED');
      expect(await browser.send('GET', '/api/account')).toMatchObject({ status: 401 });
    }
    const login = () => openBrowser(h).send('POST', '/api/auth/login', { login: 'mirela.v', password: PASSWORD });
    expect(await login()).toMatchObject({ code: 'ACCOUNT_BANNED' });
    await identity().unban(null, mirela.id);
    expect(await login()).toMatchObject({ code: null });
    expect((await h.db.sql('SELECT action FROM audit ORDER BY id')).map((row) => row.action)).toContain('users.ban');
  });

  test('a fault of the database while noting the use of a session fails no request', async () => {
    h.clock.advance(HOUR);
    await h.db.sql("CREATE TRIGGER stuck BEFORE UPDATE ON sessions BEGIN SELECT RAISE(ABORT, 'stuck'); END");
    expect((await ask(signedIn())).code).toBeNull();
    await h.db.sql('DROP TRIGGER stuck');
  });
});

describe('live updates', () => {
  const timerOf = () => fakeTimer(h.clock);
  async function open(person = mirela, timer = timerOf()) {
    const live = liveHandlers({ bus: h.db.bus, identity: identity(), timer });
    return { ...(await stream(live, person.secret)), live, timer };
  }
  async function stream(live: ReturnType<typeof liveHandlers>, secret: string, query: { within?: string } = {}) {
    const gone = new AbortController();
    const cookies = { get: () => null, set: () => undefined };
    const ctx: SignedInCtx = { ...(await ctxOf(h, secret)), secret, cookies, header: () => null, signal: gone.signal };
    const events = (await live.events(ctx, { params: undefined, query, body: undefined }))[Symbol.asyncIterator]();
    const next = async () => {
      const step = await events.next();
      return step.done ? null : step.value.event;
    };
    return { next, gone, events };
  }

  test('live updates name what changed, each once', async () => {
    const { next } = await open();
    await h.creditPerson(mirela.id, 1);
    await h.creditPerson(mirela.id, 1);
    expect([await next(), await next()]).toEqual(['balance', 'session']);
    h.db.bus.publish([`servers:${mirela.id}`, `servers:somebody-else`, `notifications:${mirela.id}`]);
    expect([await next(), await next()]).toEqual(['servers', 'notifications']);
  });

  test('T59 how plugins do is named to staff who may see them alone', async () => {
    const petra = await h.person('petra', { permissions: ['admin.plugins.list'] });
    const [staff, player] = [await open(petra), await open()];
    h.db.bus.publish(['plugins', 'plugins.running']);
    h.db.bus.publish([`servers:${mirela.id}`, `servers:${petra.id}`]);
    expect([await staff.next(), await staff.next()]).toEqual(['plugins', 'servers']);
    expect(await player.next()).toBe('servers');
  });

  test('T64 what changed between the reading of a page and its stream is named as soon as the stream opens', async () => {
    const { live } = await open();
    // Before the process has been up for a while it cannot know, and names everything.
    const young = await stream(live, mirela.secret, { within: '99999999' });
    expect([
      await young.next(),
      await young.next(),
      await young.next(),
      await young.next(),
      await young.next(),
    ]).toEqual(['balance', 'session', 'servers', 'notifications', 'afk']);
    await h.creditPerson(mirela.id, 1);
    const late = await stream(live, mirela.secret, { within: '0' });
    expect([await late.next(), await late.next()]).toEqual(['balance', 'session']);
    // Nothing else was named: what comes next is what happens next.
    h.db.bus.publish([`servers:${mirela.id}`]);
    expect(await late.next()).toBe('servers');
  });

  test('T60 a stream refuses a span of time that is none', async () => {
    for (const within of ['', '-1', '1e9', 'NaN', '1.5', 'x', '9999999999999']) {
      const response = await signedIn().get(`/api/events?within=${within}`);
      expect([within, response.status]).toEqual([within, 422]);
    }
  });

  test('live updates keep the line open, and check the session with each beat', async () => {
    const { next, timer } = await open();
    h.clock.advance(25 * SECOND);
    timer.run();
    expect(await next()).toBe('ping');
    // Ended behind the bus's back, as by another process without one.
    await h.db.sql('DELETE FROM sessions');
    h.clock.advance(2 * MINUTE);
    timer.run();
    expect(await next()).toBe('ping');
    expect(await next()).toBe('session');
    expect(await next()).toBeNull();
    expect(timer.waiting).toBe(0);
  });

  test('T34 a ban ends the stream at once, with a last word', async () => {
    const { next, timer } = await open();
    const last: (string | null)[] = [];
    const reading = (async () => {
      for (let word = await next(); ; word = await next()) {
        last.push(word);
        if (word === null) return;
      }
    })();
    await identity().ban(null, mirela.id, { reason: 'spam', untilMs: null });
    await reading;
    expect(last.slice(-2)).toEqual(['session', null]);
    expect(timer.waiting).toBe(0);
  });

  test('ending one session ends its stream and no other', async () => {
    const other = await identity().openSession(mirela.id, { address: '192.0.2.1', userAgent: '' });
    const { next, live } = await open();
    const kept = await stream(live, other.secret);
    await identity().endSession(await ctxOf(h, other.secret), (await ctxOf(h, mirela.secret)).actor.sessionId);
    expect(await next()).toBe('session');
    expect(await next()).toBeNull();
    h.db.bus.publish([`servers:${mirela.id}`]);
    expect(await kept.next()).toBe('servers');
  });

  test('T35 the stream of a session that gets another secret ends without a word, so that its page asks with the new one', async () => {
    const other = await identity().openSession(mirela.id, { address: '192.0.2.1', userAgent: '' });
    const { next, live, timer } = await open();
    const ended = await stream(live, other.secret);
    const asked = next();
    await identity().changePassword(await ctxOf(h, mirela.secret), {
      current: PASSWORD,
      password: 'a whole other phrase',
    });
    // Not even the notice of the change, whose question would still go out with the old secret.
    expect(await asked).toBeNull();
    expect(timer.waiting).toBe(1);
    expect(await ended.next()).toMatch(/^(balance|session|notifications)$/);
  });

  test('T35 what a stream had not sent yet when its session got another secret stays unsent', async () => {
    const { next } = await open();
    const { sessionId } = (await ctxOf(h, mirela.secret)).actor;
    h.db.bus.publish([`servers:${mirela.id}`]);
    h.db.bus.publish([`rotated:${sessionId}`]);
    expect(await next()).toBeNull();
  });

  test('T52 six streams a user are allowed, and one that is left makes a place, however it was left', async () => {
    const { live, gone, events } = await open();
    const more = [];
    for (let i = 1; i < 6; i += 1) more.push(await stream(live, mirela.secret));
    expect(await codeOf(stream(live, mirela.secret))).toBe('RATE_LIMITED');
    const other = await h.person('other.o');
    await stream(live, other.secret);
    gone.abort();
    expect(await events.next()).toEqual({ done: true, value: undefined });
    await stream(live, mirela.secret);
    expect(await codeOf(stream(live, mirela.secret))).toBe('RATE_LIMITED');
    await more[0]?.events.return?.();
    await stream(live, mirela.secret);
  });

  test('a stream over HTTP opens with something to read, and needs a session', async () => {
    expect(await openBrowser(h).send('GET', '/api/events')).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    const response = await signedIn().get('/api/events');
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const reader = response.body?.getReader();
    const read = async () => new TextDecoder().decode((await reader?.read())?.value);
    expect(await read()).toBe(': open\n\n');
    await h.creditPerson(mirela.id, 5);
    expect(await read()).toBe('event: balance\ndata: {}\n\n');
    await reader?.cancel();
  });
});

describe('notifications and settings', () => {
  test('notifications are listed newest first, marked as read together, and only one’s own', async () => {
    const { notifications } = h.host.services;
    await h.db.uow.run((tx) =>
      notifications.notify(tx, [{ userId: mirela.id, kind: 'giftReceived', data: { n: 1 }, uniqueKey: 'once' }]),
    );
    h.clock.advance(1000);
    await h.db.uow.run((tx) => notifications.notify(tx, [{ userId: mirela.id, kind: 'serverReady' }]));
    await h.db.uow.run((tx) =>
      notifications.notify(tx, [{ userId: mirela.id, kind: 'giftReceived', data: { n: 2 }, uniqueKey: 'once' }]),
    );
    const other = await h.person('other.o');
    expect(await other.api.notifications.list()).toMatchObject({ unread: 0, notifications: [] });
    const list = await mirela.api.notifications.list();
    expect(list.unread).toBe(2);
    expect(list.notifications.map(({ kind, data, read, at }) => ({ kind, data, read, at }))).toEqual([
      { kind: 'serverReady', data: {}, read: false, at: '2026-03-10T12:00:01.000Z' },
      { kind: 'giftReceived', data: { n: 1 }, read: false, at: '2026-03-10T12:00:00.000Z' },
    ]);
    await mirela.api.notifications.markAllRead();
    expect(await mirela.api.notifications.list()).toMatchObject({
      unread: 0,
      notifications: [{ read: true }, { read: true }],
    });
  });

  test('public settings, flags and languages are for all, and what is not public stays inside', async () => {
    const { settings, flags, locales } = await h.guest.system.settings();
    expect(settings).toMatchObject({
      app_name: 'Spawnpoint',
      currency: 'EUR',
      default_ram: 1024,
      server_renew_cost: 100,
    });
    expect(settings).not.toHaveProperty('redeem_wrong_tries');
    expect(settings).not.toHaveProperty('store_enabled');
    expect(flags).toMatchObject({ store_enabled: true, zero_trust_enabled: false });
    expect(locales).toEqual(['en', 'ro', 'fr', 'de', 'es', 'md']);
    await h.set({ app_name: 'Nether Hosting', store_enabled: false });
    const after = await h.guest.system.settings();
    expect(after.settings.app_name).toBe('Nether Hosting');
    expect(after.flags.store_enabled).toBe(false);
  });

  test('S3.3 the public settings have every field of the specification', async () => {
    const { settings } = await h.guest.system.settings();
    for (const field of [
      'app_name',
      'app_version',
      'app_lang',
      'app_timezone',
      'app_url',
      'currency',
      'currency_symbol',
      'company_name',
      'company_address',
      'company_city',
      'company_state',
      'company_country',
      'company_zip',
      'company_vat',
      'default_cpu',
      'default_ram',
      'default_disk',
      'default_ports',
      'default_databases',
      'default_backups',
      'default_server_slots',
      'server_renew_days',
      'server_renew_cost',
    ]) {
      expect(settings).toHaveProperty(field);
    }
  });

  test('S3.5 T50 the debug info shows the machine only to who may see its health', async () => {
    const staff = await h.person('nurse', { permissions: ['admin.health.view'] });
    const root = await h.person('owner', { permissions: ['admin.root'] });
    const other = await h.person('editor', { permissions: ['admin.settings.edit'] });
    for (const { api } of [staff, root]) {
      const { debug } = await api.system.settings();
      expect(debug).toEqual({
        debug_debug: false,
        debug_version: expect.stringMatching(/^\d+\.\d+/),
        debug_os: `${type()} ${arch()}`,
        debug_os_kernel: release(),
        debug_name: 'Spawnpoint',
        debug_telemetry: false,
        debug: { useRedis: false, rateLimit: { enabled: true, limit: 600 } },
      });
    }
    for (const api of [h.guest, mirela.api, other.api]) {
      const { debug } = await api.system.settings();
      expect(debug).toMatchObject({
        debug_debug: false,
        debug_os: '',
        debug_os_kernel: '',
        debug_name: 'Spawnpoint',
        debug: { useRedis: null, rateLimit: { enabled: true, limit: 600 } },
      });
      expect(JSON.stringify(debug)).not.toContain(release());
    }
  });
});
