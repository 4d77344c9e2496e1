/** Which chunks each screen and layout needs beyond the entry's. */
export interface ChunkMap {
  /** Fetches the map, which is part of the build. A failure only costs speed. */
  load(): Promise<void>;
  /**
   * Preloads all chunks of a screen or layout (`layout.app`) at once; otherwise each is discovered only through its
   * importers.
   */
  preload(name: string): void;
}

/** The chunks of the build that this page is of. */
export function createChunkMap(build: string): ChunkMap {
  let chunks: Readonly<Record<string, readonly string[]>> = {};
  const asked = new Set<string>();
  return {
    load: async () => {
      try {
        const response = await fetch(`/assets/manifest.json?v=${build}`);
        const manifest = (await response.json()) as { build: string; screens: Record<string, readonly string[]> };
        // A newer build has other file names.
        if (manifest.build === build) chunks = manifest.screens;
      } catch {
        chunks = {};
      }
    },
    preload: (name) => {
      for (const path of chunks[name] ?? []) {
        if (asked.has(path)) continue;
        asked.add(path);
        const link = document.createElement('link');
        link.rel = 'modulepreload';
        link.href = path;
        document.head.append(link);
      }
    },
  };
}
