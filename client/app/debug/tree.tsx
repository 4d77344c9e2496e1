import { useState, type ReactNode } from 'react';
import { canUnfold, childrenOf, formatValue } from './values.ts';

/** A value in one line; objects can be expanded. */
export function Tree({ value, name = '' }: { value: unknown; name?: string }): ReactNode {
  const [open, setOpen] = useState(false);
  const { text, kind } = formatValue(value, name);
  const label = (
    <>
      {name !== '' && <span data-kind="name">{`${name}: `}</span>}
      <span data-kind={kind}>{text}</span>
    </>
  );
  if (kind === 'masked' || text.endsWith('•••') || !canUnfold(value))
    return <span className="sp-debug__leaf">{label}</span>;
  return (
    <details className="sp-debug__tree" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{label}</summary>
      {open && (
        <ul>
          {childrenOf(value).map((child) => (
            <li key={child.name}>
              <Tree value={child.value} name={child.name} />
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
