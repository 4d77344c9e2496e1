import { afterEach, describe, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/auth/login');
const { adoptTarget, isOwnPath, saveTarget, consumeTarget, readTargetCookie } = await import('./redirect-target.ts');

const KEY = 'redirectAfterLogin';
const COOKIE = 'redirect_after_login';
const setCookie = (name: string, value: string) => (document.cookie = `${name}=${value}; Path=/; SameSite=Lax; Secure`);
const request = new Request('https://panel.example/auth/login');

afterEach(() => {
  localStorage.clear();
  for (const name of [COOKIE, 'user_token']) document.cookie = `${name}=; Path=/; Max-Age=0; SameSite=Lax; Secure`;
});

describe('a target', () => {
  test.each(['/store', '/store?tab=2&q=a%20b', '/server/1/renew#pay', '/', '/a//b', '/.well-known'])(
    'S2.11 %s is a full path of ours',
    (path) => {
      expect(isOwnPath(path)).toBe(true);
    },
  );
  test.each([
    '',
    'store',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/a\\b',
    '/a\nb',
    '/\t/evil.example',
    ' /store',
    '/.//evil.example',
    '/x/..//evil.example',
    '/%2e//evil.example',
    `/${'a'.repeat(2000)}`,
  ])('T45 %j is no target', (path) => {
    expect(isOwnPath(path)).toBe(false);
    saveTarget(path);
    expect(localStorage.getItem(KEY)).toBeNull();
  });

  test('S2.12 a target is taken once, then it is the dashboard', () => {
    saveTarget('/store?tab=2');
    expect([consumeTarget(request), localStorage.getItem(KEY), consumeTarget(request)]).toEqual([
      '/store?tab=2',
      null,
      '/dashboard',
    ]);
  });
  test('T45 S2.12 a target that somebody wrote by hand is not followed', () => {
    localStorage.setItem(KEY, '//evil.example');
    expect([consumeTarget(request), localStorage.getItem(KEY)]).toEqual(['/dashboard', null]);
  });
});

describe("the server's redirect", () => {
  test('S2.11 the page a guest wanted moves from the cookie into local storage', () => {
    setCookie(COOKIE, encodeURIComponent('/store?tab=2'));
    expect(adoptTarget()).toBeNull();
    expect(localStorage.getItem(KEY)).toBe('/store?tab=2');
    expect(document.cookie).not.toContain('store');
  });
  test('nothing changes without a redirect of the server', () => {
    saveTarget('/account');
    expect([adoptTarget(), localStorage.getItem(KEY)]).toEqual([null, '/account']);
  });
  test('S2.12 somebody who is logged in goes on to the target that only the browser knows', () => {
    saveTarget('/account');
    setCookie('user_token', '1');
    setCookie(COOKIE, 'stored');
    expect([adoptTarget(), localStorage.getItem(KEY)]).toEqual(['/account', null]);
    expect(document.cookie).not.toContain('stored');
    setCookie(COOKIE, 'stored');
    expect(adoptTarget()).toBeNull();
  });
  test('a visitor who is on the target page keeps no target', () => {
    setCookie('user_token', '1');
    setCookie(COOKIE, '%2Fstore');
    expect([adoptTarget(), localStorage.getItem(KEY)]).toEqual([null, null]);
  });
  test('T45 what is no path of ours is not taken over', () => {
    for (const value of ['%2F%2Fevil.example', '%E0%A4%A', 'https%3A%2F%2Fevil.example']) {
      setCookie(COOKIE, value);
      expect([adoptTarget(), localStorage.getItem(KEY), readTargetCookie(`${COOKIE}=${value}`)]).toEqual([
        null,
        null,
        null,
      ]);
    }
    expect(readTargetCookie(`a=b; ${COOKIE}=%2Fstore; c=d`)).toBe('/store');
  });
});
