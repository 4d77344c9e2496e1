import { expect, test } from 'bun:test';
import { createBus } from '#server/data/bus.ts';
import { testLog } from '#tests/support/log.ts';
import { createTopicCache } from './topic-cache.ts';

function setUp(max = 10) {
  const bus = createBus(testLog());
  let now = 0;
  let reads = 0;
  const cache = createTopicCache<number>({ bus, now: () => now, max, maxAgeMs: 100, clearOn: ['all'] });
  const get = (key: string) =>
    cache.get(
      key,
      () => [`topic:${key}`],
      async () => (reads += 1),
    );
  return { bus, cache, get, pass: (ms: number) => void (now += ms) };
}

test('a value is read once, until a topic of its own is published', async () => {
  const { bus, get } = setUp();
  expect([await get('a'), await get('a'), await get('b')]).toEqual([1, 1, 2]);
  bus.publish(['topic:a']);
  expect([await get('a'), await get('b')]).toEqual([3, 2]);
});

test('everything goes with a topic for all, and with age', async () => {
  const { bus, get, pass } = setUp();
  await get('a');
  bus.publish(['all']);
  expect(await get('a')).toBe(2);
  pass(99);
  expect(await get('a')).toBe(2);
  pass(1);
  expect(await get('a')).toBe(3);
});

test('everything goes where something may have been missed', async () => {
  const { bus, get } = setUp();
  await get('a');
  bus.deliverAll();
  expect(await get('a')).toBe(2);
});

test.each(['topic:a', 'all'])('what was read while %s was published is given out, but not kept', async (topic) => {
  const { bus, cache, get } = setUp();
  const stale = await cache.get(
    'a',
    () => ['topic:a'],
    async () => {
      bus.publish([topic]);
      return 77;
    },
  );
  expect(stale).toBe(77);
  expect(await get('a')).toBe(1);
});

test('the least recently used goes first', async () => {
  const { cache, get } = setUp(2);
  await get('a');
  await get('b');
  await get('a');
  await get('c');
  expect(cache.size()).toBe(2);
  expect([await get('a'), await get('b')]).toEqual([1, 4]);
});

test('what is not there, and what cannot be read, is not kept', async () => {
  const { cache, get } = setUp();
  expect(
    await cache.get(
      'a',
      async () => null,
      () => Promise.reject(new Error('not read')),
    ),
  ).toBeNull();
  expect(
    await cache.get(
      'a',
      () => ['topic:a'],
      async () => null,
    ),
  ).toBeNull();
  await expect(
    cache.get(
      'a',
      () => ['topic:a'],
      () => Promise.reject(new Error('down')),
    ),
  ).rejects.toThrow('down');
  expect(cache.size()).toBe(0);
  expect(await get('a')).toBe(1);
});

test('a value that is absent, unreadable, changed meanwhile or dropped leaves no listener behind', async () => {
  const real = createBus(testLog());
  let listening = 0;
  const bus = {
    ...real,
    subscribe(topic: string, run: Parameters<typeof real.subscribe>[1]) {
      const stop = real.subscribe(topic, run);
      listening += 1;
      return () => {
        listening -= 1;
        stop();
      };
    },
  };
  const cache = createTopicCache<number>({ bus, now: () => 0, max: 2, maxAgeMs: 100, clearOn: [] });
  const get = (key: string, load: () => Promise<number | null>) => cache.get(key, () => [`topic:${key}`], load);
  const before = listening;
  await get('absent', async () => null);
  await get('broken', () => Promise.reject(new Error('broken'))).catch(() => undefined);
  await get('changed', async () => {
    real.publish(['topic:changed']);
    return 1;
  });
  expect([listening - before, cache.size()]).toEqual([0, 0]);
  for (const key of ['a', 'b', 'c']) await get(key, async () => 1);
  expect([listening - before, cache.size()]).toEqual([2, 2]);
  real.publish(['topic:b', 'topic:c']);
  expect([listening - before, cache.size()]).toEqual([0, 0]);
});
