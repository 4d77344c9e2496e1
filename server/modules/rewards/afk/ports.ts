export type EndReason = 'taken_over' | 'cap' | 'budget' | 'idle' | 'stopped' | 'disabled';

/** One AFK session (behaviour 4.1): everything the clock knows, so that a restart neither loses nor invents a minute. */
export interface AfkRow {
  readonly id: string;
  readonly userId: string;
  /** The login it was started from. */
  readonly sessionId: string;
  /** Browser and system of that login, in short. */
  readonly device: string;
  readonly startedMs: number;
  /** The last beat that was accepted; 0 before the first. */
  readonly lastBeatMs: number;
  /** Presence counted so far: the paid minutes and the started one. */
  readonly countedMs: number;
  /** Minutes paid. */
  readonly minutes: number;
  readonly earned: number;
  /** The newest challenge of the newest stream; null before the first stream. */
  readonly challenge: string | null;
  /** When it was issued; null once it was answered. */
  readonly challengeMs: number | null;
  readonly endedMs: number | null;
  readonly endReason: EndReason | null;
  /** Device that took over. */
  readonly takenBy: string | null;
}

/** What a beat changes, written in one update; the challenge counts as answered. */
interface BeatChange {
  readonly lastBeatMs: number;
  readonly countedMs: number;
  readonly minutes: number;
  readonly earned: number;
  readonly endedMs: number | null;
  readonly endReason: EndReason | null;
}

export interface AfkRepo {
  /** Adds a session without beats; false, and nothing added, where the user has an open one. */
  add(row: Pick<AfkRow, 'id' | 'userId' | 'sessionId' | 'device' | 'startedMs'>): Promise<boolean>;
  /** Removes sessions of a user that ended before a moment without a paid minute. */
  deleteEmpty(userId: string, beforeMs: number): Promise<void>;
  find(id: string): Promise<AfkRow | null>;
  /** `find` that locks the row until the transaction ends. */
  lock(id: string): Promise<AfkRow | null>;
  /** A session, and whether the login it was started from still counts (see `login`). */
  findLive(id: string, nowMs: number): Promise<{ row: AfkRow; loggedIn: boolean } | null>;
  /** The user's open session. */
  open(userId: string): Promise<AfkRow | null>;
  /** Ends the user's open session, where there is one, and gives it as it was. */
  endOpen(userId: string, end: { atMs: number; reason: EndReason; takenBy: string | null }): Promise<AfkRow | null>;
  /** Ends one session; false where it was over. */
  end(id: string, reason: EndReason, atMs: number): Promise<boolean>;
  /** Ends the open sessions that started and were last heard of before a moment; gives their users. */
  endSilent(beforeMs: number, atMs: number): Promise<string[]>;
  /**
   * Sets a challenge on an open session: as a new stream (`after` null), or in place of the stream's own last one.
   * False where it is over or another stream came.
   */
  issue(id: string, after: string | null, challenge: string, atMs: number): Promise<boolean>;
  saveBeat(id: string, change: BeatChange): Promise<void>;
  /** The device of a login that still counts; null where it ended, ran out, or its user was banned or deleted. */
  login(sessionId: string, nowMs: number): Promise<{ device: string } | null>;
}

/** Waiting, as a part to be replaced in tests. */
export interface Timer {
  /** Calls `run` once after `ms` milliseconds of real time; the function it gives cancels that. */
  after(ms: number, run: () => void): () => void;
}
