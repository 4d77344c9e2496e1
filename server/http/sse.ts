import type { Endpoint } from '#shared/contract/endpoint.ts';
import type { ServerEvent } from './implement.types.ts';

type Schemas = NonNullable<Endpoint['events']>;

/**
 * A server-sent event stream of an async iterable. In: the events that it may send, by name, with the shape of their
 * data: like any other answer it carries only what its schema names. Ends when the iterable does, or when the caller
 * goes away (then the iterable is told to return); breaks off at an event that has no schema or does not fit it. An
 * event named `ping` is sent as a comment, which keeps the line open without reaching the page.
 */
export function eventStream(schemas: Schemas, events: AsyncIterable<ServerEvent>, signal: AbortSignal): Response {
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
      try {
        controller.enqueue(encoder.encode(toText(schemas, next.value)));
      } catch (error) {
        end = () => controller.error(error);
        stop();
      }
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

/** The lines of an event. Throws where the stream may not send it, or its data do not fit. */
function toText(schemas: Schemas, sent: ServerEvent): string {
  if (!('data' in sent)) return ': ping\n\n';
  const schema = Object.hasOwn(schemas, sent.event) ? schemas[sent.event] : undefined;
  if (!schema) throw new Error(`an event that its endpoint does not name: ${sent.event}`);
  return `event: ${sent.event}\ndata: ${JSON.stringify(schema.parse(sent.data))}\n\n`;
}
