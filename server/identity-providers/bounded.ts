/** Most bytes of an answer that are read: tokens, keys and profiles stay far below. */
const BODY_MAX = 512 * 1024;

/** `fetch` as the clients of providers take it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * `fetch` with a time limit (ms) for question and answer together, a bounded body, and no redirects. Throws as `fetch`
 * does, and RangeError for an answer that is too long.
 */
export function boundedFetch(fetch: Fetch, timeoutMs: () => number): Fetch {
  return async (url, init) => {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      // On a connection that was kept, a request whose answer is lost would be sent a second time unasked: a code works
      // once.
      keepalive: false,
      signal: AbortSignal.timeout(timeoutMs()),
    });
    const body = await readBounded(response);
    // Answers without a body refuse one.
    return new Response(response.status === 204 || response.status === 304 ? null : body, {
      status: response.status,
      headers: withoutEncoding(response.headers),
    });
  };
}

/** The body is read already, so nothing has to be unpacked again. */
function withoutEncoding(given: Headers): Headers {
  const headers = new Headers(given);
  headers.delete('Content-Encoding');
  headers.delete('Content-Length');
  return headers;
}

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > BODY_MAX) throw new RangeError('the answer is too long');
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}
