import { expect, test } from 'bun:test';
import type { CookieOptions } from '#server/http/implement.types.ts';
import { MARKER_COOKIE, SESSION_COOKIE } from '#shared/constants.ts';
import { clearSessionCookies, DEVICE_COOKIE, readDevice, ensureDevice, setSessionCookies } from './session-cookies.ts';

const DAY_S = 86_400;
const MARKER = /^[0-9a-f-]{36}$/;

/** Cookies of a browser, and what was set. */
function jar(brought: Readonly<Record<string, string>> = {}) {
  const set: [name: string, value: string, options: CookieOptions][] = [];
  return {
    set,
    cookies: {
      get: (name: string) => brought[name] ?? null,
      set: (name: string, value: string, options: CookieOptions) => void set.push([name, value, options]),
    },
  };
}

test('the secret is kept from scripts, the marker beside it is not, and both live as long as a session', () => {
  const { set, cookies } = jar();
  setSessionCookies(cookies, 'a-secret');
  clearSessionCookies(cookies);
  expect(set).toEqual([
    [SESSION_COOKIE, 'a-secret', { maxAgeS: 400 * DAY_S, httpOnly: true }],
    [MARKER_COOKIE, expect.stringMatching(MARKER), { maxAgeS: 400 * DAY_S }],
    [SESSION_COOKIE, '', { maxAgeS: 0, httpOnly: true }],
    [MARKER_COOKIE, '', { maxAgeS: 0 }],
  ]);
});

test('each marker has a value of its own, also where the same session is renewed', () => {
  const { set, cookies } = jar();
  for (const secret of ['one', 'two', 'two']) setSessionCookies(cookies, secret);
  expect(new Set(set.filter(([name]) => name === MARKER_COOKIE).map(([, value]) => value)).size).toBe(3);
});

test('a browser keeps its token for 400 days from its last log-in, and gets one where it brought none', () => {
  const known = jar({ [DEVICE_COOKIE]: 'a-known-browser' });
  const unknown = jar();
  const newToken = () => 'a-new-token';
  expect([ensureDevice(known.cookies, newToken), ensureDevice(unknown.cookies, newToken)]).toEqual([
    'a-known-browser',
    'a-new-token',
  ]);
  const options = { maxAgeS: 400 * DAY_S, httpOnly: true };
  expect([known.set, unknown.set]).toEqual([
    [[DEVICE_COOKIE, 'a-known-browser', options]],
    [[DEVICE_COOKIE, 'a-new-token', options]],
  ]);
});

test('T58 a token of a strange form counts as none', () => {
  const read = (token: string) => readDevice(jar({ [DEVICE_COOKIE]: token }).cookies);
  for (const token of ['12345678', 'x'.repeat(100), 'Az0_-Az0_-']) expect(read(token)).toBe(token);
  for (const token of ['', '1234567', 'x'.repeat(101), 'a token', "'; DROP", 'tokenß89']) expect(read(token)).toBe('');
});
