import { describe, expect, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { MARKER_COOKIE, SESSION_REFRESH_MS, SESSION_RETRIES, SESSION_RETRY_DELAY_MS } from '#shared/constants.ts';
import { ANSWER, memoryStorage, openBrowserTabs, OTHER, type FakeBrowserOptions } from '#tests/support/session.ts';
import type { SessionAnswer } from './boot.ts';

/** One tab over a browser. */
function open(options: FakeBrowserOptions & { born?: SessionAnswer | null } = {}) {
  const browser = openBrowserTabs(options);
  const tab = browser.open('a', { born: options.born ?? null });
  return { browser, tab, store: tab.store, seen: tab.seen, entries: browser.entries };
}
const OFFLINE = new TypeError('no line');
const CACHED = {
  id: 'u1',
  username: 'mirela',
  verified: 'true',
  credits: '5',
  servers: '1',
  user_permissions: '["admin.egg.list"]',
  session_keys: '["id","username","verified","credits","servers"]',
};

test('S9.1 the constants of the session are those of the specification', () => {
  expect([SESSION_REFRESH_MS, SESSION_RETRIES, SESSION_RETRY_DELAY_MS, MARKER_COOKIE]).toEqual([
    60_000,
    3,
    2_000,
    'user_token',
  ]);
});

describe('a session begins', () => {
  test('S4.1 no session starts without a cookie, nobody is asked, and nothing of an earlier user stays', async () => {
    const storage = memoryStorage();
    for (const [key, value] of Object.entries(CACHED)) storage.setItem(key, value);
    storage.setItem('theme', 'light');
    const { browser, store } = open({ cookies: 'other=1', storage });
    await store.refresh();
    await browser.pass(300_000);
    expect([store.state(), store.get(), store.isPresent(), browser.asked]).toEqual(['none', null, false, []]);
    expect(Object.fromEntries(storage.entries)).toEqual({ theme: 'light' });
  });

  test('S4.2 S3.1 a session with a cookie starts once, and each entry is cached under its own key', async () => {
    const { browser, store, entries } = open();
    expect(store.state()).toBe('starting');
    await browser.flush();
    expect([store.state(), browser.asked.length]).toEqual(['active', 1]);
    expect(Object.fromEntries(entries)).toEqual(CACHED);
  });

  test('S4.2 a page that comes with its session does not fetch it', async () => {
    const { browser, store, entries } = open({ born: ANSWER });
    await browser.flush();
    expect([store.state(), browser.asked, Object.fromEntries(entries)]).toEqual(['active', [], CACHED]);
  });

  test('S4.2 S5.3 cached permissions serve until the answer is there, and where the list is empty', async () => {
    const storage = memoryStorage();
    storage.setItem('user_permissions', '["admin.root", 7]');
    const { browser, store } = open({ storage });
    expect([store.get(), store.permissions()]).toEqual([null, ['admin.root']]);
    await browser.flush();
    expect(store.permissions()).toEqual(['admin.egg.list']);
    browser.replies = [OTHER];
    await store.refresh();
    storage.setItem('user_permissions', '["admin.users.list"]');
    expect([store.get()?.permissions, store.permissions()]).toEqual([[], ['admin.users.list']]);
    storage.setItem('user_permissions', 'broken');
    expect(store.permissions()).toEqual([]);
  });

  test('S2.13 S9.1 any of the five names counts as present; the session logic goes by user_token alone', async () => {
    for (const name of ['user_token', 'session_token', 'auth_token', 'token', 'spawnpoint_token']) {
      const { browser, store } = open({ cookies: '' });
      browser.cookies = `a=b; ${name}=1`;
      expect([name, store.isPresent()]).toEqual([name, true]);
      await store.refresh();
      expect([name, browser.asked.length]).toEqual([name, name === 'user_token' ? 1 : 0]);
    }
    const { browser, store } = open({ cookies: '' });
    browser.cookies = 'xtoken=1; user_token=; tokens=2';
    expect(store.isPresent()).toBe(false);
  });

  test('a cookie of another product does not count once our server has rendered the page for a guest', () => {
    const { browser, store } = open({ cookies: 'token=somebody-elses' });
    expect(store.isPresent()).toBe(false);
    browser.cookies = 'token=new';
    expect(store.isPresent()).toBe(true);
    store.disown();
    expect(store.isPresent()).toBe(false);
  });
});

describe('a session goes on', () => {
  test('S4.3 the server is asked every 60 seconds', async () => {
    const { browser } = open({ born: ANSWER });
    await browser.pass(59_999);
    expect(browser.asked).toHaveLength(0);
    await browser.pass(1);
    expect(browser.asked).toHaveLength(1);
    await browser.pass(180_000);
    expect(browser.asked).toHaveLength(4);
  });

  test('S4.4 a refresh is skipped while another is running', async () => {
    const late = Promise.withResolvers<SessionAnswer>();
    const { browser, store } = open({ born: ANSWER, replies: [() => late.promise, OTHER] });
    const first = store.refresh();
    expect(store.refresh()).toBe(first);
    await browser.pass(180_000);
    expect([browser.asked.length, store.state()]).toEqual([1, 'refreshing']);
    late.resolve(ANSWER);
    await first;
    await browser.pass(60_000);
    expect(browser.asked).toHaveLength(2);
  });

  test('a request from before a change is not enough: one more is made for all callers', async () => {
    const late = Promise.withResolvers<SessionAnswer>();
    const { browser, store } = open({ born: ANSWER, replies: [() => late.promise, OTHER] });
    const old = store.refresh();
    const renewed = [store.forceRefresh(), store.forceRefresh()];
    late.resolve(ANSWER);
    await old;
    await Promise.all(renewed);
    expect([browser.asked.length, store.get()]).toEqual([2, OTHER]);
  });

  test('S4.5 a cookie that vanished stops the refreshing and cleans up, without a dialog', async () => {
    const { browser, store, seen, entries } = open({ born: ANSWER });
    entries.set('ui-settings', '{}');
    browser.cookies = 'other=1';
    await browser.pass(60_000);
    expect([store.state(), store.get(), store.permissions(), seen.failures]).toEqual(['none', null, [], []]);
    expect(Object.fromEntries(entries)).toEqual({ 'ui-settings': '{}' });
    await browser.pass(300_000);
    expect([browser.asked, seen.visitors]).toEqual([[], 1]);
  });

  test('S4.5 a cookie that vanished while the server was asked ends the session without a failure', async () => {
    for (const reply of [ANSWER, new ApiError('SESSION_EXPIRED', 200), OFFLINE]) {
      const late = Promise.withResolvers<SessionAnswer>();
      const { browser, store, seen } = open({ born: ANSWER, replies: [() => late.promise] });
      const asked = store.refresh();
      browser.cookies = '';
      if (reply instanceof Error) late.reject(reply);
      else late.resolve(reply);
      await asked;
      expect([store.state(), store.get(), seen.failures, seen.waits]).toEqual(['none', null, [], []]);
    }
  });
});

describe('a session ends', () => {
  test('S4.6 S8.2 a refused session clears the cookie, empties local storage, forgets, and says so once', async () => {
    const { browser, store, seen, entries } = open({ born: ANSWER, replies: [new ApiError('SESSION_EXPIRED', 200)] });
    entries.set('ui-settings', '{}');
    browser.cookies += '; auth_token=x; theme=light';
    await store.refresh();
    expect([store.state(), store.get(), store.permissions(), browser.cookies, entries.size]).toEqual([
      'failed',
      null,
      [],
      'theme=light',
      0,
    ]);
    await browser.pass(300_000);
    expect([seen.failures, browser.asked.length, seen.visitors]).toEqual([['session'], 1, 0]);
  });

  test('S4.8 S8.1 a 503 is a failed session: the server is unavailable', async () => {
    const { browser, store, seen } = open({ born: ANSWER, replies: [new ApiError('SERVER_UNAVAILABLE', 503)] });
    await store.refresh();
    expect([seen.failures, browser.asked.length, seen.waits, store.state(), browser.cookies]).toEqual([
      ['unavailable'],
      1,
      [],
      'failed',
      '',
    ]);
  });

  test('S4.8 statuses of 500 and above are failed sessions at once', async () => {
    for (const status of [500, 502, 504, 599]) {
      const { browser, store, seen } = open({ born: ANSWER, replies: [new ApiError('SERVER_ERROR', status)] });
      await store.refresh();
      expect([status, seen.failures, browser.asked.length, store.state()]).toEqual([status, ['session'], 1, 'failed']);
    }
  });

  test('S4.9 other failures are retried up to three times, 2000 ms apart', async () => {
    const { browser, store, seen } = open({
      replies: [OFFLINE, new ApiError('SERVER_ERROR', 200), new ApiError('RATE_LIMITED', 429), ANSWER],
    });
    await browser.flush();
    expect([seen.waits, browser.asked.length, store.state()]).toEqual([[2000, 2000, 2000], 4, 'active']);
  });

  test('S4.9 an answer that has not the shape of a session is no answer', async () => {
    const { browser, store, seen } = open({
      replies: [async () => ({ success: true }) as object as SessionAnswer, ANSWER],
    });
    await browser.flush();
    expect([seen.waits, store.get()]).toEqual([[2000], ANSWER]);
  });

  test('S8.4 a start that never comes is reported, once', async () => {
    const { browser, store, seen } = open({ replies: [OFFLINE] });
    await browser.flush();
    await browser.pass(300_000);
    expect([seen.failures, browser.asked.length, store.state(), browser.cookies]).toEqual([['start'], 4, 'none', '']);
  });

  test('S4.9 a refresh that never comes keeps what is known, and the next round tries again', async () => {
    const { browser, store, seen } = open({ born: ANSWER, replies: [OFFLINE, OFFLINE, OFFLINE, OFFLINE, OTHER] });
    await store.refresh();
    expect([store.state(), store.get(), seen.failures, browser.asked.length]).toEqual(['active', ANSWER, [], 4]);
    await browser.pass(60_000);
    expect(store.get()).toEqual(OTHER);
  });

  test('S4.7 TW0_FA_BLOCKED leads straight to the second factor, without a dialog', async () => {
    for (const status of [200, 403]) {
      const { browser, store, seen, entries } = open({
        born: ANSWER,
        replies: [new ApiError('TW0_FA_BLOCKED', status), ANSWER],
      });
      await store.refresh();
      expect([store.state(), seen.secondFactor, seen.failures, browser.cookies, entries.size]).toEqual([
        'blocked',
        1,
        [],
        'user_token=1',
        0,
      ]);
      await store.forceRefresh();
      expect([store.state(), store.get()]).toEqual(['active', ANSWER]);
    }
  });

  test('after a failure another log-in starts a session again', async () => {
    const { browser, store } = open({ born: ANSWER, replies: [new ApiError('SESSION_EXPIRED', 200), OTHER] });
    await store.refresh();
    browser.cookies = 'user_token=1';
    await store.forceRefresh();
    expect([store.state(), store.get()]).toEqual(['active', OTHER]);
  });
});

describe('a log-in that comes while the session before it is asked about', () => {
  const refusals: readonly [string, Error][] = [
    ['refused', new ApiError('UNAUTHENTICATED', 401)],
    ['refused by a fault', new ApiError('SERVER_ERROR', 500)],
    ['unavailable', new ApiError('SERVER_UNAVAILABLE', 503)],
    ['held for a second factor', new ApiError('TW0_FA_BLOCKED', 403)],
  ];
  test.each(refusals)(
    'S4.6 the newer log-in is asked about again and stays where the one before is %s',
    async (_, refusal) => {
      for (const before of ['user_token=1', 'user_token=a']) {
        const late = Promise.withResolvers<SessionAnswer>();
        const { browser, store, seen, entries } = open({
          born: ANSWER,
          cookies: before,
          replies: [() => late.promise, OTHER],
        });
        const asked = store.refresh();
        browser.cookies = 'theme=light; user_token=b; token=x';
        late.reject(refusal);
        await asked;
        expect([store.state(), store.get(), browser.cookies, browser.asked.length]).toEqual([
          'active',
          OTHER,
          'theme=light; user_token=b; token=x',
          2,
        ]);
        expect([seen.failures, seen.secondFactor, seen.visitors, entries.get('username')]).toEqual([[], 0, 1, 'tobi']);
      }
    },
  );

  test('the newer log-in is asked about again where the answer may still be of the user before', async () => {
    const late = Promise.withResolvers<SessionAnswer>();
    const { browser, store, seen } = open({
      born: ANSWER,
      cookies: 'user_token=a',
      replies: [() => late.promise, OTHER],
    });
    const asked = store.refresh();
    browser.cookies = 'user_token=b';
    late.resolve(ANSWER);
    await asked;
    expect([store.get(), seen.visitors, browser.asked.length]).toEqual([OTHER, 1, 2]);
  });

  test('S4.9 the newer log-in has three retries of its own', async () => {
    const { browser, store, seen } = open({ born: null, cookies: '', replies: [OFFLINE] });
    browser.cookies = 'user_token=a';
    const third = Promise.withResolvers<SessionAnswer>();
    browser.replies = [OFFLINE, OFFLINE, () => third.promise, OFFLINE, OFFLINE, OFFLINE, ANSWER];
    const asked = store.refresh();
    await browser.flush();
    browser.cookies = 'user_token=b';
    third.reject(OFFLINE);
    await asked;
    expect([store.state(), store.get(), browser.asked.length, seen.failures]).toEqual(['active', ANSWER, 7, []]);
  });

  test('S4.6 the newer log-in ends as any other where the server refuses it as well', async () => {
    const late = Promise.withResolvers<SessionAnswer>();
    const { browser, store, seen } = open({
      born: ANSWER,
      cookies: 'user_token=a',
      replies: [() => late.promise, new ApiError('UNAUTHENTICATED', 401)],
    });
    const asked = store.refresh();
    browser.cookies = 'user_token=b';
    late.reject(new ApiError('UNAUTHENTICATED', 401));
    await asked;
    expect([store.state(), browser.cookies, seen.failures]).toEqual(['failed', '', ['session']]);
  });

  test('S4.5 the newer log-in is over where a log-out came after it', async () => {
    const late = Promise.withResolvers<SessionAnswer>();
    const { browser, store, seen } = open({ born: ANSWER, cookies: 'user_token=a', replies: [() => late.promise] });
    const asked = store.refresh();
    browser.cookies = 'user_token=b';
    browser.cookies = '';
    late.reject(new ApiError('UNAUTHENTICATED', 401));
    await asked;
    expect([store.state(), seen.failures, browser.asked.length]).toEqual(['none', [], 1]);
  });
});

describe('a page that was rendered for a guest', () => {
  const page = (cookies: string, refusedMarker: string | null) => {
    const browser = openBrowserTabs({ cookies });
    return { browser, ...browser.open('a', { refusedMarker }) };
  };

  test('the marker that the server refused is cleared, and no session asked for', async () => {
    for (const [cookie, refused] of [
      ['1', '1'],
      ['a-marker', 'a-marker'],
      ['a%3Db', 'a=b'],
      ['%zz', '%zz'],
    ] as const) {
      const { browser, store, seen } = page(`theme=light; user_token=${cookie}`, refused);
      await browser.flush();
      expect([cookie, browser.cookies, store.state(), browser.asked, seen.failures]).toEqual([
        cookie,
        'theme=light',
        'none',
        [],
        [],
      ]);
    }
  });

  test('the marker of a log-in that came meanwhile is kept, and its session asked for', async () => {
    for (const refused of ['1', 'a', null]) {
      const { browser, store, seen } = page('user_token=b', refused);
      await browser.flush();
      expect([browser.cookies, store.get(), browser.asked, seen.visitors]).toEqual(['user_token=b', ANSWER, ['a'], 1]);
    }
  });
});
