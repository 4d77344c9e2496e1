import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createLiveSource } from './live-source.ts';

/** A stream of events as the browser has it, told by the test what happens. */
class FakeStream extends EventTarget {
  static readonly CLOSED = 2;
  static last: FakeStream | null = null;
  static count = 0;
  readyState = 1;
  readonly url: string;
  constructor(url: string) {
    super();
    this.url = url;
    FakeStream.last = this;
    FakeStream.count += 1;
  }
  say(name: string): void {
    this.dispatchEvent(new Event(name));
  }
  close(): void {
    this.readyState = FakeStream.CLOSED;
  }
}
const real = globalThis.EventSource;
beforeEach(() => {
  Object.assign(globalThis, { EventSource: FakeStream });
  FakeStream.last = null;
  FakeStream.count = 0;
});
afterEach(() => void Object.assign(globalThis, { EventSource: real }));

test('one stream serves all listeners, and is open while there is one', () => {
  const source = createLiveSource(() => true);
  const heard: string[] = [];
  const stops = [
    source.subscribe((topic) => heard.push(`a ${topic}`)),
    source.subscribe((topic) => heard.push(`b ${topic}`)),
  ];
  FakeStream.last?.say('open');
  FakeStream.last?.say('balance');
  expect(heard).toEqual(['a balance', 'b balance']);
  expect(FakeStream.count).toBe(1);
  stops.forEach((stop) => stop());
  expect(FakeStream.last?.readyState).toBe(FakeStream.CLOSED);
});

test('a guest has no stream', () => {
  createLiveSource(() => false).subscribe(() => undefined);
  expect(FakeStream.count).toBe(0);
});

test('everything counts as changed, once, after a break', () => {
  const broken: string[] = [];
  const source = createLiveSource(
    () => true,
    () => void broken.push('broken'),
  );
  const heard: string[] = [];
  source.subscribe((topic) => heard.push(topic));
  FakeStream.last?.say('open');
  Object.assign(FakeStream.last ?? {}, { readyState: 0 });
  FakeStream.last?.say('error');
  FakeStream.last?.say('error');
  expect({ broken, heard }).toEqual({ broken: ['broken', 'broken'], heard: [] });
  FakeStream.last?.say('open');
  FakeStream.last?.say('open');
  expect(heard).toEqual([
    'balance',
    'servers',
    'notifications',
    'session',
    'attention',
    'tickets',
    'images',
    'typing',
    'webhooks',
    'plugins',
  ]);
});

test('a stream that the server refused is opened again for the next listener', () => {
  const source = createLiveSource(() => true);
  source.subscribe(() => undefined);
  FakeStream.last?.close();
  FakeStream.last?.say('error');
  source.subscribe(() => undefined);
  expect(FakeStream.count).toBe(2);
});
