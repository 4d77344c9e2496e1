import { expect, test } from 'bun:test';
import {
  BASE_HEADERS,
  JSON_HEADERS,
  newNonce,
  NO_TRANSFORM,
  pageHeaders,
  SECRET_HEADERS,
  strictTransport,
} from './security.ts';

const policy = (...given: Parameters<typeof pageHeaders>) =>
  Object.fromEntries(
    (pageHeaders(...given)['Content-Security-Policy'] ?? '').split('; ').map((each) => {
      const [name = '', ...sources] = each.split(' ');
      return [name, sources.join(' ')];
    }),
  );
const ADS =
  'https://*.googlesyndication.com https://*.doubleclick.net https://*.adtrafficquality.google https://www.google.com';
const PLAIN = {
  'default-src': "'self'",
  'script-src': "'self' 'nonce-n' 'strict-dynamic'",
  'style-src': "'self' 'nonce-n'",
  'img-src': "'self' data: blob:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'worker-src': "'self'",
  'manifest-src': "'self'",
  'object-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
};

test('a page allows its own sources alone, and those of ads or a challenge only where there are some', () => {
  expect(policy('n')).toEqual(PLAIN);
  expect(policy('n', true)).toEqual({
    ...PLAIN,
    'img-src': `'self' data: blob: ${ADS}`,
    'connect-src': `'self' ${ADS}`,
    'frame-src': ADS,
  });
  const frames = ['https://one.example', 'https://two.example'];
  expect(policy('n', false, frames)).toEqual({ ...PLAIN, 'frame-src': frames.join(' ') });
  expect(policy('n', true, frames)['frame-src']).toBe(`${ADS} ${frames.join(' ')}`);
  expect(pageHeaders('n')).toMatchObject({
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  });
});

test('every answer says what browsers may not do with it, and an answer in JSON that nobody keeps it', () => {
  expect(BASE_HEADERS).toEqual([
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Frame-Options', 'DENY'],
    ['Referrer-Policy', 'strict-origin'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
  ]);
  expect(JSON_HEADERS['Cache-Control']).toBe('no-store, no-cache');
  expect(SECRET_HEADERS).toEqual({ ...JSON_HEADERS, 'Cache-Control': `no-store, no-cache, ${NO_TRANSFORM}` });
  expect([strictTransport(false), strictTransport(true)]).toEqual([
    'max-age=31536000',
    'max-age=31536000; includeSubDomains',
  ]);
});

test('a nonce is made of sixteen random bytes', () => {
  const nonces = Array.from({ length: 20 }, newNonce);
  expect(new Set(nonces).size).toBe(20);
  expect(nonces.map((each) => Buffer.from(each, 'base64').length)).toEqual(nonces.map(() => 16));
});
