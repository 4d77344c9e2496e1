import { expect, test } from 'bun:test';
import { createRateLimiter } from './rate-limit.ts';

/** Most keys that are kept of a limit. */
const MOST = 50_000;

test('T52 a flood of keys drops the oldest window first, and not one that began again', () => {
  let now = 0;
  const { take } = createRateLimiter(
    () => now,
    () => 1,
  );
  for (const key of ['ann', 'bob']) expect(take('read', key)).toBe(0);
  now = 60_000;
  expect(take('read', 'ann')).toBe(0);
  now = 59_999 + 60_000;
  for (let at = 0; at < MOST - 2; at += 1) take('read', `flood-${at}`);
  // As many as are kept: nobody is forgotten yet.
  expect(take('read', 'ann')).toBe(1);
  take('read', 'one-more');
  // Bob’s was the oldest.
  expect(take('read', 'ann')).toBe(1);
  expect(take('read', 'flood-0')).toBe(60);
  take('read', 'and-another');
  expect(take('read', 'ann')).toBe(0);
});
