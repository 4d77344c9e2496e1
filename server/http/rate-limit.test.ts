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
  for (let at = 0; at < MOST - 2; at += 1) void take('read', `flood-${at}`);
  // As many as are kept: nobody is forgotten yet.
  expect(take('read', 'ann')).toBe(1);
  void take('read', 'one-more');
  // Bob’s was the oldest.
  expect(take('read', 'ann')).toBe(1);
  expect(take('read', 'flood-0')).toBe(60);
  void take('read', 'and-another');
  expect(take('read', 'ann')).toBe(0);
});

test('what is used up in this process alone is refused without asking the others, and their count holds as well', async () => {
  const asked: string[] = [];
  const counts = [1, 9, null];
  const count = async (name: string, key: string, windowMs: number) => {
    asked.push(`${name} ${key} ${windowMs}`);
    const next = counts.shift() ?? null;
    return next === null ? null : { count: next, leftMs: 4100 };
  };
  const { take } = createRateLimiter(
    () => 0,
    () => 3,
    { count },
  );
  expect([await take('read', 'ann'), await take('read', 'ann'), await take('read', 'ann')]).toEqual([0, 5, 0]);
  expect(await take('read', 'ann')).toBe(60);
  expect(asked).toEqual(['read ann 60000', 'read ann 60000', 'read ann 60000']);
});

test('the longest window ends to the second', () => {
  let now = 0;
  const { take } = createRateLimiter(
    () => now,
    () => 1,
  );
  expect([take('subuser', 'ann'), take('subuser', 'ann')]).toEqual([0, 3600]);
  now = 3_599_999;
  expect(take('subuser', 'ann')).toBe(1);
  now = 3_600_000;
  expect(take('subuser', 'ann')).toBe(0);
});
