import { describe, expect, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { ANSWER, memoryStorage, openBrowserTabs, OTHER, type FakeBrowserOptions } from '#tests/support/session.ts';
import { safeStorage } from '#client/lib/storage.ts';
import type { SessionAnswer } from './boot.ts';
import { createTabChannel, type TabMessage } from './session-tabs.ts';

/** Two tabs of one browser, signed in. */
function two(options: FakeBrowserOptions = {}) {
  const browser = openBrowserTabs({ replies: [OTHER], ...options });
  return { browser, a: browser.open('a', { born: ANSWER }), b: browser.open('b', { born: ANSWER }) };
}

describe.each([
  ['over a channel', true],
  ['over local storage', false],
])('tabs %s', (_, channel) => {
  test('S4.3 one tab asks for all, and each sees what it hears', async () => {
    const { browser, a, b } = two({ channel });
    await browser.pass(180_000);
    expect(browser.asked).toEqual(['a', 'a', 'a']);
    expect([a.store.get(), b.store.get()]).toEqual([OTHER, OTHER]);
  });

  test('another tab takes over when the leading one is closed', async () => {
    const { browser, a, b } = two({ channel });
    await browser.pass(60_000);
    a.close();
    await browser.pass(120_000);
    expect(browser.asked).toEqual(['a', 'b', 'b']);
    expect(b.store.state()).toBe('active');
  });

  test('a tab that hears nothing of the leading one asks for itself', async () => {
    const browser = openBrowserTabs({ channel });
    browser.open('a', { born: ANSWER });
    // Frozen: its question never comes back.
    browser.replies = [() => new Promise(() => undefined), OTHER];
    browser.open('b', { born: ANSWER });
    await browser.pass(60_000);
    expect(browser.asked).toEqual(['a']);
    await browser.pass(60_000);
    expect(browser.asked).toEqual(['a', 'b']);
  });

  test('a log-out in one tab is a log-out in all', async () => {
    const { browser, a, b } = two({ channel });
    browser.cookies = '';
    await a.store.forceRefresh();
    expect([b.store.state(), b.store.get(), b.seen.failures, b.seen.visitors, a.seen.visitors]).toEqual([
      'none',
      null,
      [],
      1,
      1,
    ]);
    expect(browser.entries.size).toBe(0);
  });

  test('a log-in in one tab is a log-in in all', async () => {
    const browser = openBrowserTabs({ channel, cookies: '', replies: [ANSWER] });
    const [a, b] = [browser.open('a'), browser.open('b')];
    browser.cookies = 'user_token=1';
    await a.store.forceRefresh();
    expect([b.store.state(), b.store.get(), b.seen.visitors, browser.asked]).toEqual(['active', ANSWER, 1, ['a']]);
  });

  test('a page that opens with news brings them to the others', () => {
    const { browser, a } = two({ channel });
    browser.open('c', { born: OTHER });
    expect([a.store.get(), a.seen.visitors]).toEqual([OTHER, 1]);
  });

  test('S4.6 a failure is shown in each tab, and local storage ends empty', async () => {
    const { browser, a, b } = two({ channel, replies: [new ApiError('SESSION_EXPIRED', 200)] });
    await b.store.refresh();
    expect([a.seen.failures, b.seen.failures]).toEqual([['session'], ['session']]);
    expect([a.store.state(), b.store.state(), browser.entries.size]).toEqual(['failed', 'failed', 0]);
  });

  test('a failure that is reported late does not end the log-in that came after it', async () => {
    const { browser, a, b } = two({ channel });
    const failures: TabMessage[] = [
      { kind: 'refused' },
      { kind: 'unavailable' },
      { kind: 'cookie-gone' },
      { kind: 'gave-up' },
    ];
    for (const news of failures) browser.post(news);
    expect([a.store.get(), b.store.get(), a.seen.failures]).toEqual([ANSWER, ANSWER, []]);
  });

  test('a log-in in one tab outlives what another was answered about the session before it', async () => {
    const late = Promise.withResolvers<SessionAnswer>();
    const { browser, a, b } = two({ channel, cookies: 'user_token=a', replies: [() => late.promise, OTHER] });
    const asked = a.store.refresh();
    browser.cookies = 'user_token=b';
    await b.store.forceRefresh();
    late.reject(new ApiError('UNAUTHENTICATED', 401));
    await asked;
    expect([browser.cookies, a.store.get(), b.store.get(), a.store.state(), b.store.state()]).toEqual([
      'user_token=b',
      OTHER,
      OTHER,
      'active',
      'active',
    ]);
    expect([a.seen.failures, b.seen.failures]).toEqual([[], []]);
  });

  test('an answer that is reported late does not bring back a session that was ended', () => {
    const { browser, a } = two({ channel });
    browser.cookies = '';
    browser.post({ kind: 'cookie-gone' });
    browser.post({ kind: 'answer', answer: ANSWER });
    browser.post({ kind: 'second-factor' });
    expect([a.store.state(), a.store.get(), a.seen.secondFactor]).toEqual(['none', null, 0]);
  });

  test('S4.7 the second factor is asked for in each tab', async () => {
    const { a, b } = two({ channel, replies: [new ApiError('TW0_FA_BLOCKED', 200)] });
    await a.store.refresh();
    expect([a.seen.secondFactor, b.seen.secondFactor, b.store.state()]).toEqual([1, 1, 'blocked']);
  });
});

test('S4.3 without locks each tab asks', async () => {
  const { browser } = two({ locks: false });
  await browser.pass(60_000);
  expect([...browser.asked].sort()).toEqual(['a', 'b']);
});

test('a possible change is fetched by the visible tab, and by others when shown, unless they heard of it', async () => {
  const browser = openBrowserTabs({ replies: [OTHER] });
  const [seen, hidden] = [browser.open('a', { born: ANSWER }), browser.open('b', { born: ANSWER, visible: false })];
  hidden.store.refreshWhenVisible();
  seen.store.refreshWhenVisible();
  await browser.flush();
  expect([browser.asked, hidden.store.get()]).toEqual([['a'], OTHER]);
  hidden.show(true);
  await browser.flush();
  expect(browser.asked).toEqual(['a']);
  hidden.show(false);
  hidden.store.refreshWhenVisible();
  hidden.show(true);
  await browser.flush();
  expect(browser.asked).toEqual(['a', 'b']);
});

test('a tab that comes back into view sees that the cookie is gone', () => {
  const { browser, b } = two();
  browser.cookies = '';
  b.show(true);
  expect(b.store.state()).toBe('none');
});

describe('the line itself', () => {
  const line = (channel: ReturnType<typeof fakeChannel> | null) => {
    let tell: (key: string | null, value: string | null) => void = () => undefined;
    const heard: TabMessage[] = [];
    const tabs = createTabChannel({
      locks: null,
      channel,
      storage: safeStorage(() => memoryStorage()),
      onStorage: (listener) => ((tell = listener), () => undefined),
    });
    const stop = tabs.listen((news) => heard.push(news));
    return { tabs, heard, stop, tell: (key: string | null, value: string | null) => tell(key, value) };
  };
  function fakeChannel() {
    return Object.assign(new EventTarget(), { postMessage: () => undefined });
  }

  test('a message that is not ours is not heard', () => {
    const channel = fakeChannel();
    const over = line(channel);
    for (const data of [
      null,
      'answer',
      {},
      { kind: 'answer' },
      { kind: 'answer', answer: { user_info: {} } },
      { kind: 'ask' },
      { kind: 'cookie-gone' },
    ]) {
      channel.dispatchEvent(new MessageEvent('message', { data }));
    }
    expect(over.heard).toEqual([{ kind: 'cookie-gone' }]);
    over.stop();
    channel.dispatchEvent(new MessageEvent('message', { data: { kind: 'cookie-gone' } }));
    expect(over.heard).toHaveLength(1);
    const items = line(null);
    for (const value of ['', 'x', '[]', '{"kind":"none"}', '{"kind":"refused","n":1}'])
      items.tell('session_news', value);
    items.tell('other', '{"kind":"refused"}');
    items.tell(null, null);
    expect(items.heard.map((news) => news.kind)).toEqual(['refused']);
  });

  test('a browser that refuses locks leads by itself', async () => {
    const request = () => Promise.reject(new DOMException('no', 'SecurityError'));
    const tabs = createTabChannel({
      locks: { request },
      channel: null,
      storage: safeStorage(() => memoryStorage()),
      onStorage: () => () => undefined,
    });
    expect(tabs.isLeader()).toBe(false);
    await Promise.resolve();
    await Promise.resolve();
    expect(tabs.isLeader()).toBe(true);
  });
});
