import { MINUTE } from '#shared/time.ts';
import type { Clock } from '#server/modules/kernel.ts';
import type { PanelTimer } from './timer.ts';

/**
 * Who asks: `interactive` is waited for by somebody, `live` by an open page, `background` by nobody (reconciliation,
 * catalogue).
 */
export type Priority = 'interactive' | 'live' | 'background';

/**
 * Share of a minute's limit that may be used at once; the rest comes back over the minute. Together never more than the
 * limit in any minute.
 */
const BURST = 0.25;
/** Share of the burst that calls nobody waits for leave to those that somebody waits for. */
const RESERVE = 1 / 3;

/** Size of the bucket, how many come back each ms, and how many have to stay in it. In: the limit a minute. */
export function rateOf(
  limit: number,
  priority: Priority,
): { readonly capacity: number; readonly perMs: number; readonly floor: number } {
  const capacity = Math.max(1, Math.floor(limit * BURST));
  const perMs = Math.max(1, limit - capacity) / MINUTE;
  return { capacity, perMs, floor: priority === 'background' ? Math.floor(capacity * RESERVE) : 0 };
}

/** A token bucket with a queue: those whom somebody waits for come first, then whoever came first. */
export interface Bucket {
  /** Waits for a token at most some ms. Out: whether one came. */
  take(priority: Priority, patienceMs: number): Promise<boolean>;
  /**
   * The panel's first word of what is left: that much may be used at once, as far as the bucket goes. Only the first
   * counts.
   */
  begin(left: number): void;
  /** No answer came to the first call: the next one may ask. */
  again(): void;
  /** The limit a minute turned out to be this. */
  learn(limit: number): void;
  /** There are at most this many. Out: whether there were more. */
  lower(left: number): boolean;
  /** None is given for some ms. */
  block(ms: number): void;
  limit(): number;
  blockedUntilMs(): number;
}

interface Waiter {
  readonly priority: Priority;
  readonly resolve: (came: boolean) => void;
  readonly cancel: () => void;
}

/** How many tokens there are, and when there are more. */
interface Tokens {
  /** How long until one can be had, in ms; 0: now. */
  waitMs(priority: Priority): number;
  /** Takes one out. */
  take(): void;
  begin(left: number): void;
  again(): void;
  learn(limit: number): void;
  lower(left: number): boolean;
  block(ms: number): void;
  limit(): number;
  blockedUntilMs(): number;
}

function createTokens(clock: Clock, first: number): Tokens {
  let limit = first;
  let tokens = 1;
  let begun = false;
  let given = 0;
  let atMs = clock.now();
  let blocked: { untilMs: number; ms: number } | null = null;

  function refill(): void {
    const now = clock.now();
    const { capacity, perMs } = rateOf(limit, 'interactive');
    // A clock that was set back gives nothing and takes nothing.
    tokens = Math.min(capacity, tokens + Math.max(0, now - atMs) * perMs);
    atMs = now;
    if (blocked) blocked.untilMs = Math.min(blocked.untilMs, now + blocked.ms);
    if (blocked && now >= blocked.untilMs) blocked = null;
  }
  return {
    waitMs(priority) {
      refill();
      const { perMs, floor } = rateOf(limit, priority);
      // The first call tells how much may be used, so nobody's has to wait for a reserve.
      const short = (begun ? floor : 0) + 1 - tokens;
      // Never less than a ms: a remainder of a rounding would ask again and again.
      return Math.max(
        blocked ? blocked.untilMs - clock.now() : 0,
        short > 1e-9 ? Math.max(1, Math.ceil(short / perMs)) : 0,
      );
    },
    take() {
      tokens -= 1;
      given += 1;
    },
    begin(left) {
      if (begun) return;
      begun = true;
      refill();
      tokens = Math.max(0, Math.min(rateOf(limit, 'interactive').capacity - given, left));
    },
    again() {
      if (begun) return;
      refill();
      tokens = Math.max(tokens, 1);
    },
    learn(said) {
      if (said === limit) return;
      refill();
      limit = said;
      tokens = Math.min(tokens, rateOf(said, 'interactive').capacity);
    },
    lower(left) {
      refill();
      if (left >= tokens) return false;
      tokens = left;
      return true;
    },
    block(ms) {
      blocked = { untilMs: Math.max(blocked?.untilMs ?? 0, clock.now() + ms), ms };
    },
    limit: () => limit,
    blockedUntilMs() {
      refill();
      return blocked?.untilMs ?? 0;
    },
  };
}

/**
 * Makes a bucket with one call in it: what a process that was killed has used of this minute only the panel knows, and
 * the answer to the first call tells. In: calls a minute.
 */
export function createBucket({ clock, timer }: { clock: Clock; timer: PanelTimer }, first: number): Bucket {
  const tokens = createTokens(clock, first);
  const waiters: Waiter[] = [];
  let cancelTimer: (() => void) | null = null;
  const next = (): Waiter | undefined => waiters.find(({ priority }) => priority !== 'background') ?? waiters[0];

  /** Gives what can be given, and comes back when there is more. */
  function serve(): void {
    cancelTimer?.();
    cancelTimer = null;
    for (let first = next(); first; first = next()) {
      const ms = tokens.waitMs(first.priority);
      if (ms > 0) {
        cancelTimer = timer.after(ms, serve);
        return;
      }
      tokens.take();
      waiters.splice(waiters.indexOf(first), 1);
      first.cancel();
      first.resolve(true);
    }
  }
  return {
    take: (priority, patienceMs) =>
      new Promise((resolve) => {
        const cancel = timer.after(patienceMs, () => {
          const at = waiters.indexOf(waiter);
          if (at === -1) return;
          waiters.splice(at, 1);
          resolve(false);
          serve();
        });
        const waiter: Waiter = { priority, resolve, cancel };
        waiters.push(waiter);
        serve();
      }),
    begin(left) {
      tokens.begin(left);
      serve();
    },
    again() {
      tokens.again();
      serve();
    },
    learn(limit) {
      tokens.learn(limit);
      serve();
    },
    lower: (left) => tokens.lower(left),
    block(ms) {
      tokens.block(ms);
      serve();
    },
    limit: () => tokens.limit(),
    blockedUntilMs: () => tokens.blockedUntilMs(),
  };
}
