import type { ReactNode } from 'react';
import { CopyButton } from '#client/ui/copy-button.tsx';

/** A line to type on the machine, or a path on it, that a click copies. `what` names it. */
export function Command({ text, what }: { text: string; what: string }): ReactNode {
  return (
    <p className="sp-machine__command">
      <CopyButton text={text} what={what}>
        <code>{text}</code>
      </CopyButton>
    </p>
  );
}
