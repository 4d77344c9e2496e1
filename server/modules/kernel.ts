import type { Locale } from '#shared/i18n/locales.ts';
import type { TokenScope } from '#shared/token-scopes.ts';

/** The time, in UTC milliseconds. The only source of it in business code. */
export interface Clock {
  now(): number;
}

/** Makers of identifiers and secrets. */
/** What whoever came from an address left behind, as it is compared: a kind of place, and a keyed hash of it. */
export interface PlaceTrace {
  readonly kind: string;
  readonly value: string;
}
/** The trace of an address; null for no address. */
export type FindPlaceTrace = (address: string) => PlaceTrace | null;

export interface Ids {
  /** A time-sortable UUID (version 7). */
  uuid(): string;
  /** A random token of 32 bytes, base64url. */
  token(): string;
  /** SHA-256 of a text, hex: how tokens are kept at rest. */
  hash(text: string): string;
}

/** What became of a sealed text: the clear one, or why it cannot be read. */
export type UnsealResult = { readonly text: string } | { readonly fault: 'not_sealed' | 'foreign_key' | 'damaged' };

/**
 * Secrets at rest (behaviour 1). `purpose` picks the key (`settings`, `identities`); `place` is the row it belongs to:
 * it opens nowhere else.
 */
export interface Sealer {
  /** The text, encrypted; different at each call. */
  seal(purpose: string, place: string, text: string): string;
  open(purpose: string, place: string, sealed: string): UnsealResult;
}

/** Structured log. `event` is a short constant; fields hold no secrets. */
export interface Log {
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
}

/** Who acts. */
export interface Actor {
  readonly userId: string;
  /** '' for an API token. */
  readonly sessionId: string;
  readonly username: string;
  /** In which they read times, an IANA name; null or absent: the installation's. */
  readonly timeZone?: string | null;
  readonly permissions: readonly string[];
  /** The address is confirmed, or confirmation is not asked for. */
  readonly verified: boolean;
  /** The session waits for its second factor (behaviour 3.5): it may verify and log out, nothing else. */
  readonly waiting?: boolean;
  /** The installation asks for a second factor that the user has not set up (`force_2fa`): setting it up comes first. */
  readonly mustSetUp?: boolean;
  /** The API token that acts for the user; its permissions are those of the areas it is let into, and no others. */
  readonly token?: { readonly id: string; readonly scopes: readonly TokenScope[] };
  /**
   * The member of staff who views as this user, and until when (behaviour 8.3): they read what is opened to that, and
   * change nothing. The session is theirs.
   */
  readonly viewer?: { readonly userId: string; readonly username: string; readonly untilMs: number };
}

/** Facts of one command or question, free of HTTP. */
export interface Ctx {
  readonly actor: Actor | null;
  readonly requestId: string;
  readonly locale: Locale;
  /** Address of the visitor, as text, decided from trusted proxies only. */
  readonly address: string;
  readonly userAgent: string;
  /**
   * Key and input hash of an idempotent command; null when the caller sent none. `replayed` becomes true where the
   * answer is a stored one.
   */
  readonly idempotency: { readonly key: string; readonly hash: string; replayed?: boolean } | null;
}

/** A context whose actor is known: what handlers of guarded endpoints receive. */
export interface SignedIn extends Ctx {
  readonly actor: Actor;
}

/**
 * Topics of live updates and cache invalidation, published after commit: `user:<id>` anything of that user's session
 * answer (balance, limits, role, ban), `account:<id>` who they are (standing, address, second factor),
 * `servers:<userId>`, `notifications:<userId>`, `afk:<userId>`, `settings`, `catalog`, `session:<sessionId>`,
 * `rotated:<sessionId>` it goes by another secret, `token:<tokenId>`, `mail`, `jobs`, `attention` what needs a person,
 * `tickets:<userId>`, `tickets` those of everybody, `images:<userId>`, `image:<id>` one of them, `typing:<userId>`
 * somebody began to write in a ticket of theirs, `typing` in any.
 */
export type Topic = string;

/** Anything may have changed unheard: published by nobody but the bus (ProcessBus.deliverAll). */
export const MISSED_TOPIC: Topic = 'missed';

/** Where several processes serve an installation, what one publishes is heard in all (topicReach). */
export interface Bus {
  publish(topics: Iterable<Topic>): void;
  /** Whether a topic was published within the last `ms`; true as well where the bus does not reach back that far. */
  publishedWithin(topic: Topic, ms: number): boolean;
  /** Listens to a topic; gives back the function that stops it. */
  subscribe(topic: Topic, listener: (topic: Topic) => void): () => void;
}
