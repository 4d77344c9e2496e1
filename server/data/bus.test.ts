import { expect, test } from 'bun:test';
import { testLog } from '#tests/support/log.ts';
import { MISSED_TOPIC } from '#server/modules/kernel.ts';
import { createBus } from './bus.ts';

test('listeners hear their topic until they stop', () => {
  const bus = createBus(testLog());
  const heard: string[] = [];
  const stop = bus.subscribe('a', (topic) => heard.push(`1${topic}`));
  bus.subscribe('a', (topic) => heard.push(`2${topic}`));
  bus.publish(['a', 'b']);
  stop();
  stop();
  bus.publish(['a']);
  expect(heard).toEqual(['1a', '2a', '2a']);
});

test('the same function may listen twice, and stopping one leaves the other', () => {
  const bus = createBus(testLog());
  let count = 0;
  const listener = () => void (count += 1);
  const stop = bus.subscribe('a', listener);
  bus.subscribe('a', listener);
  bus.publish(['a']);
  stop();
  bus.publish(['a']);
  expect(count).toBe(3);
});

test('a listener that throws is logged and keeps nobody from hearing', () => {
  const log = testLog();
  const bus = createBus(log);
  const heard: string[] = [];
  bus.subscribe('a', () => {
    throw new Error('deaf');
  });
  bus.subscribe('a', (topic) => heard.push(topic));
  bus.publish(['a']);
  expect(heard).toEqual(['a']);
  expect(log.lines).toEqual([
    { level: 'error', event: 'bus.listener_failed', fields: { topic: 'a', error: 'Error: deaf' } },
  ]);
});

test('a listener who subscribes while being called hears from the next time on', () => {
  const bus = createBus(testLog());
  let count = 0;
  bus.subscribe('a', () => void bus.subscribe('a', () => void (count += 1)));
  bus.publish(['a']);
  expect(count).toBe(0);
  bus.publish(['a']);
  expect(count).toBe(1);
});

test('the bus says whether a topic was published within a time, and yes where its memory is shorter', () => {
  let now = 1000;
  const bus = createBus(testLog(), () => now);
  now = 200_000;
  bus.publish(['a']);
  now += 500;
  expect([bus.publishedWithin('a', 500), bus.publishedWithin('a', 499), bus.publishedWithin('b', 500)]).toEqual([
    true,
    false,
    false,
  ]);
  // Before the bus was made anything may have happened.
  expect(bus.publishedWithin('b', now)).toBe(true);
  // What was published over a minute ago is forgotten with the next word, and counts as unknown from then on.
  now += 60_000;
  bus.publish(['c']);
  expect([bus.publishedWithin('a', 60_400), bus.publishedWithin('b', 61_000)]).toEqual([false, true]);
});

test('what is published here is passed on, and what another process published goes no further', () => {
  const bus = createBus(testLog());
  const heard: string[] = [];
  const forwarded: string[] = [];
  bus.subscribe('a', (topic) => heard.push(topic));
  const stop = bus.forwardTo((topics) => forwarded.push(...topics));
  bus.publish(['a', 'b']);
  bus.deliver(['a']);
  stop();
  bus.publish(['a']);
  expect(heard).toEqual(['a', 'a', 'a']);
  expect(forwarded).toEqual(['a', 'b']);
});

test('where anything may have been missed, every listener hears its own topic, and caches first', async () => {
  const bus = createBus(testLog());
  const heard: string[] = [];
  const all = Array.from({ length: 1200 }, (_, at) => `topic:${at}`);
  for (const topic of all) bus.subscribe(topic, () => heard.push(topic));
  bus.subscribe(MISSED_TOPIC, (topic) => heard.push(topic));
  const asked = performance.now();
  bus.deliverAll();
  expect(heard[0]).toBe(MISSED_TOPIC);
  // Not in one go: whoever waits comes in between.
  expect(heard.length).toBeLessThan(all.length);
  while (heard.length <= all.length) await new Promise((resolve) => setImmediate(resolve));
  expect(heard.slice(1)).toEqual(all);
  expect(bus.publishedWithin('never', performance.now() - asked)).toBe(true);
});
