import type { Ctx, SignedIn } from '#server/modules/kernel.ts';
import type { Endpoint, Group, HandlerEvent, HandlerInput, HandlerOutput } from '#shared/contract/endpoint.ts';
import type { Locale } from '#shared/i18n/locales.ts';

/** How a request is read: from where, at which address, and whether that address keeps everybody out. */
export interface Reading {
  readonly address: string;
  /** The origin that it reached us at. */
  readonly origin: string;
  /** Pages are refused at this address (the access check). */
  readonly blocked: boolean;
}
/** In: addresses and networks of trusted proxies. */
type ReadAs = (trustedProxies: readonly string[]) => Reading;

/** Facts of a call that the transport knows and that handlers must not read from the request's own headers. */
export interface CallInfo {
  readonly requestId: string;
  readonly address: string;
  readonly locale: Locale;
  /** How the request would be read if these proxies were trusted; absent where that is not known. */
  readonly readAs?: ReadAs | undefined;
  /** How the request arrived, as another process of ours reads it (arrival.ts); absent where that is not known. */
  readonly arrival?: (() => string) | undefined;
  /** The session secret or API token: from the cookie, the bearer header, or server rendering. */
  readonly secret: string | null;
  /** Lifts the idle time-out of the connection, for event streams. */
  readonly keepOpen: () => void;
}

export interface CookieOptions {
  /** Seconds; 0 deletes. Absent: until the browser closes. */
  readonly maxAgeS?: number;
  readonly httpOnly?: boolean;
  readonly path?: string;
}

/** What a handler has beside the facts of the request: cookies, headers, and a signal that the caller disconnected. */
export interface Transport {
  readonly cookies: {
    set(name: string, value: string, options: CookieOptions): void;
    get(name: string): string | null;
  };
  readonly signal: AbortSignal;
  /** The raw session secret or API token the caller sent, if any. */
  readonly secret: string | null;
  readonly readAs?: ReadAs | undefined;
  /** A header of the request; null where it is absent. For the signatures of other services. */
  header(name: string): string | null;
}
export type HandlerCtx = Ctx & Transport;
export type SignedInCtx = SignedIn & Transport;

/** Keeps the connection open: it is sent as a comment, which does not reach the page. */
export interface Ping {
  readonly event: 'ping';
}
/** An event of a stream; only events that its endpoint declares are sent. */
export type ServerEvent = Ping | { readonly event: string; readonly data: unknown };
export interface CsvAnswer {
  readonly filename: string;
  /** The file, already escaped: as one text, or in parts that are made while it is sent. */
  readonly body: string | AsyncIterable<string>;
}
export interface TextAnswer {
  /** Content-Type without charset: it is always UTF-8. */
  readonly type: 'text/css' | 'text/javascript' | 'text/plain' | 'application/manifest+json' | 'application/atom+xml';
  readonly body: string;
  /** The ETag of the text, without quotes; a caller who has it gets 304. */
  readonly version: string;
  /** The caller requested exactly this version: it may be cached for a year. Otherwise it is revalidated each time. */
  readonly immutable: boolean;
}
/** A picture or a document. */
export interface FileAnswer {
  readonly type: string;
  /** A blob is sent in parts where the caller asks for that (ranges). */
  readonly body: Uint8Array<ArrayBuffer> | Blob;
  /** The ETag of the file, without quotes; a caller who has it gets 304. */
  readonly version: string;
  /** Its address never shows anything else: everybody may cache it for a year. */
  readonly immutable?: true;
  /** Pages of other sites may show it. */
  readonly forAnySite?: true;
  /** The browser saves the file under this name; absent: it shows the file. */
  readonly filename?: string;
}
/** A file of any size, which the browser saves. */
export interface DownloadAnswer {
  readonly filename: string;
  readonly bytes: number;
  readonly body: ReadableStream<Uint8Array>;
}
/** Where the browser is redirected: a path of our own. */
export interface RedirectAnswer {
  readonly to: string;
}
/** A JSON response that was serialized before (a cache) and is sent as it is: the whole body, `success` included. */
export class SerializedJson {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

type Output<E extends Endpoint> = E extends { format: 'events' }
  ? AsyncIterable<HandlerEvent<E> | Ping>
  : E extends { format: 'csv' }
    ? CsvAnswer
    : E extends { format: 'text' }
      ? TextAnswer
      : E extends { format: 'file' }
        ? FileAnswer
        : E extends { format: 'download' }
          ? DownloadAnswer
          : E extends { format: 'redirect' }
            ? RedirectAnswer
            : HandlerOutput<E> | SerializedJson | void;
export type Handler<E extends Endpoint> = (
  ctx: E extends { access: 'open' } ? HandlerCtx : SignedInCtx,
  input: HandlerInput<E>,
) => Output<E> | Promise<Output<E>>;
export type Handlers<G extends Group> = { readonly [K in keyof G]: Handler<G[K]> };
