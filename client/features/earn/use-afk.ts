import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useRevalidator } from 'react-router';
import { useApi } from '#client/lib/use-api.ts';
import type { AfkState } from '#shared/contract/earn.ts';
import { browserDeps, onOnlineOrVisible } from './afk-browser.ts';
import { createAfkClient } from './afk-client.ts';
import { isAwaitingAnswer, hasSession } from './afk-machine.ts';
import type { AfkClient, AfkSnapshot, Progress } from './afk-types.ts';

/** The server forgives a gap of this much between two beats; beyond it the page has nothing to count. */
const MAX_GAP_MS = 45_000;
const TICK_MS = 250;
/** While another place runs the session, this page asks this often how far it is. */
const ELSEWHERE_POLL_MS = 30_000;

/** The AFK engine of this page. In: the loader's answer. Out: what to show, and the commands. */
export function useAfk(state: AfkState): { shown: AfkSnapshot; client: AfkClient } {
  const api = useApi();
  const revalidator = useRevalidator();
  const [client] = useState(() => createAfkClient(state, browserDeps(api)));
  const shown = useSyncExternalStore(client.subscribe, client.snapshot, client.snapshot);
  // The engine lives outside React: it acts while the page is open.
  useEffect(() => {
    client.open();
    return client.close;
  }, [client]);
  useEffect(() => client.loaded(state), [client, state]);

  const { phase } = shown;
  const { revalidate } = revalidator;
  // Totals and week come from the loader: asked again when a session ends, and now and then while another place runs.
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
 * The clock's numbers between two words of the server: counted on by the page's steady clock while it runs, never
 * beyond what the server would forgive.
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
