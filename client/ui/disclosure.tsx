import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

/** Something that opens below its button, without scripts too. `open`: at first. */
export function Disclosure({
  label,
  open,
  children,
}: {
  label: ReactNode;
  open?: boolean;
  children: ReactNode;
}): ReactNode {
  return (
    <details className="sp-disclose" open={open}>
      <summary className="sp-btn" data-variant="ghost" data-size="sm">
        <Icon name="chevron-right" size="sm" />
        {label}
      </summary>
      {children}
    </details>
  );
}
