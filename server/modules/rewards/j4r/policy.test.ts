import { describe, expect, test } from 'bun:test';
import { DAY, HOUR } from '#shared/time.ts';
import { nextCheck, refusalOf, verdictOf } from './policy.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const SERVER = { paysMembers: false, sinceMs: NOW - 10 * DAY, minAccountDays: 0 };
const MEMBER = { joinedMs: NOW - HOUR, rejoined: false, pending: false };
/** Made in 2016. */
const OLD = '175928847299117063';

describe('who is paid', () => {
  test.each([
    [{}, {}, null],
    [{}, { joinedMs: SERVER.sinceMs }, null],
    [{}, { joinedMs: SERVER.sinceMs - 1 }, 'J4R_MEMBER_BEFORE'],
    [{}, { rejoined: true }, 'J4R_MEMBER_BEFORE'],
    [{}, { pending: true }, 'J4R_PENDING'],
    [{ paysMembers: true }, { joinedMs: 0, rejoined: true }, null],
    [{ paysMembers: true }, { pending: true }, 'J4R_PENDING'],
    [{ minAccountDays: 3650 }, {}, 'DISCORD_TOO_YOUNG'],
  ] as const)('a claim at a server with %o by a member with %o is answered with %p', (server, member, expected) => {
    expect(refusalOf({ ...SERVER, ...server }, OLD, { ...MEMBER, ...member }, NOW)).toBe(expected);
  });

  test('an identity without an age is too young where an age is asked for', () => {
    expect(refusalOf({ ...SERVER, minAccountDays: 1 }, 'someone', MEMBER, NOW)).toBe('DISCORD_TOO_YOUNG');
    expect(refusalOf(SERVER, 'someone', MEMBER, NOW)).toBeNull();
  });
});

test('a user who joined later than at the claim has left in between', () => {
  const claim = { joinedMs: NOW - DAY, vestsMs: NOW + DAY };
  expect([
    verdictOf(claim, claim.joinedMs, NOW),
    verdictOf(claim, claim.joinedMs + 1, NOW),
    verdictOf(claim, claim.joinedMs, NOW + DAY),
    verdictOf(claim, claim.joinedMs + 1, NOW + DAY),
  ]).toEqual(['stays', 'left', 'kept', 'left']);
});

test('a claim is checked daily, and at the latest when it vests', () => {
  expect([
    nextCheck({ vestsMs: NOW + 3 * DAY }, NOW),
    nextCheck({ vestsMs: NOW + HOUR }, NOW),
    nextCheck({ vestsMs: NOW }, NOW),
  ]).toEqual([NOW + DAY, NOW + HOUR, NOW + DAY]);
});
