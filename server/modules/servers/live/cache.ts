import { MINUTE, SECOND } from '#shared/time.ts';
import type { Clock } from '../../kernel.ts';
import type { PanelAnswer, PanelUsage } from '../panel/ports.ts';

/** Usage as last read from the panel. */
export interface LiveReading {
  readonly atMs: number;
  readonly usage: PanelUsage;
}
/** What a caller gets: the newest answer, and the last good one where that is still worth showing. */
interface LiveResult {
  readonly answer: PanelAnswer<PanelUsage>;
  readonly latest: LiveReading | null;
}

export const LIVE = {
  /**
   * The panel itself answers from a cache of 20 s (panel contract, section 6): asking more often costs calls and tells
   * nothing.
   */
  keepMs: 20 * SECOND,
  /** So long after a signal somebody waits to see what it did; the panel is asked more often then. */
  activeMs: 45 * SECOND,
  activeKeepMs: 5 * SECOND,
  /** What runs on this machine is measured when it is asked for. */
  ownKeepMs: 2 * SECOND,
  /** A panel that did not answer is left alone for this long. */
  silentMs: 10 * SECOND,
  /** Numbers older than this say nothing any more. */
  staleMs: 2 * MINUTE,
  /** Servers remembered; the oldest go first. */
  most: 5000,
} as const;

interface Entry {
  result: LiveResult;
  atMs: number;
}

/**
 * Usage of servers, remembered for a short time (in this process), so that however many users have a server's page
 * open, the panel is asked within its limits. Callers at the same time share one call. A silent panel does not wipe out
 * what was read shortly before.
 */
export function createLiveCache(clock: Clock) {
  const entries = new Map<string, Entry>();
  const asking = new Map<string, Promise<LiveResult>>();
  const signalled = new Map<string, number>();

  function isFresh(key: string, { result, atMs }: Entry, own: boolean): boolean {
    const now = clock.now();
    const silent = result.answer.outcome === 'unavailable' || result.answer.outcome === 'unknown';
    const active = now - (signalled.get(key) ?? -LIVE.activeMs) < LIVE.activeMs;
    return now - atMs < (silent ? LIVE.silentMs : own ? LIVE.ownKeepMs : active ? LIVE.activeKeepMs : LIVE.keepMs);
  }

  async function ask(key: string, work: () => Promise<PanelAnswer<PanelUsage>>): Promise<LiveResult> {
    const before = entries.get(key)?.result.latest ?? null;
    const answer = await work();
    const atMs = clock.now();
    const latest =
      answer.outcome === 'ok'
        ? { atMs, usage: answer.value }
        : answer.outcome === 'unavailable' || answer.outcome === 'unknown'
          ? before
          : null;
    // Written again at its end, so that the first key is always the one not asked for longest.
    entries.delete(key);
    entries.set(key, { result: { answer, latest }, atMs });
    for (const oldest of entries.keys()) {
      if (entries.size <= LIVE.most) break;
      entries.delete(oldest);
    }
    return { answer, latest };
  }

  return {
    /**
     * The usage of a server: remembered, or asked for by `work`, which must not throw. `key` names server and panel;
     * `own`: it runs on this machine.
     */
    async read(key: string, work: () => Promise<PanelAnswer<PanelUsage>>, own = false): Promise<LiveResult> {
      const entry = entries.get(key);
      let result: LiveResult;
      if (entry && isFresh(key, entry, own)) ({ result } = entry);
      else {
        const running = asking.get(key) ?? ask(key, work).finally(() => asking.delete(key));
        asking.set(key, running);
        result = await running;
      }
      const { latest } = result;
      return latest && clock.now() - latest.atMs > LIVE.staleMs ? { answer: result.answer, latest: null } : result;
    },
    /** A signal was sent: what is remembered is about to change, and somebody wants to see it. */
    signalled(key: string): void {
      const now = clock.now();
      for (const [other, atMs] of signalled) if (now - atMs >= LIVE.activeMs) signalled.delete(other);
      signalled.set(key, now);
    },
  };
}
