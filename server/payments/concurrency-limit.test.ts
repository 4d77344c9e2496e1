import { expect, test } from 'bun:test';
import { createConcurrencyLimit } from './concurrency-limit.ts';

test('only so many work at once, so many wait, and the rest are refused, and a fault passes its place on', async () => {
  const turns = createConcurrencyLimit(2, 3);
  const gates = Array.from({ length: 6 }, () => Promise.withResolvers<number>());
  let [working, most] = [0, 0];
  const work = (index: number) => async () => {
    working += 1;
    most = Math.max(most, working);
    try {
      return await gates[index]?.promise;
    } finally {
      working -= 1;
    }
  };
  const ends = gates.map((_, index) => turns.take(work(index)).catch(() => 'fault'));
  expect(await ends[5]).toBeNull();
  gates[0]?.reject(new Error('away'));
  for (const [index, gate] of gates.entries()) gate.resolve(index);
  expect(await Promise.all(ends)).toEqual(['fault', 1, 2, 3, 4, null]);
  expect({ working, most }).toEqual({ working: 0, most: 2 });
  expect(await turns.take(async () => 'free')).toBe('free');
});
