import type { ReactNode } from 'react';
import { SPAWN_POINT, WORLD } from './world-map.ts';

const { x, y } = SPAWN_POINT;

/** The picture beside the login: a small world with its spawn point. Decoration. */
export function World(): ReactNode {
  return (
    <svg className="sp-world" viewBox="-338 -100 676 518" aria-hidden="true">
      <defs>
        <linearGradient id="sp-beam" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" className="sp-world__beam0" />
          <stop offset="1" className="sp-world__beam1" />
        </linearGradient>
      </defs>
      {WORLD.map((paint, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a fixed list in painting order
        <path key={index} data-kind={paint.kind} d={paint.d} />
      ))}
      <path d={`M${x - 15} ${y - 225}v225l15 7.5 15-7.5v-225z`} fill="url(#sp-beam)" />
      <path className="sp-world__near" d={`M${x} ${y - 112}l-25 36 25 52z`} />
      <path className="sp-world__far" d={`M${x} ${y - 112}l25 36-25 52z`} />
    </svg>
  );
}
