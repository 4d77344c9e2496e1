import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { animate } from '#client/lib/frames.ts';
import { prefersReducedMotion } from '#client/lib/motion.ts';
import { CreditAmount } from './credit-amount.tsx';

/** As long as the token `--dur-count`. */
const COUNT_MS = 700;

/** The number between `from` and `to` at `progress` (0 to 1), easing out. */
export function interpolate(from: number, to: number, progress: number): number {
  const at = Math.min(1, Math.max(0, progress));
  return Math.round(from + (to - from) * (1 - (1 - at) ** 3));
}

/** An amount of credits that counts up or down to its new value, or jumps there with reduced motion. */
export function BalanceCounter(props: { value: number; size?: 'lg' | 'xl' }): ReactNode {
  const { value, size } = props;
  const [shown, setShown] = useState(value);
  const last = useRef(value);
  useEffect(() => {
    const from = last.current;
    last.current = value;
    if (from === value) return;
    const length = prefersReducedMotion() ? 0 : COUNT_MS;
    const start = performance.now();
    return animate((now) => {
      const progress = length === 0 ? 1 : (now - start) / length;
      setShown(interpolate(from, value, progress));
      return progress < 1;
    });
  }, [value]);
  return <CreditAmount value={shown} {...(size ? { size } : {})} />;
}
