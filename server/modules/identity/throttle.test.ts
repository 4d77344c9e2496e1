import { expect, test } from 'bun:test';
import ipaddr from 'ipaddr.js';
import { addressKey } from '#server/http/peer.ts';
import { networkOf } from './throttle.ts';

test('T58 an IPv4 address is one place, however it is written as IPv6', () => {
  for (const text of [
    '203.0.113.7',
    '::ffff:203.0.113.7',
    '::FFFF:cb00:7107',
    '0:0:0:0:0:ffff:cb00:7107',
    '0000:0000:0000:0000:0000:ffff:203.0.113.7',
    '::ffff:cb00:7107',
  ]) {
    expect([text, networkOf(text)]).toEqual([text, '203.0.113.7']);
    expect([text, addressKey(text)]).toEqual([text, '203.0.113.7']);
  }
});

test('T58 the two guards that read addresses tell the same ones apart, in any spelling', () => {
  let seed = 11;
  const next = (max: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % max;
  const spell = (bytes: number[]) => {
    const address = ipaddr.fromByteArray(bytes) as ipaddr.IPv6;
    return [
      address.toNormalizedString(),
      address.parts.map((part) => part.toString(16).padStart(4, '0')).join(':'),
      address.toRFC5952String(),
      address.toString().toUpperCase(),
    ];
  };
  for (let round = 0; round < 2_000; round += 1) {
    const bytes = Array.from({ length: 16 }, () => (next(3) === 0 ? 0 : next(256)));
    if (round % 4 === 0) bytes.splice(0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255);
    const forms = spell(bytes);
    expect(new Set(forms.map(networkOf)).size).toBe(1);
    expect(new Set(forms.map(addressKey)).size).toBe(1);
    const neighbour = [...bytes];
    neighbour[15] = (neighbour[15] ?? 0) ^ 1;
    const [mine, theirs] = [forms[0] ?? '', spell(neighbour)[0] ?? ''];
    expect(networkOf(mine) === networkOf(theirs)).toBe(addressKey(mine) === addressKey(theirs));
  }
});
