import { describe, expect, test } from 'bun:test';
import { DAY, HOUR } from '#shared/time.ts';
import { snowflakeMs } from '#server/modules/identities/index.ts';
import { needsRelink, nextCheck, PROOF_GRACE, refusalOf, UNLINKED_GRACE, verdictOf } from './policy.ts';

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

  test('an account is old enough from the day on that the server asks for, one day too', () => {
    const made = snowflakeMs(OLD) ?? 0;
    const refusal = (days: number, ageMs: number) =>
      refusalOf({ ...SERVER, paysMembers: true, minAccountDays: days }, OLD, MEMBER, made + ageMs);
    expect([refusal(1, DAY), refusal(1, DAY - 1), refusal(30, 30 * DAY), refusal(30, 30 * DAY - 1)]).toEqual([
      null,
      'DISCORD_TOO_YOUNG',
      null,
      'DISCORD_TOO_YOUNG',
    ]);
    expect(refusal(0, -1)).toBeNull();
  });

  test('the first of several reasons is the answer: not let in yet, there before, too young', () => {
    const strict = { ...SERVER, minAccountDays: 36_500 };
    expect(refusalOf(strict, OLD, { ...MEMBER, pending: true, rejoined: true }, NOW)).toBe('J4R_PENDING');
    expect(refusalOf(strict, OLD, { ...MEMBER, rejoined: true }, NOW)).toBe('J4R_MEMBER_BEFORE');
    expect(refusalOf(strict, OLD, MEMBER, NOW)).toBe('DISCORD_TOO_YOUNG');
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

test('a link has to be made again where its tokens are of no use, or never let anybody read members', () => {
  const link = { broken: false, scopes: ['identify', 'guilds', 'guilds.members.read'] };
  expect(needsRelink(link)).toBe(false);
  expect(needsRelink({ ...link, broken: true })).toBe(true);
  expect(needsRelink({ ...link, scopes: ['identify', 'guilds'] })).toBe(true);
});

test('a user who is not linked, or of whom nothing proves that they left, has a week after the vesting', () => {
  expect([UNLINKED_GRACE, PROOF_GRACE]).toEqual([7 * DAY, 7 * DAY]);
});

test('a claim is checked daily, and at the latest when it vests', () => {
  expect([
    nextCheck({ vestsMs: NOW + 3 * DAY }, NOW),
    nextCheck({ vestsMs: NOW + HOUR }, NOW),
    nextCheck({ vestsMs: NOW }, NOW),
  ]).toEqual([NOW + DAY, NOW + HOUR, NOW + DAY]);
});
