import type { EarningSource } from '#shared/earning-sources.ts';
import type { Reason } from './score.ts';

/** What is remembered about a user. `ads`: a session whose browser loaded what ad-blockers keep away. */
export type SignalKind = 'address' | 'network' | 'device' | 'identity' | 'payment' | 'ads';
export interface Signal {
  readonly kind: SignalKind;
  /** Keyed hash of what was seen. */
  readonly value: string;
}
export type HeldState = 'open' | 'released' | 'rejected';
/**
 * Why a reward waits: for staff, because of its user's score; or for its time, because nothing proves that it was
 * earned or its user may be one of a burst that cannot be seen yet (`proof`: the reasons say which).
 */
export type HeldCause = 'score' | 'proof';

/** A reward that waits for review, or did. Times in UTC ms. */
export interface HeldReward {
  readonly id: string;
  readonly userId: string;
  readonly source: EarningSource;
  readonly amount: number;
  /** Rewards it is made of: more than one where small ones wait as one. */
  readonly parts: number;
  /** Of the first part. */
  readonly reference: string;
  readonly subject: string | null;
  readonly pool: string | null;
  readonly cause: HeldCause;
  readonly score: number;
  readonly reasons: readonly Reason[];
  readonly txId: string;
  readonly holdId: string;
  readonly state: HeldState;
  /** When it is looked at again and released by itself; null: staff decide. */
  readonly releaseMs: number | null;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly decidedMs: number | null;
  /** Staff who decided; null: the product itself, or nobody yet. */
  readonly decidedBy: string | null;
  /** The user's word on it. */
  readonly note: string | null;
  readonly noteMs: number | null;
  /** Of the amount, what counts against cap and budget of the day its last part came on; null: not known. */
  readonly countedDay: string | null;
  readonly counted: number;
}
type NewHeldReward = Omit<
  HeldReward,
  'parts' | 'state' | 'updatedMs' | 'decidedMs' | 'decidedBy' | 'note' | 'noteMs' | 'counted'
> & { readonly countedDay: string };
export interface ListedHeldReward extends HeldReward {
  readonly username: string;
  readonly decidedByName: string | null;
}
export interface HeldRewardQuery {
  readonly state?: HeldState | undefined;
  readonly source?: EarningSource | undefined;
  /** Only those with a note. */
  readonly note?: boolean | undefined;
  /** Beginning of a username, without case. */
  readonly q?: string | undefined;
  readonly sort: { readonly key: 'created' | 'score' | 'amount'; readonly dir: 'asc' | 'desc' };
  readonly offset: number;
  readonly limit: number;
}
/** A signal that two users have in common. Times in UTC ms: from when on both had it, and until when. */
export interface SharedSignal {
  /** The other user. */
  readonly userId: string;
  readonly kind: SignalKind;
  readonly sinceMs: number;
  readonly lastMs: number;
}
/** What somebody's address turned out to be. */
export type Verdict = 'vpn' | 'clean' | 'unknown';

export interface AbuseRepo {
  /** Notes what was seen of a user, or that it was seen again. */
  recordSignals(userId: string, signals: readonly Signal[], atMs: number): Promise<void>;
  /** How many other users share the user's signals of each kind: the most of any value, counted up to 50. */
  countSharing(userId: string): Promise<Partial<Record<SignalKind, number>>>;
  /** Signals of some kinds that a user has in common with others, up to 200 of them: of the user's latest ones. */
  listShared(userId: string, kinds: readonly SignalKind[]): Promise<SharedSignal[]>;
  /** Those that a user has in common with one other, of all kinds. */
  listSharedWith(userId: string, otherId: string): Promise<SharedSignal[]>;
  /**
   * Of the accounts on one of the user's devices, how many were first seen on it within `seenMs` of the user and made
   * within `madeMs` of the user (null: whenever). The most of any device, counted up to 50.
   */
  countArrivedTogether(
    userId: string,
    within: { readonly seenMs: number; readonly madeMs: number | null },
  ): Promise<number>;
  /**
   * Other accounts that were made, and seen first at one of the user's latest places, within so many ms of the user: up
   * to 200, with their addresses.
   */
  listJoinedAround(userId: string, withinMs: number): Promise<{ id: string; email: string; createdMs: number }[]>;
  /** How many of these users came to a device together with another account within so many ms. */
  countOnSharedDevices(userIds: readonly string[], withinMs: number): Promise<number>;
  /**
   * Others that redeemed a code since a moment: on one of the user's devices, 200 others at most; at one of the user's
   * ten latest places, of the latest 200 uses, 50 at most.
   */
  countSameCode(userId: string, codeId: string, sinceMs: number): Promise<{ device: number; address: number }>;
  /** Values of a kind that were seen of the user since a moment, the latest first. */
  listSeen(userId: string, kind: SignalKind, sinceMs: number): Promise<string[]>;
  /** Removes signals that were last seen before a moment, at most `limit`. How many. */
  deleteSignals(beforeMs: number, limit: number): Promise<number>;
  /** Ids of deleted users of whom there are signals, at most `limit`. */
  listDeletedWithSignals(limit: number): Promise<string[]>;
  deleteSignalsOf(userId: string): Promise<void>;
  /** Mail address of a user, and the permissions of their role; null where there is none. */
  findProfile(userId: string): Promise<{ email: string; createdMs: number; permissions: readonly string[] } | null>;

  addHeld(held: NewHeldReward): Promise<void>;
  /** The user's open reward of a pool, locked. */
  lockOpenPool(userId: string, pool: string): Promise<HeldReward | null>;
  /** Adds a part to an open reward, counted on a day. */
  growHeld(
    id: string,
    by: number,
    verdict: { score: number; reasons: readonly Reason[] },
    at: { ms: number; day: string },
  ): Promise<void>;
  /** Whose a held reward is, without locking it. */
  findOwner(id: string): Promise<Pick<HeldReward, 'userId' | 'source'> | null>;
  /** A held reward, locked for the rest of the transaction. */
  lockHeld(id: string): Promise<HeldReward | null>;
  /** An open one by the reference of the reward, locked. */
  lockByReference(reference: string): Promise<HeldReward | null>;
  /** Ends an open one; false where it was decided. */
  closeHeld(id: string, end: { state: 'released' | 'rejected'; atMs: number; by: string | null }): Promise<boolean>;
  /** From now on staff decide: the score got too high to release it by itself. */
  assignToStaff(id: string, verdict: { score: number; reasons: readonly Reason[] }, atMs: number): Promise<void>;
  /** Ids of open ones that are due to be looked at again. */
  listDue(nowMs: number, limit: number): Promise<string[]>;
  /** Writes the user's note; false where there is one, or the reward is not open or not theirs. */
  addNote(id: string, userId: string, note: string, atMs: number): Promise<boolean>;
  list(query: HeldRewardQuery): Promise<{ rows: ListedHeldReward[]; total: number }>;
  /** The user's own, the newest first, the open ones before the others. */
  listByUser(userId: string, limit: number): Promise<HeldReward[]>;
  /** The rewards of a user that wait, the oldest first. */
  listOpen(userId: string): Promise<{ readonly id: string; readonly amount: number }[]>;
  /** Credits of a user from a source that wait. */
  sumWaiting(userId: string, source: EarningSource): Promise<number>;
  /** Count and credits of everything that waits. */
  openTotals(): Promise<{ count: number; credits: number }>;

  /** What is remembered about an address; null where nothing is, or it is too old. */
  findVerdict(value: string, nowMs: number): Promise<Verdict | null>;
  setVerdict(value: string, verdict: Verdict, untilMs: number): Promise<void>;
  /** Deletes those that ended before a moment among the next `limit` after a key. Out: the key to go on after, or null. */
  deleteVerdicts(beforeMs: number, afterKey: string, limit: number): Promise<string | null>;
  /** A list of networks as text, and when it was put there. */
  findNetworkList(name: string): Promise<{ body: string; updatedMs: number; ranges: number } | null>;
  findNetworkListTime(name: string): Promise<number | null>;
  setNetworkList(name: string, list: { body: string; ranges: number; updatedMs: number } | null): Promise<void>;
}

/** Hashes under a key of the installation, so that what is stored cannot be guessed back. */
export interface Keyed {
  /** HMAC-SHA256 of a text under the key of a purpose, base64url. */
  mac(purpose: string, text: string): string;
}
/** An account elsewhere that a user linked. */
export interface LinkedIdentity {
  readonly provider: string;
  /** Its id there. */
  readonly subject: string;
}

/** A list of networks, ready to be asked. */
export interface NetworkSet {
  readonly size: number;
  has(address: string): boolean;
}
/** Reading addresses and lists of them. */
export interface Networks {
  /**
   * Reads a list (services, vpn: an address, a network or a range a line; comments). Out: the set, and the numbers of
   * lines that are none.
   */
  parse(text: string): { set: NetworkSet; faults: readonly number[] };
  /** Whether an address belongs to the open internet: all others are never looked up. */
  isPublic(address: string): boolean;
}
/** A look-up of an address at a provider. Never throws: what cannot be learned is `unknown`. */
export interface VpnProvider {
  ask(address: string): Promise<Verdict>;
}
