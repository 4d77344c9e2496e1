import { describe, expect, test } from 'bun:test';
import { eventStream } from './sse.ts';

async function* waiting(signal: AbortSignal, log: string[]) {
  try {
    yield { event: 'first', data: { n: 1 } };
    yield { event: 'ping', data: null };
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  } finally {
    log.push('ended');
  }
}

describe('event streams', () => {
  test('event streams write events and comments, and end when the events do', async () => {
    async function* three() {
      yield { event: 'a', data: 'line\nbreak' };
      yield { event: 'ping', data: null };
    }
    const text = await eventStream(three(), new AbortController().signal).text();
    expect(text).toBe(': open\n\nevent: a\ndata: "line\\nbreak"\n\n: ping\n\n');
  });
  test('event streams end when the server stops, and notify their source', async () => {
    const stop = new AbortController();
    const log: string[] = [];
    const reader = eventStream(waiting(stop.signal, log), stop.signal).body?.getReader();
    for (let chunk = 0; chunk < 3; chunk += 1) await reader?.read();
    const last = reader?.read();
    stop.abort();
    expect((await last)?.done).toBe(true);
    expect(log).toEqual(['ended']);
  });
  test('event streams notify their source when the reader goes away', async () => {
    const gone = new AbortController();
    const log: string[] = [];
    const reader = eventStream(waiting(gone.signal, log), gone.signal).body?.getReader();
    await reader?.read();
    await reader?.read();
    gone.abort();
    await reader?.cancel();
    await Promise.resolve();
    expect(log).toEqual(['ended']);
  });
});
