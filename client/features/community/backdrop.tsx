import type { ReactNode } from 'react';
import type { Background } from '#shared/profile.ts';

/** Tops of blocks in rows, every second row offset by half a block; the same few are always lit. */
const TILES = Array.from({ length: 60 }, (_, index) => {
  const row = Math.floor(index / 12);
  return { key: index, x: (index % 12) * 64 + (row % 2) * 32, y: row * 16, lit: index % 17 === 5 };
});

/** The background of a profile's head: blocks, or a sky in their colours. Decoration. */
export function Backdrop({ motif }: { motif: Background }): ReactNode {
  return (
    <div className="sp-backdrop" data-motif={motif} aria-hidden="true">
      <svg viewBox="0 0 704 80" preserveAspectRatio="xMidYMid slice">
        {TILES.map(({ key, x, y, lit }) => (
          <path key={key} data-lit={lit || undefined} d={`M${x} ${y}l32 16-32 16-32-16z`} />
        ))}
      </svg>
    </div>
  );
}
