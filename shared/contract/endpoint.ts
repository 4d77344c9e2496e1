import type * as z from 'zod/mini';
import type { Ceiling } from '../ceilings.ts';
import type { ErrorCode } from '../errors.ts';
import type { FeatureSwitch } from '../earning-sources.ts';
import type { LimitName } from '../limits.ts';
import type { Permission } from '../permissions.ts';

/** Who may call. Required, so that a forgotten guard is a type error. */
export type Access = 'open' | 'signed-in' | Permission;

/** One endpoint of the hosting API: everything client and server need to know of it. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Path with `:name` parameters, beginning with /api/. */
  readonly path: string;
  /** What it does, in English, as the reference lists it: an order (“Create a server”), without a full stop. */
  readonly summary: string;
  /** What the summary does not say and a caller has to know; whole sentences in Markdown. */
  readonly description?: string;
  readonly params?: z.ZodMiniType;
  readonly query?: z.ZodMiniType;
  readonly body?: z.ZodMiniType;
  /**
   * Instead of a JSON body: a raw file of this content type and at most `max` bytes. `also`: other types that are taken
   * as well.
   */
  readonly upload?: { readonly type: string; readonly also?: readonly string[]; readonly max: number };
  /** The ceiling of its body; `command` if absent. */
  readonly ceiling?: Ceiling;
  /**
   * Its answer contains a secret (a key, recovery codes). It is sent uncompressed: a secret compressed together with
   * foreign text can be guessed from the length.
   */
  readonly secret?: true;
  /** Shape of the answer beside `success` and `error_code`. Only `json` has one. */
  readonly response?: z.ZodMiniType;
  /** Every event that an `events` stream may send, with the shape of what it carries. No other format has one. */
  readonly events?: Readonly<Record<string, z.ZodMiniType>>;
  /**
   * Json by default; `csv`: a download; `text`: a text with its own type (a stylesheet) and `file`: a picture or a
   * document, both cached by ETag; `download`: a file of any size, streamed and cached nowhere; `events`: a server-sent
   * event stream; `redirect`: a redirect.
   */
  readonly format?: 'json' | 'csv' | 'text' | 'file' | 'download' | 'events' | 'redirect';
  readonly access: Access;
  /**
   * The permission by which staff may call it on what is a user’s: who is let in beyond `access` is decided by the
   * module (decision 085). Called by who has it, it counts as a command of staff (behaviour 3.11).
   */
  readonly asStaff?: Permission;
  /** Needs a verified address where verification is on (behaviour 3.1). */
  readonly verified?: boolean;
  /**
   * May be called by a session that waits for its second factor; every other one answers TW0_FA_BLOCKED (behaviour
   * 3.5).
   */
  readonly waiting?: boolean;
  /** May be called by users who have to set up a second factor first (`force_2fa`). */
  readonly settingUp?: boolean;
  readonly flag?: FeatureSwitch;
  readonly limit?: LimitName;
  /**
   * Several may edit it: what is read has an ETag, made of its `updated_at`, and a change takes that as `If-Match` in
   * the place of the body’s `updated_at`.
   */
  readonly versioned?: true;
  /** Accepts an Idempotency-Key (behaviour 1): commands that move credits or create things. */
  readonly idempotent?: boolean;
  /**
   * Called by another service: no session, no check of the origin; the handler verifies the signature of the raw body.
   * Its path begins with `WEBHOOK_PATH`.
   */
  readonly hook?: boolean;
  /** Its errors say in words as well what is wrong (`error.message`), for programs that show answers as they are. */
  readonly worded?: true;
  /**
   * Statuses of its own, where programs go by those of another contract: of its success (`ok`), and of some codes;
   * absent: 200, and those of the codes.
   */
  readonly statuses?: Readonly<Partial<Record<'ok' | ErrorCode, number>>>;
  /** Requested with no-cache headers, past every cache (specification, section 7). */
  readonly fresh?: boolean;
  /** Error codes besides those that every endpoint may return. */
  readonly errors: readonly ErrorCode[];
}

export type Group = Readonly<Record<string, Endpoint>>;

/** Declares a group of endpoints; the identity function that keeps the literal types. */
export function group<const G extends Group>(endpoints: G): G {
  return endpoints;
}

type Out<S> = S extends z.ZodMiniType ? z.output<S> : undefined;
type In<S> = S extends z.ZodMiniType ? z.input<S> : never;
type Has<E, K extends string> = E extends Record<K, infer S> ? (S extends z.ZodMiniType ? S : never) : never;

/** What a handler receives: parsed params, query and body (undefined where the endpoint has none). */
export interface HandlerInput<E extends Endpoint> {
  readonly params: [Has<E, 'params'>] extends [never] ? undefined : Out<Has<E, 'params'>>;
  readonly query: [Has<E, 'query'>] extends [never] ? undefined : Out<Has<E, 'query'>>;
  readonly body: E extends { upload: object }
    ? Uint8Array<ArrayBuffer>
    : [Has<E, 'body'>] extends [never]
      ? undefined
      : Out<Has<E, 'body'>>;
}
/** What a handler of a json endpoint returns, before the response schema strips unknown fields. */
export type HandlerOutput<E extends Endpoint> = [Has<E, 'response'>] extends [never]
  ? Record<string, never>
  : In<Has<E, 'response'>>;

/** What a handler of an event stream yields: the events that its endpoint declares. */
export type HandlerEvent<E extends Endpoint> = E extends { readonly events: infer V extends object }
  ? { [K in keyof V & string]: { readonly event: K; readonly data: In<V[K]> } }[keyof V & string]
  : never;

/** What a caller passes. Parts the endpoint does not have are not allowed. */
export type CallInput<E extends Endpoint> = ([Has<E, 'params'>] extends [never]
  ? object
  : { params: In<Has<E, 'params'>> }) &
  ([Has<E, 'query'>] extends [never] ? object : { query?: In<Has<E, 'query'>> }) &
  (E extends { upload: object }
    ? { body: Uint8Array<ArrayBuffer> }
    : [Has<E, 'body'>] extends [never]
      ? object
      : { body: In<Has<E, 'body'>> });
/** What a caller gets: the answer's fields. */
export type CallOutput<E extends Endpoint> = [Has<E, 'response'>] extends [never] ? object : Out<Has<E, 'response'>>;
