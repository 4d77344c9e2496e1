import type { ReactNode } from 'react';
import { CopyButton } from '#client/ui/copy-button.tsx';

/** A line to type on the machine, or a path on it, that a click copies. `what` names it, `line` is it. */
export function Command({ line, what }: { line: string; what: string }): ReactNode {
  return (
    <p className="sp-machine__command">
      <CopyButton text={line} what={what}>
        <code>{line}</code>
      </CopyButton>
    </p>
  );
}
