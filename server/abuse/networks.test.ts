import { describe, expect, test } from 'bun:test';
import { networks } from './networks.ts';

const has = (list: string, address: string) => networks.parse(list).set.has(address);

describe('lists of networks', () => {
  test.each([
    ['203.0.113.0/24', '203.0.113.9', true],
    ['203.0.113.0/24', '::ffff:203.0.113.9', true],
    ['::ffff:203.0.113.0/120', '203.0.113.9', true],
    ['203.0.113.0/24', '203.0.114.0', false],
    ['203.0.113.77/24', '203.0.113.1', true],
    ['203.0.113.9', '203.0.113.9', true],
    ['203.0.113.9', '203.0.113.10', false],
    ['203.0.113.5-203.0.113.9', '203.0.113.7', true],
    ['203.0.113.5 - 203.0.113.9', '203.0.113.10', false],
    ['2001:db8::/32', '2001:db8::1', true],
    ['2001:db8::/32', '2001:0DB8:0:0::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::1-2001:db8::ff', '2001:db8::80', true],
    ['203.0.113.0/24', 'unknown', false],
    ['203.0.113.0/24', '203.0.113', false],
    ['', '203.0.113.9', false],
  ])('the networks %s and %s are compared: %s', (list, address, expected) => expect(has(list, address)).toBe(expected));

  test('comments, blank lines, a mark at the beginning and other line ends are skipped, and bad lines are named', () => {
    const text =
      '\uFEFF# FireHOL\r\n\r\n203.0.113.0/24 ; a comment\r\nnothing\r\n198.51.100.7#x\r\n0.0.0.0/0\r\n10.0.0.0/7\r\n2001::/18\r\n300.1.1.1\r\n010.1.1.1\r\n1.2.3.4/33\r\n1.2.3.9-1.2.3.4\r\n0.0.0.0-255.255.255.255\r\n';
    const { set, faults } = networks.parse(text);
    expect(faults).toEqual([4, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect([set.size, set.has('203.0.113.1'), set.has('198.51.100.7'), set.has('8.8.8.8')]).toEqual([
      2,
      true,
      true,
      false,
    ]);
  });

  test('overlapping networks become one', () => {
    const { set } = networks.parse(
      '203.0.113.0/24\n203.0.113.128/25\n203.0.113.250-203.0.114.3\n2001:db8::/32\n2001:db8:1::/48',
    );
    expect([set.size, set.has('203.0.114.3'), set.has('203.0.114.4'), set.has('2001:db8:1::1')]).toEqual([
      2,
      true,
      false,
      true,
    ]);
  });

  // Reading that grew with the square of the lines would outlast the runner's limit.
  test('a list of a hundred thousand lines is read', () => {
    const lines = Array.from(
      { length: 100_000 },
      (_, index) => `${20 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}.0/25`,
    );
    const { set } = networks.parse(lines.join('\n'));
    expect([set.size, set.has('20.200.7.100'), set.has('20.200.7.200')]).toEqual([100_000, true, false]);
  });
});

test.each([
  ['203.0.113.9', false],
  ['8.8.8.8', true],
  ['10.1.2.3', false],
  ['127.0.0.1', false],
  ['100.64.0.1', false],
  ['169.254.1.1', false],
  ['::1', false],
  ['fe80::1', false],
  ['2a00:1450:4001::1', true],
  ['::ffff:10.0.0.1', false],
  ['unknown', false],
])('the address %s is public: %s', (address, expected) => expect(networks.isPublic(address)).toBe(expected));
