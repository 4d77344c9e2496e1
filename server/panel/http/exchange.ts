import * as z from 'zod/mini';
import { SECOND } from '#shared/time.ts';
import type { PanelTimer } from './timer.ts';

/**
 * How long a question may take, body included; and a command, which the panel itself may hold for 30 s (panel contract,
 * section 5).
 */
export const READ_MS = 15 * SECOND;
export const WRITE_MS = 60 * SECOND;
/** Most bytes of an answer, unpacked: ten thousand ports of a node are less than two. */
const MAX_BYTES = 32 * 1024 * 1024;

/** `fetch`, as far as it is used here. */
export type PanelFetch = (url: string, init: RequestInit) => Promise<Response>;

export interface PanelRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly key: string;
  readonly body: object | null;
}
/**
 * Why no answer came: `refused` by the machine, `dns` and `tls` before anything was sent; `reset`, `timeout`,
 * `too_large` after that.
 */
export type Silence = 'refused' | 'dns' | 'tls' | 'reset' | 'timeout' | 'too_large';
/** One entry of the panel's list of errors. `field`, `rule`: only of a validation. */
export interface PanelError {
  readonly code: string;
  readonly detail: string;
  readonly field: string | null;
  readonly rule: string | null;
}
/** What became of one request: the panel's answer, or none. */
export type Exchange =
  | {
      readonly kind: 'silence';
      readonly why: Silence;
      /** False: certain that the panel never saw it. */ readonly sent: boolean;
    }
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** The answer is of the API's kind: JSON, or empty where it says so. */
      readonly json: boolean;
      readonly body: unknown;
      /** The errors of the panel's own envelope; null where it is none. */
      readonly errors: readonly PanelError[] | null;
      readonly rate: {
        readonly limit: number | null;
        readonly left: number | null;
        readonly retryAfterS: number | null;
      };
    };

export interface Transport {
  /** Sends one request. Never throws. */
  send(request: PanelRequest): Promise<Exchange>;
}

const UNSENT: readonly (readonly [Silence, RegExp])[] = [
  ['refused', /^(ECONNREFUSED|ConnectionRefused|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|FailedToOpenSocket)$/],
  ['dns', /^(ENOTFOUND|EAI_\w+|DNS\w*|ENODATA|ESERVFAIL)$/],
  [
    'tls',
    /^(EPROTO|ERR_TLS\w*|ERR_SSL\w*|CERT_\w+|UNABLE_TO_\w+|DEPTH_ZERO\w*|SELF_SIGNED\w*|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERROR_IN_CERT\w*)$/,
  ],
];

const envelope = z.object({
  errors: z
    .array(z.object({ code: z.string(), detail: z.nullish(z.string()), meta: z.optional(z.unknown()) }))
    .check(z.minLength(1)),
});
const place = z.object({ source_field: z.string(), rule: z.nullish(z.string()) });

/**
 * The panel's list of errors, or null where the body is no such thing. `meta` of a panel in debug mode holds other
 * things: they are left out.
 */
function errorsOf(body: unknown): PanelError[] | null {
  const parsed = envelope.safeParse(body);
  if (!parsed.success) return null;
  return parsed.data.errors.map(({ code, detail, meta }) => {
    const at = place.safeParse(meta);
    return {
      code,
      detail: detail ?? '',
      field: at.success ? at.data.source_field : null,
      rule: at.success ? (at.data.rule ?? null) : null,
    };
  });
}

class TooLarge extends Error {}

/** The body as text, at most MAX_BYTES of it. */
async function textOf(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength;
    if (bytes > maxBytes) throw new TooLarge();
    parts.push(part.value);
  }
  return Buffer.concat(parts).toString('utf8');
}

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
function parsed(text: string): { readonly json: boolean; readonly body: unknown } {
  try {
    const body: unknown = JSON.parse(text);
    return { json: true, body };
  } catch {
    return { json: false, body: null };
  }
}

/** An answer from its parts. In: status, headers, the body as text. */
export function readAnswer(status: number, headers: Headers, text: string): Exchange {
  const type = headers.get('Content-Type') ?? '';
  // 204 has neither body nor type; anything else of the API says that it is JSON (panel contract, section 2).
  const { json, body } =
    status === 204 && text === ''
      ? { json: true, body: null }
      : /^application\/([\w.+-]+\+)?json\b/i.test(type)
        ? parsed(text)
        : { json: false, body: null };
  const rate = {
    limit: whole(headers.get('X-RateLimit-Limit')),
    left: whole(headers.get('X-RateLimit-Remaining')),
    retryAfterS: whole(headers.get('Retry-After')),
  };
  return { kind: 'answer', status, json, body, errors: json ? errorsOf(body) : null, rate };
}

function silenceOf(error: unknown, late: boolean): Exchange {
  if (late) return { kind: 'silence', why: 'timeout', sent: true };
  if (error instanceof TooLarge) return { kind: 'silence', why: 'too_large', sent: true };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const why = UNSENT.find(([, codes]) => codes.test(code))?.[0];
  if (why) return { kind: 'silence', why, sent: false };
  // An address that our own way out does not ask.
  if (error instanceof Error && error.name === 'OutboundRefused')
    return { kind: 'silence', why: 'refused', sent: false };
  return { kind: 'silence', why: 'reset', sent: true };
}

/**
 * The way to a panel: JSON asked for, no redirect followed, bounded in time and size also while the body is read.
 * Certificates are checked. `fetch` may be one that looks at addresses first; private networks are where panels stand,
 * and staff alone set their addresses.
 */
export function createTransport({
  fetch,
  timer,
  maxBytes = MAX_BYTES,
}: {
  fetch: PanelFetch;
  timer: PanelTimer;
  maxBytes?: number;
}): Transport {
  return {
    async send({ url, method, key, body }) {
      const aborter = new AbortController();
      const end = Promise.withResolvers<never>();
      let late = false;
      const cancel = timer.after(method === 'GET' ? READ_MS : WRITE_MS, () => {
        late = true;
        aborter.abort();
        // Also where the work does not listen: looking up a name knows no end.
        end.reject(new Error('late'));
      });
      const headers: Record<string, string> = {
        Accept: 'application/json',
        Authorization: `Bearer ${key}`,
        'User-Agent': 'Spawnpoint',
      };
      if (body) headers['Content-Type'] = 'application/json';
      const init: RequestInit = {
        method,
        headers,
        redirect: 'manual',
        signal: aborter.signal,
        ...(body ? { body: JSON.stringify(body) } : {}),
      };
      // A command gets a line of its own: one that was kept may be closed already, and then nobody knows whether it
      // arrived, or it is sent twice.
      if (method !== 'GET') init.keepalive = false;
      const work = async (): Promise<Exchange> => {
        const response = await fetch(url, init);
        return readAnswer(response.status, response.headers, await textOf(response, maxBytes));
      };
      try {
        return await Promise.race([work(), end.promise]);
      } catch (error) {
        const silence = silenceOf(error, late);
        // Ends what is left of a body that was given up.
        aborter.abort();
        return silence;
      } finally {
        cancel();
      }
    },
  };
}
