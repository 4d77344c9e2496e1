import { describe, expect, test } from 'bun:test';
import { limitMax } from '#shared/limits.ts';
import { SETTINGS, type SettingValues } from '#shared/settings.ts';
import { readCookie, writeCookie } from './cookies.ts';
import { createLog } from './log.ts';
import { createRateLimiter } from './rate-limit.ts';
import { pageHeaders } from './security.ts';

describe('cookies', () => {
  test('the reader reads one cookie by its whole name', () => {
    const header = 'xtoken=1; token=2; a=b%20c; last=9';
    expect(readCookie(header, 'token')).toBe('2');
    expect(readCookie(header, 'a')).toBe('b c');
    expect(readCookie(header, 'last')).toBe('9');
    expect(readCookie(header, 'none')).toBeNull();
    expect(readCookie(null, 'token')).toBeNull();
    expect(readCookie('bad=%E0%A4%A', 'bad')).toBe('%E0%A4%A');
  });
  test('the writer writes Secure, SameSite=Lax and an encoded value', () => {
    expect(writeCookie('__Host-x', 'a;b', { httpOnly: true, maxAgeS: 60 })).toBe(
      '__Host-x=a%3Bb; Path=/; SameSite=Lax; Secure; Max-Age=60; HttpOnly',
    );
  });
});

describe('rate limits', () => {
  test('T52 a window counts calls, says when it ends, and starts again', () => {
    let now = 1_000_000;
    const settings = Object.fromEntries(
      Object.entries(SETTINGS).map(([key, row]) => [key, row.default]),
    ) as unknown as SettingValues;
    const limiter = createRateLimiter(
      () => now,
      (name) => limitMax(name, settings),
    );
    for (let call = 0; call < settings.limit_login; call += 1) expect(limiter.take('login', 'a')).toBe(0);
    expect(limiter.take('login', 'a')).toBe(60);
    expect(limiter.take('login', 'b')).toBe(0);
    now += 59_500;
    expect(limiter.take('login', 'a')).toBe(1);
    now += 500;
    expect(limiter.take('login', 'a')).toBe(0);
  });
});

test('the content policy allows no inline code', () => {
  const policy = pageHeaders('abc')['Content-Security-Policy'] ?? '';
  expect(policy).toContain("script-src 'self' 'nonce-abc' 'strict-dynamic'");
  expect(policy).not.toContain('unsafe');
});

test('the log writes JSON lines from its level up', () => {
  let written = '';
  const log = createLog(
    'info',
    () => 7,
    (text) => (written += text),
  );
  log.debug('quiet');
  log.info('one', { a: 'line\nbreak' });
  log.error('two');
  expect(
    written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { at: 7, level: 'info', event: 'one', a: 'line\nbreak' },
    { at: 7, level: 'error', event: 'two' },
  ]);
});
