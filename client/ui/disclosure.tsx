import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

/** A section that a button shows and hides, without scripts too. `open`: initially. */
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
