import { MINUTE, SECOND } from '#shared/time.ts';
import type { Clock } from '../../kernel.ts';
import type { PanelAnswer, PanelUsage } from '../panel/ports.ts';

/** Usage as last heard of the panel. */
export interface LiveReading {
  readonly atMs: number;
  readonly usage: PanelUsage;
}
/** What an asker gets: the latest answer, and the last good one where that is still worth showing. */
interface LiveResult {
  readonly answer: PanelAnswer<PanelUsage>;
  readonly heard: LiveReading | null;
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
  /** A panel that did not answer is left alone for this long. */
  silentMs: 10 * SECOND,
  /** Numbers older than this say nothing any more. */
  staleMs: 2 * MINUTE,
  /** Servers remembered; the oldest go first. */
  most: 5000,
} as const;

interface Entry {
  looked: LiveResult;
  atMs: number;
}

/**
 * Usage of servers, remembered for a short time (in this process), so that however many people look at a server, the
 * panel is asked within its limits. Askers at the same time share one call. A silent panel does not wipe out what was
 * heard shortly before.
 */
export function createLiveCache(clock: Clock) {
  const entries = new Map<string, Entry>();
  const asking = new Map<string, Promise<LiveResult>>();
  const signalled = new Map<string, number>();

  function isFresh(key: string, { looked, atMs }: Entry): boolean {
    const now = clock.now();
    const silent = looked.answer.outcome === 'unavailable' || looked.answer.outcome === 'unknown';
    const keen = now - (signalled.get(key) ?? -LIVE.activeMs) < LIVE.activeMs;
    return now - atMs < (silent ? LIVE.silentMs : keen ? LIVE.activeKeepMs : LIVE.keepMs);
  }

  async function ask(key: string, work: () => Promise<PanelAnswer<PanelUsage>>): Promise<LiveResult> {
    const before = entries.get(key)?.looked.heard ?? null;
    const answer = await work();
    const atMs = clock.now();
    const heard =
      answer.outcome === 'ok'
        ? { atMs, usage: answer.value }
        : answer.outcome === 'unavailable' || answer.outcome === 'unknown'
          ? before
          : null;
    // Written anew at its end, so that the first key is always the one not asked for longest.
    entries.delete(key);
    entries.set(key, { looked: { answer, heard }, atMs });
    for (const oldest of entries.keys()) {
      if (entries.size <= LIVE.most) break;
      entries.delete(oldest);
    }
    return { answer, heard };
  }

  return {
    /** The usage of a server: remembered, or asked for by `work`, which must not throw. `key` names server and panel. */
    async look(key: string, work: () => Promise<PanelAnswer<PanelUsage>>): Promise<LiveResult> {
      const entry = entries.get(key);
      let looked: LiveResult;
      if (entry && isFresh(key, entry)) ({ looked } = entry);
      else {
        const running = asking.get(key) ?? ask(key, work).finally(() => asking.delete(key));
        asking.set(key, running);
        looked = await running;
      }
      const { heard } = looked;
      return heard && clock.now() - heard.atMs > LIVE.staleMs ? { answer: looked.answer, heard: null } : looked;
    },
    /** A signal was sent: what is remembered is about to change, and somebody wants to see it. */
    signalled(key: string): void {
      const now = clock.now();
      for (const [other, atMs] of signalled) if (now - atMs >= LIVE.activeMs) signalled.delete(other);
      signalled.set(key, now);
    },
  };
}
