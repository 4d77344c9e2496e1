import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import ipaddr from 'ipaddr.js';
import { addressKey } from '#server/http/peer.ts';
import { DomainError } from '#shared/errors.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { fakeClock, type FakeClock } from '#tests/support/clock.ts';
import { openTestDb, type TestDb } from '#tests/support/db.ts';
import { createThrottle, networkOf, type Throttle } from './throttle.ts';

describe('the brake on guessing', () => {
  const bucket = { key: 'login:account:a', free: 3 };
  const place = { key: 'login:from:203.0.113.7', free: 50 };
  let db: TestDb;
  let clock: FakeClock;
  let throttle: Throttle;
  beforeAll(async () => {
    db = await openTestDb('sqlite');
  });
  beforeEach(async () => {
    await db.sql('DELETE FROM attempts');
    clock = fakeClock();
    throttle = createThrottle({ uow: db.uow, clock });
  });
  afterAll(() => db.close());

  /** Seconds that a try has to wait; 0: it was counted. */
  const wait = (buckets = [bucket]): Promise<number> =>
    throttle.take(buckets).then(
      () => 0,
      (error: unknown) => {
        if (error instanceof DomainError && error.code === 'RATE_LIMITED') return error.retryAfterS ?? -1;
        throw error;
      },
    );
  const counted = (buckets = [bucket]) => throttle.mostFailures(buckets);

  test('T52 free tries cost no pause, then each costs ten seconds, doubled each time up to fifteen minutes', async () => {
    for (let left = bucket.free; left > 0; left -= 1) expect(await wait()).toBe(0);
    for (const pause of [10, 20, 40, 80, 160, 320, 640, 900, 900]) {
      expect(await wait()).toBe(pause);
      clock.advance(pause * SECOND - 1);
      expect(await wait()).toBe(1);
      clock.advance(1);
      expect(await wait()).toBe(0);
    }
  });

  test('T52 a try that has to wait is not counted, at any of its buckets', async () => {
    for (let left = bucket.free; left > 0; left -= 1) await wait([bucket, place]);
    for (let left = 20; left > 0; left -= 1) expect(await wait([place, bucket])).toBe(10);
    expect([await counted([bucket]), await counted([place])]).toEqual([3, 3]);
    expect(await counted([bucket, place])).toBe(3);
  });

  test('failures are forgotten an hour after the last, and not before', async () => {
    for (let left = 2; left > 0; left -= 1) await wait();
    clock.advance(HOUR - 1);
    expect(await counted()).toBe(2);
    expect(await wait()).toBe(0);
    expect(await counted()).toBe(3);
    clock.advance(HOUR);
    expect(await counted()).toBe(0);
    expect(await wait()).toBe(0);
    expect(await counted()).toBe(1);
  });

  test('a try that was no failure is not counted, and clears earlier ones only on request', async () => {
    for (let left = 3; left > 0; left -= 1) await wait([bucket, place]);
    clock.advance(MINUTE);
    await throttle.refund([bucket, place]);
    expect([await counted([bucket]), await counted([place])]).toEqual([2, 2]);
    await throttle.refund([bucket, place], [bucket]);
    expect([await counted([bucket]), await counted([place])]).toEqual([0, 1]);
    await throttle.refund([place]);
    await throttle.refund([place]);
    expect(await db.sql('SELECT key FROM attempts WHERE count <> 0')).toEqual([]);
  });
});

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

test('T58 an IPv6 address is one place with its /64, and no other form of IPv4 than the mapped one is IPv4', () => {
  expect(networkOf('203.0.113.7')).toBe('203.0.113.7');
  expect(networkOf('2001:0DB8:0:a1::1')).toBe('2001:db8:0:a1');
  expect(networkOf('2001:db8:0:a1:ffff:ffff:ffff:ffff')).toBe('2001:db8:0:a1');
  expect(networkOf('2001:db8:0:a2::1')).toBe('2001:db8:0:a2');
  expect(networkOf('2001:db8::ffff:cb00:7107')).toBe('2001:db8:0:0');
  expect([networkOf('no address'), networkOf('no:address'), networkOf('1:2:3')]).toEqual([
    'no address',
    'no:address',
    '1:2:3',
  ]);
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
