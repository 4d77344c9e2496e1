import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Icon } from './icon.tsx';

/** A list of conditions, one a line. */
export function Conditions(props: { children: ReactNode }): ReactNode {
  return <ul className="sp-checks">{props.children}</ul>;
}

/** One condition; with `done`, whether it is met, also for screen readers. */
export function Condition({ text, done }: { text: string; done?: boolean }): ReactNode {
  const t = useT('ui');
  return (
    <li data-done={done || undefined}>
      <Icon name={done === true ? 'check' : 'clock'} size="sm" />
      <span>
        {text}
        {done !== undefined && <span className="sp-sr"> ({t(done ? 'conditionMet' : 'conditionMissing')})</span>}
      </span>
    </li>
  );
}
