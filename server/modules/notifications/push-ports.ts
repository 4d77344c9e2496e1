/** The keys by which push services know an installation (VAPID). */
export interface PushKeys {
  /** 65 bytes, base64url: what browsers are given. */
  readonly publicKey: string;
  /** A JWK as JSON. */
  readonly privateKey: string;
}
/** Where a browser takes pushes, and by which keys it alone opens them; base64url. */
export interface PushTarget {
  readonly endpoint: string;
  readonly publicKey: string;
  readonly auth: string;
}
export interface PushMessage {
  readonly text: string;
  /** How long a push service keeps it for a browser that is away, in seconds. */
  readonly ttlS: number;
  readonly urgency: 'normal' | 'high';
  /** A later one of the same topic takes the place of one that waits; up to 32 characters of base64url. */
  readonly topic: string;
}
/**
 * What became of a push: taken by the service (nobody says whether a person saw it); the browser takes none any more;
 * another try may follow, perhaps not before some ms; no try would help.
 */
export type PushOutcome =
  | { readonly kind: 'sent' | 'gone' }
  | { readonly kind: 'later'; readonly afterMs: number | null; readonly error: string }
  | { readonly kind: 'never'; readonly error: string };
/** The push services of browsers. */
export interface PushSender {
  createKeys(): Promise<PushKeys>;
  /** Never throws what the network does. */
  send(keys: PushKeys, target: PushTarget, message: PushMessage): Promise<PushOutcome>;
}

/** A browser that takes pushes. */
export interface PushSubscription extends PushTarget {
  readonly id: string;
  readonly userId: string;
  readonly sessionId: string;
  /** What it is called, such as `Firefox on Windows`. */
  readonly device: string;
  readonly createdMs: number;
  /** When a push service last took one for it; null: never. UTC ms. */
  readonly reachedMs: number | null;
}
export interface PushRepo {
  /** The keys of the installation, the private one sealed; null: there are none yet. */
  findKeys(): Promise<PushKeys | null>;
  /** Adds keys unless there are some. */
  addKeys(sealed: PushKeys, atMs: number): Promise<void>;
  /** Keys in the place of others, to which no browser listens any more: subscriptions go with them. */
  removeKeys(publicKey: string): Promise<void>;
  /** Those of a user, the newest first. */
  listOf(userId: string): Promise<PushSubscription[]>;
  find(id: string): Promise<PushSubscription | null>;
  /** Stores one in the place of that with the same endpoint, whoever had it. */
  put(subscription: PushSubscription): Promise<void>;
  markReached(id: string, atMs: number): Promise<void>;
  remove(id: string): Promise<void>;
}
