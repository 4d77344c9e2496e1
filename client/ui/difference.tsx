import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import type { DifferenceLine } from '#client/lib/difference.ts';

interface DifferenceProps {
  /** What is compared. */
  label: string;
  lines: readonly DifferenceLine[];
}

/** What was taken away from a text and what is new in it, line by line; each is read out with which of both it is. */
export function Difference({ label, lines }: DifferenceProps): ReactNode {
  const t = useT('ui');
  return (
    <ul
      className="sp-difference"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={0}
    >
      {lines.map(({ change, text }, index) => (
        <li key={index} data-change={change}>
          <span className="sp-sr">{t(change === 'removed' ? 'removed' : 'added')} </span>
          {text}
        </li>
      ))}
    </ul>
  );
}
