import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { IconButton } from './button.tsx';

/** Which rows are selected; `change` gets the complete new set. */
export interface Selection {
  readonly selected: ReadonlySet<string>;
  readonly change: (selected: ReadonlySet<string>) => void;
}

/** The checkbox of a row. */
export function RowCheckbox(props: { selection: Selection; rowKey: string; name: string }): ReactNode {
  const { selection, rowKey, name } = props;
  const t = useT('ui');
  return (
    <label className="sp-check">
      <input
        type="checkbox"
        aria-label={t('selectRow', { name })}
        checked={selection.selected.has(rowKey)}
        onChange={(event) => {
          const next = new Set(selection.selected);
          if (event.target.checked) next.add(rowKey);
          else next.delete(rowKey);
          selection.change(next);
        }}
      />
    </label>
  );
}

/** The checkbox for all rows of the page; indeterminate when only some are selected. */
export function AllRowsCheckbox(props: { selection: Selection; keys: readonly string[] }): ReactNode {
  const { selection, keys } = props;
  const t = useT('ui');
  const box = useRef<HTMLInputElement>(null);
  const count = keys.filter((key) => selection.selected.has(key)).length;
  const some = count > 0 && count < keys.length;
  useEffect(() => {
    if (box.current) box.current.indeterminate = some;
  }, [some]);
  return (
    <label className="sp-check">
      <input
        ref={box}
        type="checkbox"
        aria-label={t('selectAll')}
        checked={keys.length > 0 && count === keys.length}
        onChange={(event) => {
          // What is selected on other pages stays.
          const others = [...selection.selected].filter((key) => !keys.includes(key));
          selection.change(new Set(event.target.checked ? [...others, ...keys] : others));
        }}
      />
    </label>
  );
}

/**
 * The actions for the selected rows; `children` are small buttons. Nothing while none is selected. `label`: what is
 * meant, where it is more than those rows.
 */
export function BulkBar(props: { selection: Selection; label?: string | undefined; children: ReactNode }): ReactNode {
  const { selection, children } = props;
  const t = useT('ui');
  const count = selection.selected.size;
  if (count === 0) return null;
  const label = props.label ?? t('selected', { count });
  return (
    <section className="sp-bulkbar" aria-label={label}>
      <span className="sp-bulkbar__n" aria-live="polite">
        {label}
      </span>
      {children}
      <IconButton icon="x" size="sm" label={t('clearSelection')} onClick={() => selection.change(new Set())} />
    </section>
  );
}
