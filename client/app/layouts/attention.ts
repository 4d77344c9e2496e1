import { useContext, useEffect, useEffectEvent, useState } from 'react';
import type { AttentionView } from '#client/lib/attention.ts';
import { LiveContext } from '#client/lib/live.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { useApi } from '#client/lib/use-api.ts';
import { attentionFacts } from '#shared/attention.ts';
import { can } from '#shared/can.ts';
import type { RouteId } from '#shared/routes/table.ts';
import type { NavCount } from './navigation.ts';

/** After a change the counts are asked for this much later, in ms: of many changes together once. */
const PAUSE_MS = 1_000;
/** How often they are asked for without a change, in ms: ages grow, and a stream may have been lost. */
const EVERY_MS = 60_000;

/**
 * What needs the visitor, asked for after each change and once a minute. In: what the pages of staff were opened with;
 * null where that is not known. Out: the latest; null without the permission for the overview.
 */
export function useAttentionUpdates(loaded: AttentionView | null): AttentionView | null {
  const api = useApi();
  const source = useContext(LiveContext);
  const allowed = can(useShell().session.permissions, 'admin.dashboard.view');
  const isLoaded = loaded !== null;
  const [view, setView] = useState(loaded);
  const ask = useEffectEvent(() => api?.adminAttention.list());
  // An effect, because the stream of events lives outside React.
  useEffect(() => {
    if (!allowed) return;
    let soon: ReturnType<typeof setTimeout> | null = null;
    let current = true;
    const load = (): void =>
      void ask()?.then(
        // Answers may overtake each other.
        (answer) => current && setView((shown) => (shown && shown.at > answer.at ? shown : answer)),
        // The next change or minute tries again.
        () => undefined,
      );
    const stop = source?.subscribe((topic) => {
      if (topic !== 'attention') return;
      soon ??= setTimeout(() => {
        soon = null;
        load();
      }, PAUSE_MS);
    });
    const timer = setInterval(() => {
      if (!document.hidden) load();
    }, EVERY_MS);
    if (!isLoaded) load();
    return () => {
      current = false;
      stop?.();
      clearInterval(timer);
      if (soon !== null) clearTimeout(soon);
    };
  }, [source, allowed, isLoaded]);
  return view;
}

/**
 * What the navigation counts at each page: how many wait there, asking for attention unless all of it was put off; at
 * the overview, how many items there are that were not.
 */
export function countsOf(view: AttentionView | null): ReadonlyMap<RouteId, NavCount> {
  const counts = new Map<RouteId, NavCount>();
  const add = (route: RouteId, count: number, hot: boolean): void => {
    const before = counts.get(route);
    counts.set(route, { count: (before?.count ?? 0) + count, hot: hot || before?.hot === true });
  };
  for (const { key, count, snoozed_until: snoozed } of view?.items ?? []) {
    const { route, nav = route } = attentionFacts(key);
    if (nav !== 'admin.dashboard') add(nav, count, snoozed === null);
    if (snoozed === null) add('admin.dashboard', 1, true);
  }
  return counts;
}
