import type { RouteId } from '#shared/routes/table.ts';

/** What the client build produced: addresses of its files. */
export interface Manifest {
  readonly build: string;
  readonly entry: string;
  /** Chunks that the entry imports at once. */
  readonly shared: readonly string[];
  readonly css: string;
  /** Chunks of each screen and layout, beyond the entry's. */
  readonly screens: Readonly<Record<string, readonly string[]>>;
}

/** Files to preload for a route: its layout's and its screen's chunks. */
export function preloadsOf(manifest: Manifest, id: RouteId | null, layout: string): readonly string[] {
  return [
    ...new Set([
      ...manifest.shared,
      ...(manifest.screens[`layout.${layout}`] ?? []),
      ...(manifest.screens[id ?? 'notFound'] ?? []),
    ]),
  ];
}
