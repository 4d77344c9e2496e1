import { describe, expect, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import type { Api } from '#shared/contract/index.ts';
import type { SessionAnswer } from './boot.ts';
import { createSessionStore, SESSION_TABLE, type SessionEvent, type SessionFailure, type SessionPorts, type SessionState } from './session-store.ts';

const ANSWER: SessionAnswer = { user_info: { username: 'mirela', nothing: null }, billing: { credits: 5 }, stats: { servers: 1 }, permissions: ['admin.egg.list'] };

function memoryStorage(): SessionPorts['storage'] & { entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  };
}

/** A store over answers given in order: an answer, or an error to throw. The last one repeats. */
function world(answers: (SessionAnswer | Error)[], born: SessionAnswer | null = null) {
  const storage = memoryStorage();
  const seen = { calls: 0, waits: [] as number[], failures: [] as SessionFailure[], secondFactor: 0 };
  let cookies = 'user_token=1';
  const get = async () => {
    const next = answers[Math.min(seen.calls, answers.length - 1)];
    seen.calls += 1;
    if (!next || next instanceof Error) throw next ?? new Error('nothing to answer');
    return next;
  };
  const api = { session: { get } } as Partial<Api> as Api;
  const store = createSessionStore(
    {
      api,
      storage,
      cookies: () => cookies,
      clearCookie: (name) => (cookies = cookies.split('; ').filter((each) => !each.startsWith(`${name}=`)).join('; ')),
      wait: async (ms) => void seen.waits.push(ms),
      onFailure: (why) => seen.failures.push(why),
      onSecondFactor: () => (seen.secondFactor += 1),
    },
    born,
  );
  return { store, seen, storage, setCookies: (text: string) => (cookies = text), cookies: () => cookies };
}

describe('the session machine', () => {
  const states: SessionState[] = ['none', 'starting', 'active', 'refreshing', 'failed', 'blocked'];
  const events: SessionEvent[] = ['cookie', 'cookie-gone', 'answer', 'refused', 'server-error', 'second-factor', 'refresh', 'gave-up'];
  test('knows every state and leads only to known ones', () => {
    expect(Object.keys(SESSION_TABLE).sort()).toEqual([...states].sort());
    for (const row of Object.values(SESSION_TABLE)) {
      for (const [event, next] of Object.entries(row)) {
        expect(events).toContain(event as SessionEvent);
        expect(states).toContain(next);
      }
    }
  });
  test('a vanished cookie ends it from everywhere', () => {
    for (const state of states.filter((each) => each !== 'none')) expect(SESSION_TABLE[state]['cookie-gone']).toBe('none');
  });
});

describe('the session in the browser', () => {
  test('without a cookie there is no session and nobody is asked', async () => {
    const { store, seen, setCookies } = world([ANSWER]);
    setCookies('');
    await store.refresh();
    expect([store.state(), seen.calls]).toEqual(['none', 0]);
  });

  test('with one it starts, and caches each entry under its own key', async () => {
    const { store, storage } = world([ANSWER]);
    await store.refresh();
    expect(store.state()).toBe('active');
    expect(Object.fromEntries(storage.entries)).toEqual({ username: 'mirela', credits: '5', servers: '1', user_permissions: '["admin.egg.list"]' });
  });

  test('any of the five names counts as present', () => {
    const { store, setCookies } = world([ANSWER]);
    for (const name of ['user_token', 'session_token', 'auth_token', 'token', 'spawnpoint_token']) {
      setCookies(`a=b; ${name}=1`);
      expect(store.present()).toBe(true);
    }
    setCookies('xtoken=1; user_token=');
    expect(store.present()).toBe(false);
  });

  test('two questions at once are one call', async () => {
    const { store, seen } = world([ANSWER]);
    await Promise.all([store.refresh(), store.refresh(), store.refresh()]);
    expect(seen.calls).toBe(1);
  });

  test('cached permissions serve until the answer is there', () => {
    const { store, storage } = world([ANSWER]);
    storage.setItem('user_permissions', '["admin.root", 7]');
    expect(store.permissions()).toEqual(['admin.root']);
    storage.setItem('user_permissions', 'broken');
    expect(store.permissions()).toEqual([]);
  });

  test('a refused session clears cookie and storage and says so', async () => {
    const { store, seen, storage, cookies } = world([new ApiError('SESSION_EXPIRED', 200)], ANSWER);
    storage.setItem('username', 'mirela');
    await store.refresh();
    expect([store.state(), store.get(), cookies(), storage.entries.size]).toEqual(['failed', null, '', 0]);
    expect(seen.failures).toEqual(['expired']);
  });

  test('503 and 500 count as failed at once', async () => {
    for (const error of [new ApiError('SERVER_UNAVAILABLE', 503), new ApiError('SERVER_ERROR', 500)]) {
      const { store, seen } = world([error], ANSWER);
      await store.refresh();
      expect([seen.failures, seen.calls]).toEqual([['unavailable'], 1]);
    }
  });

  test('other failures are tried three times more, 2000 ms apart', async () => {
    const { store, seen } = world([new TypeError('no line'), new TypeError('no line'), new ApiError('RATE_LIMITED', 429), ANSWER]);
    await store.refresh();
    expect([seen.waits, seen.calls, store.state()]).toEqual([[2000, 2000, 2000], 4, 'active']);
  });

  test('a start that never comes is told; a refresh that never comes keeps what is known', async () => {
    const starting = world([new TypeError('no line')]);
    await starting.store.refresh();
    expect([starting.seen.failures, starting.seen.calls]).toEqual([['start'], 4]);
    const running = world([new TypeError('no line')], ANSWER);
    await running.store.refresh();
    expect([running.store.state(), running.store.get(), running.seen.failures]).toEqual(['active', ANSWER, []]);
  });

  test('TW0_FA_BLOCKED leads to the second factor without a dialog', async () => {
    const { store, seen } = world([new ApiError('TW0_FA_BLOCKED', 200)], ANSWER);
    await store.refresh();
    expect([store.state(), seen.secondFactor, seen.failures]).toEqual(['blocked', 1, []]);
  });

  test('a cookie that vanished cleans up without a dialog', async () => {
    const { store, seen, setCookies } = world([ANSWER], ANSWER);
    setCookies('other=1');
    await store.refresh();
    expect([store.state(), store.get(), seen.failures, seen.calls]).toEqual(['none', null, [], 0]);
  });
});
