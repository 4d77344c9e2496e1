import type { ServerEvent } from './implement.types.ts';

/**
 * A server-sent event stream of an async iterable. Ends when the iterable does, or when the caller goes away (then the
 * iterable is told to return). An event named `ping` is sent as a comment, which keeps the line open without reaching
 * the page.
 */
export function eventStream(events: AsyncIterable<ServerEvent>, signal: AbortSignal): Response {
  const iterator = events[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let open = true;
  let end: () => void = () => undefined;
  /** Ends once, from whichever side: the events ran out, the caller went away, or the server stops. */
  const stop = () => {
    if (!open) return;
    open = false;
    signal.removeEventListener('abort', stop);
    void iterator.return?.();
    end();
  };
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      end = () => controller.close();
      signal.addEventListener('abort', stop, { once: true });
      // Something at once, so that proxies pass the headers on.
      controller.enqueue(encoder.encode(': open\n\n'));
      if (signal.aborted) stop();
    },
    async pull(controller) {
      const next = await iterator.next();
      if (!open) return;
      if (next.done) {
        stop();
        return;
      }
      const { event, data } = next.value;
      controller.enqueue(
        encoder.encode(event === 'ping' ? ': ping\n\n' : `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
      );
    },
    cancel() {
      // The stream is closed already: there is nothing left to end.
      end = () => undefined;
      stop();
    },
  });
  return new Response(stream, {
    headers: {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    },
  });
}
