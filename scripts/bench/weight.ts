import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { preloadsOf, type Manifest } from '#server/ssr/manifest.ts';
import { ROUTES, type RouteId } from '#shared/routes/table.ts';
import { boundFigure, type Figure } from './report.ts';

/**
 * Scripts that a first visit loads before the page is hydrated: the entry, the layout, the screen, and all that these
 * import statically. Each once. They are the same files that the page preloads. Not counted is what comes once the page
 * is idle (the action of a form that has one of its own, `lazyAction`), what a person's doing calls for (other screens,
 * panels), and the page's own data, which are no scripts.
 */
export function scriptsOf(manifest: Manifest, route: RouteId): string[] {
  return [...new Set([manifest.entry, ...preloadsOf(manifest, route, ROUTES[route].layout)])];
}

/** Kilobytes (1000 bytes) of a page's scripts, each compressed by gzip at its best, as they are served. */
export function weightOf(manifest: Manifest, route: RouteId, read: (name: string) => Uint8Array<ArrayBuffer>): number {
  return (
    scriptsOf(manifest, route).reduce((sum, path) => sum + gzipSync(read(basename(path)), { level: 9 }).length, 0) /
    1000
  );
}

/**
 * The most that pages may weigh, in kilobytes of gzip: what people see first, and the heaviest work of staff. A screen
 * more costs some sixty bytes, its route and where its script lies: one of players everywhere, one of staff only
 * there.
 */
export const WEIGHT_BUDGETS = {
  'auth.login': 155,
  'auth.register': 156,
  dashboard: 180,
  'admin.dashboard': 180,
  'admin.settings': 180,
  'admin.settings.old': 180,
  'admin.setup': 180,
} as const satisfies Partial<Record<RouteId, number>>;

/** Figure d: JavaScript of the pages that have a budget. In: folder of the built client. */
export function weightFigures(clientDir: string): Figure[] {
  const manifest = JSON.parse(readFileSync(join(clientDir, 'manifest.json'), 'utf8')) as Manifest;
  const read = (name: string) => new Uint8Array(readFileSync(join(clientDir, name)));
  return (Object.entries(WEIGHT_BUDGETS) as [keyof typeof WEIGHT_BUDGETS, number][]).map(([route, budget]) =>
    boundFigure(`d.scripts.${route.replace('auth.', '')}`, weightOf(manifest, route, read), 'KB', budget),
  );
}
