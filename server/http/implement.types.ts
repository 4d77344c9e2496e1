import type { Ctx, SignedIn } from '#server/modules/kernel.ts';
import type { Endpoint, Group, HandlerEvent, HandlerInput, HandlerOutput } from '#shared/contract/endpoint.ts';
import type { Locale } from '#shared/i18n/locales.ts';

/** Facts of a call that the transport knows: they do not come from the request's own headers. */
export interface CallInfo {
  readonly requestId: string;
  readonly address: string;
  readonly locale: Locale;
  /** The session secret or API token: from the cookie, the bearer header, or handed over by server rendering. */
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

/** What a handler has beside the facts of the request: ways to set cookies, and to know that the caller went away. */
export interface Transport {
  readonly cookies: {
    set(name: string, value: string, options: CookieOptions): void;
    get(name: string): string | null;
  };
  readonly signal: AbortSignal;
  /** The raw session secret or API token the caller sent, if any. */
  readonly secret: string | null;
  /** A header of the request; null where there is none. For what other services sign. */
  header(name: string): string | null;
}
export type HandlerCtx = Ctx & Transport;
export type SignedInCtx = SignedIn & Transport;

/** What keeps the line open: sent as a comment, it reaches no page. */
export interface Ping {
  readonly event: 'ping';
}
/** What a stream sends: only what the `events` of its endpoint name leaves the server. */
export type ServerEvent = Ping | { readonly event: string; readonly data: unknown };
export interface CsvAnswer {
  readonly filename: string;
  /** The file, already escaped: whole, or in parts that are made while it is sent. */
  readonly body: string | AsyncIterable<string>;
}
export interface TextAnswer {
  /** Content-Type without charset: it is always UTF-8. */
  readonly type: 'text/css' | 'text/javascript' | 'text/plain';
  readonly body: string;
  /** Names this state of the text; a caller who has it already gets 304. */
  readonly state: string;
  /** The caller asked for exactly this state: it may be kept for a year. Otherwise it is asked for again each time. */
  readonly keep: boolean;
}
/** A picture or a document. */
export interface FileAnswer {
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Names this state of the file; a caller who has it already gets 304. */
  readonly state: string;
  /** Given: a document that is saved under this name instead of being shown. */
  readonly filename?: string;
}
/** Where the browser goes next: a path of our own. */
export interface RedirectAnswer {
  readonly to: string;
}
/** A JSON answer that was serialised before (a cache): sent as it is. It must hold the complete envelope. */
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
        : E extends { format: 'redirect' }
          ? RedirectAnswer
          : HandlerOutput<E> | SerializedJson | void;
export type Handler<E extends Endpoint> = (
  ctx: E extends { access: 'open' } ? HandlerCtx : SignedInCtx,
  input: HandlerInput<E>,
) => Output<E> | Promise<Output<E>>;
export type Handlers<G extends Group> = { readonly [K in keyof G]: Handler<G[K]> };
