import type { BanNotice, ErrorCode, FieldErrors } from '../errors.ts';
import type { CallInput, CallOutput, Endpoint, Group } from './endpoint.ts';

/** A failed response: its code, the field errors and the request id for support. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly fields: FieldErrors;
  readonly requestId: string | null;
  readonly retryAfterS: number | null;
  /** With ACCOUNT_BANNED. */
  readonly ban: BanNotice | null;
  constructor(
    code: ErrorCode,
    status: number,
    details: {
      fields?: FieldErrors;
      requestId?: string | null;
      retryAfterS?: number | null;
      ban?: BanNotice | null;
    } = {},
  ) {
    super(code);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.fields = details.fields ?? {};
    this.requestId = details.requestId ?? null;
    this.retryAfterS = details.retryAfterS ?? null;
    this.ban = details.ban ?? null;
  }
}

/** What is sent; `onProgress` is told how much of an upload has left (0 to 1), where the fetcher can say so. */
export interface SentInit extends RequestInit {
  onProgress?: (share: number) => void;
}
/** Sends a request and returns its response; the only part that differs between browser, server and tests. */
export type Fetcher = (path: string, init: SentInit) => Promise<Response>;

interface CallOptions {
  signal?: AbortSignal;
  /** Idempotency-Key of a command. The same key may be sent again after a lost answer. */
  key?: string;
  /** Is told how much of an upload has left, 0 to 1. */
  onProgress?: (share: number) => void;
}

type Call<E extends Endpoint> = E extends
  { format: 'events' | 'text' | 'redirect' | 'file' | 'download' } | { hook: true }
  ? never
  : object extends CallInput<E>
    ? (input?: CallInput<E>, options?: CallOptions) => Promise<CallOutput<E>>
    : (input: CallInput<E>, options?: CallOptions) => Promise<CallOutput<E>>;
export type Client<C extends Readonly<Record<string, Group>>> = {
  readonly [G in keyof C]: { readonly [E in keyof C[G]]: Call<C[G][E]> };
};

/** What a client needs of an endpoint to send a request. Of a body only its presence matters, not the schema. */
export interface Sendable {
  /** GET if absent. */
  readonly method?: Endpoint['method'];
  readonly path: string;
  readonly body?: unknown;
  readonly upload?: Endpoint['upload'];
  readonly idempotent?: boolean;
  readonly fresh?: boolean;
}
/** All endpoints of a contract, as far as a client needs them. */
export type Sendables<C extends Readonly<Record<string, Group>>> = {
  readonly [G in keyof C]: { readonly [E in keyof C[G]]: Sendable };
};

interface RawInput {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** The address of an endpoint with its parameters filled in and its query appended. */
export function endpointUrl(endpoint: Pick<Endpoint, 'path'>, input: RawInput = {}): string {
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(input.params?.[name] ?? ''));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/**
 * The code of a failed response. From 500 on the status alone decides (specification, section 8). Below, any text that
 * looks like a code counts as one: the catalogue is the server's, and a code that is too new for this page still gets
 * the general text.
 */
function codeOf(status: number, code: unknown): ErrorCode {
  if (status === 503) return 'SERVER_UNAVAILABLE';
  return status < 500 && typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)
    ? (code as ErrorCode)
    : 'SERVER_ERROR';
}

/**
 * Parses a response's JSON or throws the ApiError it stands for. A body that is not ours counts as SERVER_UNAVAILABLE
 * or SERVER_ERROR by its status.
 */
export async function readAnswer(response: Response): Promise<Record<string, unknown>> {
  let body: Record<string, unknown> | null = null;
  try {
    body = (await response.json()) as Record<string, unknown>;
  } catch {
    body = null;
  }
  if (response.ok && body?.success === true) return body;
  const retryAfter = Number(response.headers.get('Retry-After'));
  throw new ApiError(codeOf(response.status, body?.error_code), response.status, {
    fields: (body?.fields ?? {}) as FieldErrors,
    requestId: typeof body?.request_id === 'string' ? body.request_id : response.headers.get('X-Request-Id'),
    retryAfterS: retryAfter > 0 ? retryAfter : null,
    ban: (body?.ban as BanNotice | undefined) ?? null,
  });
}

/**
 * A typed client of the whole contract. In: the contract, or its sendable part, a fetcher, and a maker of idempotency
 * keys. Each call resolves to the answer's fields or rejects with ApiError (or with the fetcher's own error if there
 * was no response).
 */
export function createClient<C extends Readonly<Record<string, Group>>>(
  contract: Sendables<C>,
  fetcher: Fetcher,
  newKey: () => string,
): Client<C> {
  const call = async (endpoint: Sendable, input: RawInput = {}, options: CallOptions = {}) => {
    const headers: Record<string, string> = { Accept: 'application/json' };
    if (endpoint.body) headers['Content-Type'] = 'application/json';
    if (endpoint.idempotent) headers['Idempotency-Key'] = options.key ?? newKey();
    const init: SentInit = { method: endpoint.method ?? 'GET', headers };
    if (endpoint.body) init.body = JSON.stringify(input.body ?? {});
    if (endpoint.upload) {
      headers['Content-Type'] = endpoint.upload.type;
      init.body = input.body as Uint8Array<ArrayBuffer>;
    }
    if (endpoint.fresh) {
      headers['Cache-Control'] = 'no-cache';
      headers.Pragma = 'no-cache';
      init.cache = 'no-store';
    }
    if (options.signal) init.signal = options.signal;
    if (options.onProgress) init.onProgress = options.onProgress;
    return readAnswer(await fetcher(endpointUrl(endpoint, input), init));
  };
  // Groups are created on first use: the server creates a client for every page, which calls only a few endpoints.
  const client = {};
  for (const name of Object.keys(contract)) {
    let made: Record<string, unknown> | undefined;
    const group = () =>
      Object.fromEntries(
        Object.entries<Sendable>(contract[name] ?? {}).map(([key, endpoint]) => [
          key,
          (input?: RawInput, options?: CallOptions) => call(endpoint, input, options),
        ]),
      );
    Object.defineProperty(client, name, { enumerable: true, get: () => (made ??= group()) });
  }
  return client as Client<C>;
}
