/** A code as the redeemer meets it (behaviour 4.2). Times in UTC ms, null = open on that side. */
export interface RedeemCode {
  readonly id: string;
  /** As the admin wrote it. */
  readonly code: string;
  readonly credits: number;
  readonly usesTotal: number;
  readonly usesCount: number;
  readonly minAgeDays: number;
  readonly startsMs: number | null;
  readonly endsMs: number | null;
  readonly enabled: boolean;
  /** Staff who made it, and who changed it last. */
  readonly writers: readonly string[];
}
export interface RedeemUse {
  readonly id: string;
  readonly codeId: string;
  readonly userId: string;
  readonly code: string;
  readonly credits: number;
  readonly txId: string;
  readonly atMs: number;
}
/** The use that a page of uses follows, the newest first. */
export type UseCursor = Pick<RedeemUse, 'atMs' | 'id'>;
/** Refused tries of a user since the window began. */
export interface Tries {
  readonly windowStartMs: number;
  readonly count: number;
}
export interface RedeemRepo {
  /** The code with this key (`normaliseCode`). */
  findCode(key: string): Promise<RedeemCode | null>;
  /**
   * When the account of a user was made (UTC ms; null for an unknown user), and whether it redeemed a code already
   * (null: no code).
   */
  findFacts(userId: string, codeId: string | null): Promise<{ sinceMs: number | null; used: boolean }>;
  /**
   * Counts one use where one is left; false where none is. Whoever redeems the code as well waits until this
   * transaction ends (PostgreSQL), so it comes last.
   */
  countUse(codeId: string): Promise<boolean>;
  /** Adds a use. Throws DomainError CODE_ALREADY_USED where this user has one of this code. */
  addUse(use: RedeemUse): Promise<void>;
  /** The user's uses, newest first. */
  history(userId: string, limit: number): Promise<RedeemUse[]>;
  /**
   * The uses of a code, newest first, behind one of them, each with the name that its user has now. Null: there is no
   * such code.
   */
  usesOf(
    codeId: string,
    before: UseCursor | null,
    limit: number,
  ): Promise<(RedeemUse & { readonly username: string })[] | null>;
  /** Tries of the user as stored; null where none are. */
  tries(userId: string): Promise<Tries | null>;
  /**
   * Tries of the user, their row made where absent and locked until the transaction ends: one redemption a user at a
   * time.
   */
  lockTries(userId: string, nowMs: number): Promise<Tries>;
  saveTries(userId: string, tries: Tries): Promise<void>;
}
