/** Most bytes of an answer that are read (services, shorteners). */
const BODY_MAX = 64 * 1024;
/** Characters of an answer that are kept for support. */
const KEPT = 4000;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
interface Request {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly timeoutMs: number;
  /** Texts that must stand in no log and no record: keys and proofs. */
  readonly secrets: readonly string[];
}
export type Answer =
  | { readonly status: number; readonly text: string; readonly record: string }
  /** No answer to rely on: no connection, too late, too long. */
  | { readonly status: null; readonly record: string };

/**
 * One call of a provider: a time limit, a bounded body, no redirects followed. Never throws. `kept` is what may be
 * written down. `fetch`: the machine's own.
 */
export function createCall(fetch: Fetch, userAgent: () => string): (request: Request) => Promise<Answer> {
  return async ({ url, method, timeoutMs, secrets }) => {
    try {
      const response = await fetch(url, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        headers: { 'User-Agent': userAgent(), Accept: 'application/json, text/plain' },
      });
      const text = await readBounded(response);
      if (text === null) return { status: null, record: `${response.status} too long` };
      return { status: response.status, text, record: masked(`${response.status} ${text}`, secrets).slice(0, KEPT) };
    } catch (error) {
      return {
        status: null,
        record: masked(error instanceof Error ? `${error.name}: ${error.message}` : 'failed', secrets).slice(0, KEPT),
      };
    }
  };
}

/** The body as text, or null where it is longer than allowed. */
async function readBounded(response: Response): Promise<string | null> {
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return new TextDecoder().decode(Buffer.concat(parts));
    size += part.value.byteLength;
    if (size > BODY_MAX) {
      await reader?.cancel();
      return null;
    }
    parts.push(part.value);
  }
}

/** Several providers want keys in the address, and repeat it in their errors. */
function masked(text: string, secrets: readonly string[]): string {
  const all = secrets.filter((secret) => secret.length >= 4).flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return all.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}

/** A text as JSON; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A field of a JSON object; undefined where the value is none, or has no such field. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/**
 * A short link as the visitor may be sent to it: over HTTPS (one given as http is asked for by https), on one of the
 * hosts or below one. Null for anything else: an answer that was tampered with must not lead people astray (attacks
 * T45).
 */
export function safeLink(text: string, hosts: string): string | null {
  const url = URL.parse(text.trim());
  if (
    url === null ||
    !['https:', 'http:'].includes(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.port !== ''
  )
    return null;
  const known = hosts.split(' ').filter(Boolean);
  if (!known.some((host) => url.hostname === host || url.hostname.endsWith(`.${host}`))) return null;
  url.protocol = 'https:';
  return url.href;
}
