import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useRevalidator } from 'react-router';
import { useApi } from '#client/lib/use-api.ts';
import type { AfkState } from '#shared/contract/earn.ts';
import { browserDeps, onOnlineOrVisible } from './afk-browser.ts';
import { createAfkClient } from './afk-client.ts';
import { isAwaitingAnswer, hasSession } from './afk-machine.ts';
import type { AfkClient, AfkSnapshot, Progress } from './afk-types.ts';

/** The longest gap between two beats that the server tolerates; the page counts no further. */
const MAX_GAP_MS = 45_000;
const TICK_MS = 250;
/** How often the state is refreshed while another tab or device runs the session. */
const ELSEWHERE_POLL_MS = 30_000;

/** The AFK engine of this page. In: the loader's answer. Out: what to show, and the commands. */
export function useAfk(state: AfkState): { shown: AfkSnapshot; client: AfkClient } {
  const api = useApi();
  const revalidator = useRevalidator();
  const [client] = useState(() => createAfkClient(state, browserDeps(api)));
  const shown = useSyncExternalStore(client.subscribe, client.snapshot, client.snapshot);
  // The engine lives outside React and runs while the page is open.
  useEffect(() => {
    client.open();
    return client.close;
  }, [client]);
  useEffect(() => client.loaded(state), [client, state]);

  const { phase } = shown;
  const { revalidate } = revalidator;
  // Totals and week come from the loader: reloaded when a session ends, and periodically while it runs elsewhere.
  const hadSession = useRef(false);
  useEffect(() => {
    if (hasSession(phase)) hadSession.current = true;
    else if (hadSession.current && !isAwaitingAnswer(phase)) {
      hadSession.current = false;
      void revalidate();
    }
  }, [phase, revalidate]);
  const watching = phase === 'elsewhere';
  useEffect(() => {
    if (!watching) return;
    const timer = setInterval(() => void revalidate(), ELSEWHERE_POLL_MS);
    return () => clearInterval(timer);
  }, [watching, revalidate]);
  useEffect(
    () =>
      onOnlineOrVisible(() => {
        client.tryNow();
        if (!hasSession(client.snapshot().phase)) void revalidate();
      }),
    [client, revalidate],
  );
  return { shown, client };
}

/**
 * The clock's numbers between two reports of the server: extrapolated by the page's monotonic clock while it runs,
 * never beyond the gap that the server tolerates.
 */
export function useCountedTime(progress: Progress, running: boolean): { countedMs: number; nextPayoutMs: number } {
  const { atMs, countedMs, nextPayoutMs } = progress;
  const [now, setNow] = useState(atMs);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [running]);
  const since = running ? Math.min(MAX_GAP_MS, Math.max(0, now - atMs)) : 0;
  return { countedMs: countedMs + since, nextPayoutMs: Math.max(0, nextPayoutMs - since) };
}
