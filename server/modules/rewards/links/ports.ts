import type { LinkProviderId } from '#shared/link-providers.ts';

type ClaimState = 'open' | 'paid' | 'held' | 'expired' | 'rejected';

/** One way through a sponsor's pages (behaviour 4.5). Its terms are those of the moment it began. Times in UTC ms. */
export interface Claim {
  readonly id: string;
  readonly userId: string;
  readonly provider: LinkProviderId;
  /** SHA-256 of the token in the return address. */
  readonly tokenHash: string;
  /** The token and the sponsor's link, sealed; both gone once the claim is closed. */
  readonly tokenSealed: string | null;
  readonly linkSealed: string | null;
  readonly credits: number;
  readonly state: ClaimState;
  /** The login it began in, and its network: null some time after the end. */
  readonly sessionId: string;
  readonly network: string | null;
  readonly startedMs: number;
  /** It is worth nothing before this moment, and from `expiresMs` on. */
  readonly readyMs: number;
  readonly expiresMs: number;
  /** The provider is being asked since then. */
  readonly checkingMs: number | null;
  readonly txId: string | null;
  readonly closedMs: number | null;
}
export interface ClaimChange {
  readonly state?: ClaimState;
  readonly tokenSealed?: null;
  readonly linkSealed?: string | null;
  readonly checkingMs?: number | null;
  /** The provider's raw answer without secrets, for support; at most 4000 characters. */
  readonly answer?: string;
  readonly txId?: string;
  readonly closedMs?: number;
}

export interface LinksRepo {
  /** Adds an open claim; false where the user has an open one with this provider. */
  add(claim: Claim): Promise<boolean>;
  byToken(tokenHash: string): Promise<Claim | null>;
  /** The same, locked until the transaction ends. */
  lock(id: string): Promise<Claim | null>;
  lockByToken(tokenHash: string): Promise<Claim | null>;
  open(userId: string, provider: LinkProviderId): Promise<Claim | null>;
  change(id: string, change: ClaimChange): Promise<void>;
  /** Rewarded claims of a user with a provider: how many since a moment, and when the newest of all was. */
  rewarded(
    userId: string,
    provider: LinkProviderId,
    sinceMs: number,
  ): Promise<{ count: number; lastMs: number | null }>;
  /** Claims of the user that were begun, newest first. */
  history(userId: string, limit: number): Promise<Claim[]>;
  /** Notes a proof. True where it is new, or came with this claim before. */
  addProof(proof: { provider: LinkProviderId; proofHash: string; claimId: string; atMs: number }): Promise<boolean>;
  /** Never forgets a proof: it paid. */
  keepProof(provider: LinkProviderId, proofHash: string): Promise<void>;
  /** Gives open claims that were not over at a moment so many ms more. */
  extendOpen(sinceMs: number, byMs: number): Promise<void>;
  /**
   * Closes open claims that are over; of claims closed before a moment, forgets the network, and those that ran out
   * whole; forgets proofs older than another that paid nothing.
   */
  tidy(nowMs: number, before: { closedMs: number; proofsMs: number }): Promise<void>;
}

/**
 * A way to a sponsor, or why there is none: `refused` by the provider (its plan, our key), `unavailable` no answer to
 * rely on.
 */
export type LinkResult =
  | { readonly url: string; readonly answer: string }
  | { readonly failed: 'refused' | 'unavailable'; readonly answer: string };
/** What a provider says to a proof. `fault`: our own key is wrong. Unknown never pays and never punishes. */
export interface Verdict {
  readonly result: 'yes' | 'no' | 'unknown' | 'fault';
  readonly answer: string;
}
interface Visit {
  readonly claimId: string;
  /** Where the visitor is to come back, with the token; pure ASCII. */
  readonly target: string;
}

/**
 * One provider of links, as the settings of the moment describe it. Its calls go over the network: never inside a
 * transaction.
 */
export interface LinkProvider {
  /** Whether it is set up, so that it could be used. */
  readonly ready: boolean;
  /** Whether it proves that a visitor went all the way. */
  readonly proves: boolean;
  /** Name for users. */
  readonly name: string;
  /** Whether a text can be a proof of this provider at all. */
  isProof(text: string): boolean;
  /** Creates the link to send the visitor to. */
  createLink(visit: Visit): Promise<LinkResult>;
  /** Whether a proof is good, asked at once: some live for seconds. `address`: the visitor's. */
  check(proof: string, about: { readonly claimId: string; readonly address: string }): Promise<Verdict>;
}
export interface LinkProviders {
  of(id: LinkProviderId): LinkProvider;
}
