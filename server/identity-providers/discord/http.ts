import type { Log } from '#server/modules/kernel.ts';
import type { Limits } from './limits.ts';

/** Most bytes of an answer that are read. A list of 200 servers stays far below. */
const BODY_MAX = 512 * 1024;

interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the API's address. */
  readonly path: string;
  /** The path with names in place of ids: what limits are counted by. */
  readonly route: string;
  /** What else they are counted by: a Discord server's id. */
  readonly major?: string;
  /** Authorization header. */
  readonly authorization?: string;
  /** Whose token it is, without telling the token: limits of users are apart. */
  readonly owner?: string;
  readonly form?: Readonly<Record<string, string>>;
}
export type Answer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly json: Readonly<Record<string, unknown>> | readonly unknown[] | null;
    }
  | { readonly kind: 'unknown'; readonly retryAfterS: number | null };

interface Deps {
  readonly base: () => string;
  readonly timeoutMs: () => number;
  /** The way to services elsewhere, or what stands for it. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly userAgent: () => string;
  readonly limits: Limits;
  readonly log: Log;
}

/**
 * One call of Discord's API: a time limit, a bounded body, no redirects, limits kept. What is no clear answer (no
 * connection, a time-out, a 429, a 5xx, HTML from the edge) is `unknown`. Nothing of a request's secrets reaches the
 * log.
 */
export function createHttp({ base, timeoutMs, fetch, userAgent, limits, log }: Deps) {
  return async function call(request: Request): Promise<Answer> {
    const { method, path, route, major = '', owner = '' } = request;
    const counted = `${major} ${owner}`;
    const key = `${method} ${route} ${counted}`;
    const wait = limits.wait(key);
    if (wait > 0) return { kind: 'unknown', retryAfterS: wait };
    const logUnknown = (facts: Record<string, unknown>) =>
      log.warn('discord.unknown', { call: `${method} ${route}`, ...facts });
    try {
      const response = await fetch(base().replace(/\/+$/, '') + path, {
        method,
        redirect: 'manual',
        // On a connection that was kept, a request whose answer is lost would be sent a second time unasked: a refresh
        // token works once.
        keepalive: false,
        signal: AbortSignal.timeout(timeoutMs()),
        headers: {
          'User-Agent': userAgent(),
          Accept: 'application/json',
          ...(request.authorization ? { Authorization: request.authorization } : {}),
        },
        ...(request.form ? { body: new URLSearchParams(request.form) } : {}),
      });
      const json = parse(await readBounded(response));
      const retry = limits.note(key, counted, {
        status: response.status,
        headers: response.headers,
        bodyRetryS: retryOf(json),
      });
      if (
        retry !== null ||
        response.status >= 500 ||
        (response.status >= 300 && response.status < 400) ||
        (response.ok && json === null && response.status !== 204)
      ) {
        logUnknown({ status: response.status });
        return { kind: 'unknown', retryAfterS: retry };
      }
      return { kind: 'answered', status: response.status, json };
    } catch (error) {
      limits.failed();
      logUnknown({ error: error instanceof Error ? error.name : 'unknown' });
      return { kind: 'unknown', retryAfterS: null };
    }
  };
}

/** The text of an answer. Throws where it is longer than `BODY_MAX`. */
async function readBounded(response: Response): Promise<string> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > BODY_MAX) throw new RangeError('the answer is too long');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): Readonly<Record<string, unknown>> | readonly unknown[] | null {
  try {
    const json: unknown = JSON.parse(text);
    return Array.isArray(json)
      ? (json as unknown[])
      : typeof json === 'object' && json !== null
        ? (json as Record<string, unknown>)
        : null;
  } catch {
    return null;
  }
}

function retryOf(json: ReturnType<typeof parse>): number | null {
  const value = json !== null && 'retry_after' in json ? json.retry_after : null;
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.min(value, 86_400) : null;
}
