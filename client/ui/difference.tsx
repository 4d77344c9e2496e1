import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import type { DifferenceLine } from '#client/lib/difference.ts';

/** What was taken away from a text and what is new in it, line by line; each is read out with which of both it is. */
export function Difference({ lines }: { lines: readonly DifferenceLine[] }): ReactNode {
  const t = useT('ui');
  return (
    <ul className="sp-difference">
      {lines.map(({ change, text }, index) => (
        <li key={index} data-change={change}>
          <span className="sp-sr">{t(change === 'removed' ? 'removed' : 'added')} </span>
          {text}
        </li>
      ))}
    </ul>
  );
}
