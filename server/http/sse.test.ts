import { describe, expect, spyOn, test } from 'bun:test';
import * as z from 'zod/mini';
import type { ServerEvent } from './implement.types.ts';
import { eventStream } from './sse.ts';

const SCHEMAS = { first: z.object({ n: z.number() }), a: z.string(), named: z.object({}) };
/** Sends some events, and notes when it is told to return. */
async function* sending(events: readonly ServerEvent[], log: string[] = []) {
  try {
    yield* events;
  } finally {
    log.push('ended');
  }
}

async function* waiting(signal: AbortSignal, log: string[]) {
  try {
    yield { event: 'first', data: { n: 1 } } as const;
    yield { event: 'ping' } as const;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  } finally {
    log.push('ended');
  }
}

describe('event streams', () => {
  test('event streams write events and comments, and end when the events do', async () => {
    async function* three() {
      yield { event: 'a', data: 'line\nbreak' } as const;
      yield { event: 'ping' } as const;
    }
    const text = await eventStream(SCHEMAS, three(), new AbortController().signal).text();
    expect(text).toBe(': open\n\nevent: a\ndata: "line\\nbreak"\n\n: ping\n\n');
  });
  test('event streams end when the server stops, and notify their source', async () => {
    const stop = new AbortController();
    const log: string[] = [];
    const reader = eventStream(SCHEMAS, waiting(stop.signal, log), stop.signal).body?.getReader();
    for (let chunk = 0; chunk < 3; chunk += 1) await reader?.read();
    const last = reader?.read();
    stop.abort();
    expect((await last)?.done).toBe(true);
    expect(log).toEqual(['ended']);
  });
  test('event streams notify their source when the reader goes away', async () => {
    const gone = new AbortController();
    const log: string[] = [];
    const reader = eventStream(SCHEMAS, waiting(gone.signal, log), gone.signal).body?.getReader();
    await reader?.read();
    await reader?.read();
    gone.abort();
    await reader?.cancel();
    await Promise.resolve();
    expect(log).toEqual(['ended']);
  });
  test('S12 an event carries only what its schema names, so that a secret column does not leave with it', async () => {
    const row = { id: 'u-1', password_hash: '$argon2id$secret' };
    const events = [
      { event: 'first', data: { n: 1, ...row } },
      { event: 'named', data: row },
    ];
    const text = await eventStream(SCHEMAS, sending(events), new AbortController().signal).text();
    expect(text).toBe(': open\n\nevent: first\ndata: {"n":1}\n\nevent: named\ndata: {}\n\n');
  });
  test.each([
    { wrong: { event: 'secret', data: 'hunter2' }, fault: 'does not declare: secret' },
    { wrong: { event: 'constructor', data: {} }, fault: 'does not declare: constructor' },
    { wrong: { event: 'ping', data: 'hunter2' }, fault: 'does not declare: ping' },
    { wrong: { event: 'first', data: { n: 'hunter2' } }, fault: 'invalid_type' },
  ])('S12 a stream breaks off at an event that it may not send, and ends its source: %p', async ({ wrong, fault }) => {
    const log: string[] = [];
    const sent = sending([{ event: 'named', data: {} }, wrong, { event: 'named', data: {} }], log);
    const reader = eventStream(SCHEMAS, sent, new AbortController().signal).body?.getReader();
    const chunks: string[] = [];
    const read = async () => {
      for (;;) {
        const step = await reader?.read();
        if (!step || step.done) return;
        chunks.push(new TextDecoder().decode(step.value));
      }
    };
    await expect(read()).rejects.toThrow(fault);
    expect(chunks.join('')).not.toContain('hunter2');
    expect(chunks.filter((chunk) => chunk.startsWith('event:')).length).toBeLessThan(2);
    expect(log).toEqual(['ended']);
  });
  test('a stream ends its source once, however often and from whichever side it is ended', async () => {
    const server = new AbortController();
    const removed = spyOn(server.signal, 'removeEventListener');
    let returned = 0;
    const source: AsyncIterator<ServerEvent> = {
      next: () => new Promise(() => undefined),
      return: async () => {
        returned += 1;
        return { done: true, value: undefined };
      },
    };
    const reader = eventStream(SCHEMAS, { [Symbol.asyncIterator]: () => source }, server.signal).body?.getReader();
    await reader?.read();
    // Nobody closes a stream that its reader has left: that would throw.
    await reader?.cancel();
    expect([returned, removed.mock.calls.length]).toEqual([1, 1]);
    server.abort();
    await reader?.cancel();
    expect(returned).toBe(1);
  });
  test('a stream on a stopping server ends at once, and a late event does not end its source twice', async () => {
    const stopped = new AbortController();
    stopped.abort();
    const log: string[] = [];
    const never = eventStream(SCHEMAS, waiting(stopped.signal, log), stopped.signal);
    expect(await never.text()).toBe(': open\n\n');
    const server = new AbortController();
    const late = Promise.withResolvers<IteratorResult<ServerEvent>>();
    let returned = 0;
    const source: AsyncIterator<ServerEvent> = {
      next: () => late.promise,
      return: async () => {
        returned += 1;
        return { done: true, value: undefined };
      },
    };
    const reader = eventStream(SCHEMAS, { [Symbol.asyncIterator]: () => source }, server.signal).body?.getReader();
    await reader?.read();
    const last = reader?.read();
    server.abort();
    late.resolve({ done: false, value: { event: 'named', data: {} } });
    expect((await last)?.done).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(returned).toBe(1);
  });
});
