import { useEffect, useEffectEvent, useState } from 'react';
import { useApi } from '#client/lib/use-api.ts';
import type { HaltReason, LiveProblem } from '#shared/server-codes.ts';

/** The API's response about a server's usage. */
export interface LiveAnswer {
  readonly problem: LiveProblem | null;
  readonly at: string | null;
  readonly usage: {
    readonly power: 'offline' | 'starting' | 'running' | 'stopping' | 'unknown';
    readonly memory: number;
    readonly cpu: number;
    readonly disk: number;
    /** Bytes a second; null where the panel does not say. */
    readonly network: { readonly received: number; readonly sent: number } | null;
    readonly uptime_s: number;
    readonly halt: { readonly reason: HaltReason; readonly port: number | null } | null;
    /** Who plays on it, and some of their names; null where the game does not say. */
    readonly players: { readonly online: number; readonly max: number; readonly names: readonly string[] } | null;
  } | null;
  /** Seconds that the figures may be older than `at`. */
  readonly delay_s: number;
}
/** What the page knows of a server's usage. */
export interface LiveUsage {
  /** Null until the first response. */
  readonly answer: LiveAnswer | null;
  /** Our own server did not respond to the last request. */
  readonly failed: boolean;
  /** Readings since the page was opened, oldest first. */
  readonly readings: readonly NonNullable<LiveAnswer['usage']>[];
}

/**
 * The numbers of most panels change every 20 s; after a signal, and where they are measured when asked for, it is
 * polled more often.
 */
const POLL_MS = 20_000;
const FREQUENT_POLL_MS = 5_000;
/** Readings kept: ten minutes. */
const MAX_READINGS = 30;

const NOTHING: LiveUsage = { answer: null, failed: false, readings: [] };

function withAnswer(live: LiveUsage, answer: LiveAnswer): LiveUsage {
  const isNew = answer.usage !== null && answer.at !== live.answer?.at;
  return {
    answer,
    failed: false,
    readings: isNew && answer.usage ? [...live.readings, answer.usage].slice(-MAX_READINGS) : live.readings,
  };
}

/** Polls a server's usage while the page is visible. `frequent`: more often. Nothing is polled if `on` is false. */
export function useUsage(id: string, on: boolean, frequent: boolean): LiveUsage {
  const api = useApi();
  const [live, setLive] = useState<LiveUsage>(NOTHING);
  const fetchUsage = useEffectEvent(async (which: string): Promise<LiveAnswer | null> =>
    api ? api.servers.usage({ params: { id: which } }) : null,
  );
  const isFast = frequent || live.answer?.delay_s === 0;
  // An effect, because the panel is outside React: the page never waits for it.
  useEffect(() => {
    if (!on) return;
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = async (): Promise<void> => {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') {
        try {
          const answer = await fetchUsage(id);
          if (!over && answer) setLive((before) => withAnswer(before, answer));
        } catch {
          if (!over) setLive((before) => ({ ...before, failed: true }));
        }
      }
      if (!over) timer = setTimeout(() => void poll(), isFast ? FREQUENT_POLL_MS : POLL_MS);
    };
    const onVisible = (): void => void (document.visibilityState === 'visible' && poll());
    void poll();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      over = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [id, on, isFast]);
  return live;
}
