import type { ServerEvent } from './implement.types.ts';

/**
 * A server-sent event stream of an async iterable. Ends when the iterable does, or when the caller goes away (then the iterable is told to return).
 * An event named `ping` is sent as a comment, which keeps the line open without reaching the page.
 */
export function eventStream(events: AsyncIterable<ServerEvent>, signal: AbortSignal): Response {
  const iterator = events[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let open = true;
  const stop = () => {
    if (!open) return;
    open = false;
    void iterator.return?.();
  };
  signal.addEventListener('abort', stop, { once: true });
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      // Something at once, so that proxies pass the headers on.
      controller.enqueue(encoder.encode(': open\n\n'));
    },
    async pull(controller) {
      const next = open ? await iterator.next() : { done: true as const, value: undefined };
      if (next.done) {
        signal.removeEventListener('abort', stop);
        if (open) controller.close();
        open = false;
        return;
      }
      const { event, data } = next.value;
      controller.enqueue(encoder.encode(event === 'ping' ? ': ping\n\n' : `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
    },
    cancel: stop,
  });
  return new Response(stream, {
    headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
  });
}
