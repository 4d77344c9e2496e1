/** What became of looking an invite up: `duplicate` leads to a Discord server that another entry has. */
export type Lookup = 'pending' | 'found' | 'unknown' | 'duplicate';

/** A Discord server that pays for joining, as staff set it up. */
export interface J4rServer {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Code of the invite. */
  readonly invite: string;
  /** Discord's id of it, from the invite; null until it was looked up. */
  readonly guildId: string | null;
  readonly members: number | null;
  readonly lookup: Lookup;
  readonly credits: number;
  /** Members from before this entry are paid as well. */
  readonly paysMembers: boolean;
  /** Least age of a Discord account, in days; 0 = any. */
  readonly minAccountDays: number;
  readonly enabled: boolean;
  /** Since when joining counts, UTC ms: when the entry was made, or its invite last changed. */
  readonly sinceMs: number;
}

/** `vesting` may be clawed back; `kept` is theirs for good; `left` was clawed back as far as the balance allowed. */
export type ClaimState = 'vesting' | 'kept' | 'left';
export interface J4rClaim {
  readonly id: string;
  readonly guildId: string;
  /**
   * The person: the trace of their linked identity. Claims outlive links and accounts, so Discord's id of them is not
   * kept.
   */
  readonly subject: string;
  readonly serverId: string;
  readonly userId: string;
  readonly name: string;
  readonly credits: number;
  readonly reference: string;
  readonly txId: string;
  readonly state: ClaimState;
  /** Went into review instead of the wallet. */
  readonly held: boolean;
  /** When they had joined, as Discord said at the claim: a later time means that they left and came back. */
  readonly joinedMs: number;
  /** What Discord answered, for support. */
  readonly evidence: string;
  readonly claimedMs: number;
  readonly vestsMs: number;
  readonly checkMs: number | null;
  /** Since when nobody can be asked, as the account is not linked. */
  readonly unlinkedMs: number | null;
  readonly endedMs: number | null;
  readonly taken: number;
}

/** Of a reward in review: it waits, was paid, or was refused by staff. */
export type HeldState = 'open' | 'released' | 'rejected';

export interface J4rRepo {
  /** Entries that are offered, in their order. */
  offered(): Promise<J4rServer[]>;
  server(id: string): Promise<J4rServer | null>;
  /** Claims of the user, newest first, at most `limit`. */
  claimsOf(userId: string, limit: number): Promise<J4rClaim[]>;
  /** Discord servers for which this identity was paid, to whomever. */
  guildsPaid(subject: string): Promise<string[]>;
  /** Adds a claim. Throws DomainError J4R_ALREADY_PAID where the identity or the user was paid for this Discord server. */
  addClaim(claim: J4rClaim): Promise<void>;
  /** Whether the identity or the user was paid for the Discord server. */
  isPaid(guildId: string, subject: string, userId: string): Promise<boolean>;
  /** Claims whose check is due; their next is put off until `laterMs`, so that no other worker takes them. */
  takeDue(nowMs: number, laterMs: number, limit: number): Promise<J4rClaim[]>;
  /** Sets when a claim that still vests is looked at next, and since when it cannot be. */
  postponeCheck(id: string, checkMs: number, unlinkedMs: number | null): Promise<void>;
  /** What became of rewards that went into review, by their reference. */
  heldStates(references: readonly string[]): Promise<ReadonlyMap<string, HeldState>>;
  /** Ends a claim that still vests; false where it has ended. */
  end(id: string, state: 'kept' | 'left', atMs: number): Promise<boolean>;
  /** Notes what was clawed back of an ended claim. */
  recordClawback(id: string, credits: number, txId: string): Promise<void>;

  /** Entries whose invite was not looked up since a moment, the oldest first. */
  staleInvites(beforeMs: number, limit: number): Promise<J4rServer[]>;
  /** Invites of entries for a Discord server. */
  invitesTo(guildId: string): Promise<string[]>;
  /**
   * Notes what an invite leads to, where the entry still has it; `duplicate` where another entry has that Discord
   * server, `unknown` where it led to another one before. Out: what was noted, null where the invite is another by
   * now.
   */
  setFound(
    id: string,
    invite: string,
    found: { guildId: string; guildName: string; members: number | null },
    atMs: number,
  ): Promise<Lookup | null>;
  /** Notes that an invite leads nowhere any more. What it led to once is kept: claims go on. */
  setUnknown(id: string, invite: string, atMs: number): Promise<void>;
}
