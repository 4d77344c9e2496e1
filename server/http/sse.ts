import type { Endpoint } from '#shared/contract/endpoint.ts';
import type { ServerEvent } from './implement.types.ts';

type Schemas = NonNullable<Endpoint['events']>;

/**
 * A response that streams an async iterable as server-sent events. In: the schemas of its events by name: like any
 * other response it holds only what they name. Ends when the iterable does or when the caller disconnects (then the
 * iterator is returned); errors at an event that has no schema or does not fit it. An event without data is sent as a
 * comment, which keeps the connection open and does not reach the page.
 */
export function eventStream(schemas: Schemas, events: AsyncIterable<ServerEvent>, signal: AbortSignal): Response {
  const iterator = events[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let open = true;
  let end: () => void = () => undefined;
  /** Ends the stream once: the events are over, the caller has disconnected, or the server stops. */
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
      // Sent at once, so that proxies forward the headers.
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
      // The stream is closed already.
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

/** The text of an event. Throws where the endpoint does not declare it, or its data do not fit. */
function toText(schemas: Schemas, sent: ServerEvent): string {
  if (!('data' in sent)) return ': ping\n\n';
  const schema = Object.hasOwn(schemas, sent.event) ? schemas[sent.event] : undefined;
  if (!schema) throw new Error(`an event that its endpoint does not declare: ${sent.event}`);
  return `event: ${sent.event}\ndata: ${JSON.stringify(schema.parse(sent.data))}\n\n`;
}
