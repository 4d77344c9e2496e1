import { expect, test } from 'bun:test';
import { isProxy, proxiesIn } from './trusted-proxies.ts';

test('entries are a line each; blanks around them and empty lines count for nothing', () => {
  expect(proxiesIn(' 10.0.0.1 \r\n\n::1\n')).toEqual(['10.0.0.1', '::1']);
});

test.each([
  '203.0.113.7',
  '10.0.0.0/8',
  '0.0.0.0',
  '255.255.255.255/32',
  '::1',
  '2001:DB8::/32',
  'fe80::1/128',
  '::/19',
])('an address or a network that is narrow enough is a proxy: %s', (entry) => expect(isProxy(entry)).toBe(true));

test.each([
  '',
  ' ',
  'proxy',
  'proxy.example',
  '10.0.0',
  '10.0.0.1.',
  '10.0.0.256',
  '010.0.0.1',
  '0x0a.0.0.1',
  '167772161',
  '10.0.0.0/7',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0.0/+8',
  '10.0.0.0-10.0.0.9',
  '10.0.0.1:80',
  '::/18',
  '::1/129',
  ':::',
  '[::1]',
  'fe80::1%eth0',
  '::ffff:10.0.0.1',
  '::FFFF:a00:1',
  '::ffff:0:0/96',
  '*',
])('T18 what is none, or names half the internet, is refused: “%s”', (entry) => expect(isProxy(entry)).toBe(false));
