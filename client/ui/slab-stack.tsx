import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';

type SlabState = 'full' | 'part' | 'none';

/** How full each slab is, from the bottom up. `value` above the cap counts as the cap. */
export function slabStates(value: number, cap: number, slabs: number): readonly SlabState[] {
  const each = cap > 0 && slabs > 0 ? cap / slabs : 0;
  return Array.from({ length: Math.max(0, slabs) }, (_, index) => {
    if (each === 0 || value <= index * each) return 'none';
    return value >= (index + 1) * each ? 'full' : 'part';
  });
}

interface SlabStackProps {
  value: number;
  cap: number;
  /** How many slabs the cap is made of. */
  slabs?: number;
  size?: 'sm' | 'lg';
  /** Accessible name; without it, decoration beside the same numbers as text. */
  label?: string;
}

/** A stack of gold slabs that fills up to a cap. */
export function SlabStack({ value, cap, slabs = 8, size, label }: SlabStackProps): ReactNode {
  const t = useT('ui');
  const format = useFormat();
  const words = label && `${label}: ${t('slabs', { value: format.number(value), cap: format.number(cap) })}`;
  const height = 8 * slabs;
  return (
    <svg
      className="sp-slabs"
      data-size={size}
      viewBox={`-23.5 ${-height} 47 ${height + 25}`}
      {...(words ? { role: 'img', 'aria-label': words } : { 'aria-hidden': true })}
    >
      {slabStates(value, cap, slabs).map((state, index) => {
        const y = 6 - 8 * index;
        return (
          // oxlint-disable-next-line react/no-array-index-key -- a slab is its place in the stack
          <g className="sp-slab" data-state={state} key={index}>
            <path className="sp-face-left" d={`M-22 ${y} 0 ${y + 11} 0 ${y + 16} -22 ${y + 5}Z`} />
            <path className="sp-face-right" d={`M0 ${y + 11} 22 ${y} 22 ${y + 5} 0 ${y + 16}Z`} />
            <path className="sp-face-top" d={`M0 ${y - 11} 22 ${y} 0 ${y + 11} -22 ${y}Z`} />
          </g>
        );
      })}
    </svg>
  );
}
