import type { UpdateOutcome } from '#shared/updates.ts';

/** What is known of the feed of releases. */
interface FeedState {
  /** Whose signature its content has (base64). */
  readonly publicKey: string;
  readonly checkedMs: number;
  readonly outcome: UpdateOutcome;
  /** The newest edition that was read, as JSON; null: none yet. */
  readonly content: string | null;
}
export interface UpdatesRepo {
  find(): Promise<FeedState | null>;
  /** Whether there was something to forget. */
  forget(): Promise<boolean>;
  /**
   * Keeps what a check came to. An edition that is older than the one that is kept of the same key is not taken, and
   * the outcome is `replayed`; what is kept of another key is forgotten.
   */
  save(check: {
    readonly publicKey: string;
    readonly checkedMs: number;
    readonly outcome: UpdateOutcome;
    readonly edition: { readonly sequence: number; readonly content: string } | null;
  }): Promise<void>;
}
/** Where the feed comes from. */
export interface FeedSource {
  /** Asks an address for its text; null where no whole answer came. Never throws. */
  load(url: string): Promise<string | null>;
  /** Whether the holder of a key of Ed25519 signed a text as a feed; key and signature as base64. Never throws. */
  isSigned(publicKey: string, signature: string, text: string): Promise<boolean>;
}
