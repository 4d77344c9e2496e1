import { MINUTE, SECOND } from '#shared/time.ts';
import type { Clock, Log } from '#server/modules/kernel.ts';
import { createAsking } from '#server/redis/asking.ts';
import { createBucket, rateOf, type Bucket, type Priority } from './bucket.ts';
import { pause, type PanelTimer } from './timer.ts';

/** How long a call waits for its token before it fails. */
export const PATIENCE_MS: Readonly<Record<Priority, number>> = {
  interactive: 20 * SECOND,
  live: 3 * SECOND,
  background: 30 * SECOND,
};
/** How long Redis may take. */
export const SHARED_MS = 500;
/** A 429 that does not say for how long, and the longest that is believed. */
const UNSAID_MS = 10 * SECOND;
const LONGEST_BLOCK_MS = 5 * MINUTE;

/** A bucket that several processes share. Rejects where it cannot be asked. */
export interface SharedBucket {
  /** Takes one if more than `floor` are there. `waitMs`: when to ask again. */
  take(
    key: string,
    bucket: { readonly capacity: number; readonly perMs: number; readonly floor: number },
  ): Promise<{ readonly granted: boolean; readonly waitMs: number }>;
  /** The panel says that fewer are left. */
  lower(key: string, left: number): Promise<void>;
  /** Nobody takes one for some ms. */
  block(key: string, ms: number): Promise<void>;
}

/** The calls that may be made to one API of a panel. */
export interface Budget {
  /**
   * Waits for a token, at most PATIENCE_MS. Out: whether it came. Each token that came is ended by `answered` or
   * `lost`.
   */
  take(priority: Priority): Promise<boolean>;
  /**
   * What the panel said of its limit, in the headers of an answer; `refused`: too many, it said, with or without a time
   * in seconds.
   */
  answered(
    rate: { readonly limit: number | null; readonly left: number | null; readonly retryAfterS: number | null },
    refused: boolean,
  ): void;
  /** No answer came. */
  lost(): void;
  /**
   * Limit a minute, what is left of it by the panel's last word, and when its window ends at the latest or it may be
   * asked again.
   */
  state(): { readonly limit: number; readonly left: number; readonly resetsMs: number };
}
/** One budget for each API of each panel address, shared by all that ask it. */
export interface PanelBudgets {
  of(url: string, api: 'application' | 'client', limit: number): Budget;
}

interface Deps {
  readonly clock: Clock;
  readonly timer: PanelTimer;
  readonly log: Log;
  /** Null: this process is the only one, or there is no Redis. */
  readonly shared: SharedBucket | null;
}

/** Asks what is shared, never for long; else this process counts for itself. */
function createLink({ shared, ...deps }: Deps) {
  const asking = createAsking({ ...deps, what: 'panel budgets', limitMs: SHARED_MS });
  return async <T>(work: (shared: SharedBucket) => Promise<T>): Promise<T | null> =>
    shared && asking(() => work(shared));
}
type Link = ReturnType<typeof createLink>;

/** Waits for a token among the processes; that of this one has come already. */
async function takeSharedToken(
  { clock, timer }: Deps,
  link: Link,
  key: string,
  bucket: Bucket,
  priority: Priority,
): Promise<boolean> {
  const untilMs = clock.now() + PATIENCE_MS[priority];
  for (;;) {
    const { capacity, perMs, floor } = rateOf(bucket.limit(), priority);
    const answer = await link((shared) => shared.take(key, { capacity, perMs, floor }));
    if (answer === null || answer.granted) return true;
    if (clock.now() + answer.waitMs > untilMs) return false;
    await pause(timer, Math.max(1, answer.waitMs));
  }
}

function createBudget(deps: Deps, link: Link, key: string, limit: number): Budget {
  const { clock } = deps;
  const bucket = createBucket(deps, limit);
  let word: { left: number; atMs: number } | null = null;
  let underWay = 0;
  return {
    async take(priority) {
      if (!(await bucket.take(priority, PATIENCE_MS[priority]))) return false;
      if (!(await takeSharedToken(deps, link, key, bucket, priority))) return false;
      underWay += 1;
      return true;
    },
    answered({ limit: said, left, retryAfterS }, refused) {
      underWay -= 1;
      if (said !== null && said > 0) bucket.learn(said);
      // One that does not tell what is left has no limit that we could know of but its own.
      if (left === null && !refused) bucket.begin(bucket.limit());
      if (left !== null) {
        word = { left, atMs: clock.now() };
        // What is under way may not be counted by the panel yet.
        const free = Math.max(0, left - underWay);
        bucket.begin(free);
        if (bucket.lower(free)) void link((shared) => shared.lower(key, free));
      }
      if (!refused) return;
      const ms = Math.min(LONGEST_BLOCK_MS, retryAfterS === null ? UNSAID_MS : Math.max(1, retryAfterS) * SECOND);
      word = { left: 0, atMs: clock.now() };
      bucket.block(ms);
      void link((shared) => shared.block(key, ms));
    },
    lost() {
      underWay -= 1;
      bucket.again();
    },
    state() {
      const now = clock.now();
      const fresh = word !== null && now - word.atMs < MINUTE && now >= word.atMs ? word : null;
      return {
        limit: bucket.limit(),
        left: fresh?.left ?? bucket.limit(),
        resetsMs: Math.max(bucket.blockedUntilMs(), fresh ? fresh.atMs + MINUTE : now),
      };
    },
  };
}

/** Makes the budgets of this process, through Redis those of all processes. */
export function createPanelBudgets(deps: Deps): PanelBudgets {
  const link = createLink(deps);
  const budgets = new Map<string, Budget>();
  return {
    of(url, api, limit) {
      const key = `${api}:${url}`;
      const known = budgets.get(key) ?? createBudget(deps, link, key, limit);
      budgets.set(key, known);
      return known;
    },
  };
}
