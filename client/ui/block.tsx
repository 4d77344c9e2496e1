import type { ReactNode } from 'react';
import { pictureSrcSet, pictureUrl } from '#shared/picture-url.ts';

/** The shapes of blocks: a shape stands for a kind of thing, its hue for one of the kind. */
export const BLOCK_SHAPES = ['cube', 'slab', 'pair', 'pillar', 'stairs', 'pedestal'] as const;

export type BlockShape = (typeof BLOCK_SHAPES)[number];

/** Faces in painting order: top, left or right, and the outline of the face. */
const FACES: Readonly<Record<BlockShape, readonly (readonly ['top' | 'left' | 'right', string])[]>> = {
  cube: [
    ['top', 'M12 2.5 21 7l-9 4.5L3 7z'],
    ['left', 'M3 7l9 4.5v10L3 17z'],
    ['right', 'M21 7l-9 4.5v10l9-4.5z'],
  ],
  slab: [
    ['top', 'M12 7 21 11.5 12 16 3 11.5z'],
    ['left', 'M3 11.5 12 16v5l-9-4.5z'],
    ['right', 'M21 11.5 12 16v5l9-4.5z'],
  ],
  pair: [
    ['top', 'M8 4.5 13.5 7.2 8 10 2.5 7.2z'],
    ['left', 'M2.5 7.2 8 10v6l-5.5-2.7z'],
    ['right', 'M13.5 7.2 8 10v6l5.5-2.7z'],
    ['top', 'M16 10.5 21.5 13.2 16 16l-5.5-2.8z'],
    ['left', 'M10.5 13.2 16 16v6l-5.5-2.7z'],
    ['right', 'M21.5 13.2 16 16v6l5.5-2.7z'],
  ],
  pillar: [
    ['left', 'M6 5l6 3v13.5l-6-3z'],
    ['right', 'M18 5l-6 3v13.5l6-3z'],
    ['top', 'M12 2l6 3-6 3-6-3z'],
  ],
  stairs: [
    ['left', 'M3 14.5 12 19v3L3 17.5z'],
    ['right', 'M21 6.5 16.5 8.75v4.5L12 15.5V22l9-4.5z'],
    ['top', 'M7.5 12.25 12 14.5v4.5L3 14.5z'],
    ['top', 'M16.5 4.25 21 6.5l-4.5 2.25L12 6.5z'],
    ['left', 'M12 6.5l4.5 2.25v4.5L12 11z'],
    ['top', 'M12 11l4.5 2.25L12 15.5v3.5l-4.5-6.75z'],
  ],
  pedestal: [
    ['left', 'M3 14l9 4.5V22l-9-4.5z'],
    ['right', 'M21 14l-9 4.5V22l9-4.5z'],
    ['top', 'M12 9.5 21 14 12 18.5 3 14z'],
    ['left', 'M7 5.5 12 8v7.5L7 13z'],
    ['right', 'M17 5.5 12 8v7.5l5-2.5z'],
    ['top', 'M12 3l5 2.5L12 8 7 5.5z'],
  ],
};

interface BlockProps {
  shape?: BlockShape;
  /** Hue bucket, 0 to 11 (`hueOf` in `#client/lib/hue.ts`). */
  hue: number;
  size?: 'sm' | 'lg' | 'xl';
  /** Not running: grey. */
  off?: boolean;
  /** Without a label it is decoration. */
  label?: string;
  /** Id of a picture of the installation in its place; '': none. */
  picture?: string;
}

/** An isometric block, or a picture as large as one. */
export function Block({ shape = 'cube', hue, size, off = false, label, picture = '' }: BlockProps): ReactNode {
  if (picture !== '')
    return (
      <img
        className="sp-block"
        data-size={size}
        data-off={off || undefined}
        src={pictureUrl(picture, 'small')}
        srcSet={pictureSrcSet(picture, 'egg')}
        sizes="3rem"
        alt={label ?? ''}
        decoding="async"
      />
    );
  return (
    <svg
      className="sp-block"
      viewBox="0 0 24 24"
      data-hue={((Math.trunc(hue) % 12) + 12) % 12}
      data-size={size}
      data-off={off || undefined}
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
    >
      {FACES[shape].map(([face, d]) => (
        <path key={d} className={`sp-face-${face}`} d={d} />
      ))}
    </svg>
  );
}
