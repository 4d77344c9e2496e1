import type { SentInit } from '#shared/contract/client.ts';
import { journal, type Journal } from './journal.ts';
import { maskBody, maskText, maskUrl } from '#shared/mask.ts';

/** Largest response body that is recorded, in bytes; of a larger one only status and headers are. */
const MAX_BODY_BYTES = 256 * 1024;

type Fetch = (url: string, init?: SentInit) => Promise<Response>;

/**
 * A fetch that records every request in the journal: address, method, status, bodies (masked, specification, section
 * 2), and how long it took. The caller gets the response as soon as it arrives; the body is read from a clone, and only
 * if it is text or JSON. Event streams are not read.
 */
export function createFetch(native: Fetch, log: Journal, elapsedMs: () => number): Fetch {
  return async (url, init = {}) => {
    const began = elapsedMs();
    const id = log.request({
      url: maskUrl(url),
      method: (init.method ?? 'GET').toUpperCase(),
      status: null,
      statusText: '',
      requestBody: requestBodyText(init),
      responseBody: '',
      requestId: '',
      tookMs: null,
    });
    try {
      const response = await native(url, init);
      log.answer(id, {
        status: response.status,
        statusText: response.statusText,
        requestId: response.headers.get('X-Request-Id') ?? '',
        tookMs: elapsedMs() - began,
      });
      const type = response.headers.get('Content-Type') ?? '';
      if (/json|^text\/(?!event-stream)/.test(type))
        void readBodyText(response.clone(), type).then((responseBody) => log.answer(id, { responseBody }));
      return response;
    } catch (error) {
      log.answer(id, { statusText: maskText(String(error)), tookMs: elapsedMs() - began });
      throw error;
    }
  };
}

function requestBodyText({ body, headers }: RequestInit): string {
  if (!body) return '';
  if (typeof body === 'string') return maskBody(body, new Headers(headers).get('Content-Type') ?? '');
  if (body instanceof URLSearchParams) return maskBody(body.toString(), 'form-urlencoded');
  if (body instanceof FormData) {
    return maskBody(
      JSON.stringify(
        Object.fromEntries(
          [...body].map(([name, value]) => [
            name,
            typeof value === 'string' ? value : `${value.type}, ${value.size} B`,
          ]),
        ),
      ),
    );
  }
  return '…';
}

/** The text of a cloned response. A body over the limit cannot be masked reliably, so nothing of it is kept. */
async function readBodyText(copy: Response, type: string): Promise<string> {
  const reader = copy.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      bytes += part.value.byteLength;
      if (bytes > MAX_BODY_BYTES) {
        void reader.cancel();
        return '…';
      }
      text += decoder.decode(part.value, { stream: true });
    }
  } catch {
    return '…';
  }
  return maskBody(text, type);
}

/** The fetch of this page: the only one that its code uses. */
export const recordedFetch: Fetch = createFetch(
  async (url, init = {}) => {
    if (!init.onProgress) return fetch(url, init);
    // Seldom needed: pages do without it until then.
    const { upload } = await import('./upload.ts');
    return upload(url, init, init.onProgress);
  },
  journal,
  () => performance.now(),
);

/** Is notified of the outcome of requests. */
interface ConnectionReporter {
  reportFailure(): void;
  reportAnswer(): void;
}

/**
 * A fetch that reports whether the server responds. Aborted requests are not reported. In: returns the reporter, or
 * null while there is none.
 */
export function reportingFetch(fetch: Fetch, watcher: () => ConnectionReporter | null): Fetch {
  return async (url, init) => {
    try {
      const response = await fetch(url, init);
      watcher()?.reportAnswer();
      return response;
    } catch (error) {
      if (!(init?.signal?.aborted || (error instanceof DOMException && error.name === 'AbortError')))
        watcher()?.reportFailure();
      throw error;
    }
  };
}
