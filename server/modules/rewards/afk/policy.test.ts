import { expect, test } from 'bun:test';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import {
  isCurrentChallenge,
  CHALLENGE_EVERY_MS,
  CHALLENGE_LIFETIME_MS,
  countPresence,
  LONGEST_SPAN_MS,
  msToNextPayout,
  MOST_UNANSWERED,
  SILENCE_MS,
} from './policy.ts';
import type { AfkRow } from './ports.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const row = (change: Partial<AfkRow> = {}): AfkRow => ({
  id: 'a',
  userId: 'u',
  sessionId: 's',
  device: 'Firefox · Linux',
  startedMs: NOW - HOUR,
  lastBeatMs: NOW - 20 * SECOND,
  countedMs: 0,
  minutes: 0,
  earned: 0,
  challenge: 'right',
  challengeMs: NOW - SECOND,
  endedMs: null,
  endReason: null,
  takenBy: null,
  ...change,
});

test('a span between two beats counts up to 45 seconds', () => {
  expect(countPresence(row(), NOW)).toEqual({ countedMs: 20 * SECOND, full: false });
  expect(countPresence(row({ lastBeatMs: NOW - LONGEST_SPAN_MS }), NOW)).toEqual({
    countedMs: 45 * SECOND,
    full: false,
  });
  expect(countPresence(row({ lastBeatMs: NOW }), NOW)).toEqual({ countedMs: 0, full: false });
});

test('behaviour 4.1 the time spans of presence are those written down, and the last challenge ends with the silence', () => {
  expect([CHALLENGE_EVERY_MS, CHALLENGE_LIFETIME_MS, LONGEST_SPAN_MS, SILENCE_MS]).toEqual([
    20 * SECOND,
    30 * SECOND,
    45 * SECOND,
    5 * MINUTE,
  ]);
  expect(MOST_UNANSWERED * CHALLENGE_EVERY_MS).toBe(SILENCE_MS);
});

test('two beats in one ms, or a ms apart, keep what was counted of the minute', () => {
  const started = row({ countedMs: 30 * SECOND });
  expect(countPresence({ ...started, lastBeatMs: NOW }, NOW)).toEqual({ countedMs: 30 * SECOND, full: false });
  expect(countPresence({ ...started, lastBeatMs: NOW - 1 }, NOW)).toEqual({ countedMs: 30 * SECOND + 1, full: false });
});

test('T13 absence is dropped and the started minute begins again', () => {
  const started = row({ countedMs: 3 * MINUTE + 50 * SECOND, minutes: 3, lastBeatMs: NOW - LONGEST_SPAN_MS - 1 });
  expect(countPresence(started, NOW)).toEqual({ countedMs: 3 * MINUTE, full: false });
  expect(countPresence(row({ lastBeatMs: 0 }), NOW)).toEqual({ countedMs: 0, full: false });
});

test('T12 a clock that went back drops the span, and invents nothing', () => {
  expect(countPresence(row({ countedMs: 59 * SECOND, lastBeatMs: NOW + HOUR }), NOW)).toEqual({
    countedMs: 0,
    full: false,
  });
});

test('a minute is full at 60 counted seconds, and what is over stays counted', () => {
  expect(countPresence(row({ countedMs: 40 * SECOND }), NOW)).toEqual({ countedMs: 60 * SECOND, full: true });
  expect(countPresence(row({ countedMs: 59 * SECOND }), NOW)).toEqual({ countedMs: 79 * SECOND, full: true });
  expect(countPresence(row({ countedMs: 79 * SECOND, minutes: 1 }), NOW)).toEqual({
    countedMs: 99 * SECOND,
    full: false,
  });
  expect(msToNextPayout({ countedMs: 79 * SECOND, minutes: 1 })).toBe(41 * SECOND);
  expect([
    msToNextPayout({ countedMs: 0, minutes: 0 }),
    msToNextPayout({ countedMs: 121 * SECOND, minutes: 1 }),
  ]).toEqual([MINUTE, 0]);
});

test('T13 only the newest challenge counts, once, within its life', () => {
  expect(isCurrentChallenge(row(), 'right', NOW)).toBe(true);
  expect(isCurrentChallenge(row({ challengeMs: NOW }), 'right', NOW)).toBe(true);
  expect(isCurrentChallenge(row(), 'wrong', NOW)).toBe(false);
  expect(isCurrentChallenge(row({ challengeMs: null }), 'right', NOW)).toBe(false);
  expect(isCurrentChallenge(row({ challenge: null, challengeMs: null }), '', NOW)).toBe(false);
  expect(isCurrentChallenge(row({ challengeMs: NOW - CHALLENGE_LIFETIME_MS }), 'right', NOW)).toBe(true);
  expect(isCurrentChallenge(row({ challengeMs: NOW - CHALLENGE_LIFETIME_MS - 1 }), 'right', NOW)).toBe(false);
  expect(isCurrentChallenge(row({ challengeMs: NOW + 1 }), 'right', NOW)).toBe(false);
});
