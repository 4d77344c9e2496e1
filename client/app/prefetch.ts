import { matchKnownRoute } from '#client/lib/known-routes.ts';
import type { Match } from '#shared/routes/match.ts';
import type { RouteId } from '#shared/routes/table.ts';

/**
 * Prefetches a screen's chunk and texts when a link to it is hovered, focused or touched, unless the visitor turned
 * that off.
 */
export function prefetchOnIntent(load: (page: Match) => void, wanted: () => boolean): () => void {
  const seen = new Set<RouteId>();
  const onIntent = (event: Event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (!(link instanceof HTMLAnchorElement) || link.origin !== location.origin || link.target) return;
    const match = matchKnownRoute(link.pathname);
    if (!match || seen.has(match.id) || !wanted()) return;
    seen.add(match.id);
    load(match);
  };
  const kinds = ['pointerover', 'focusin', 'touchstart'] as const;
  for (const kind of kinds) document.addEventListener(kind, onIntent, { passive: true });
  return () => kinds.forEach((kind) => document.removeEventListener(kind, onIntent));
}
