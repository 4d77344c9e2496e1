import type { KeyboardEvent, PointerEvent, ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { fitSize, SIZE, type Dock } from './state.ts';

/** A separator that can be moved takes the focus (ARIA, window splitter). */
const EDGE = { role: 'separator', tabIndex: 0 } as const;

/** The edge to drag to resize the panel; arrow keys do the same. */
export function Resizer({
  dock,
  size,
  onChange,
}: {
  dock: Dock;
  size: number;
  onChange: (size: number) => void;
}): ReactNode {
  const t = useT('debug');
  const onKeyDown = (event: KeyboardEvent) => {
    const [more, less] = dock === 'bottom' ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight'];
    const to = {
      [more as string]: size + SIZE.step,
      [less as string]: size - SIZE.step,
      Home: SIZE.min,
      End: SIZE.max,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onChange(fitSize(to));
  };
  const onPointerMove = ({ currentTarget, pointerId, clientX, clientY }: PointerEvent) => {
    if (!currentTarget.hasPointerCapture(pointerId)) return;
    onChange(fitSize(100 * (dock === 'bottom' ? 1 - clientY / innerHeight : 1 - clientX / innerWidth)));
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- EDGE gives it its role
    <div
      className="sp-debug__edge"
      {...EDGE}
      aria-label={t('resize')}
      aria-orientation={dock === 'bottom' ? 'horizontal' : 'vertical'}
      aria-valuemin={SIZE.min}
      aria-valuemax={SIZE.max}
      aria-valuenow={size}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
    />
  );
}
