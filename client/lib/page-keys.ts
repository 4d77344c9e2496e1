import { useEffectEvent, useLayoutEffect } from 'react';

/** Where letters are typed. */
const TYPED = 'textarea, select, [contenteditable], input:not([type="checkbox"], [type="radio"])';

/**
 * Single keys that work wherever the focus is on a page, except where something is typed and while a dialog or a menu
 * is open. In: what a key does (`KeyboardEvent.key`); false leaves the key to the browser.
 */
export function usePageKeys(onKey: (key: string) => boolean): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || document.querySelector('dialog[open], :popover-open')) return;
    if (target instanceof HTMLElement && target.matches(TYPED)) return;
    if (onKey(key)) event.preventDefault();
  });
  // An effect, because the keys work wherever the focus is. Before the page is painted: a key that is pressed as soon
  // as a page is seen must not be taken by the page before it.
  useLayoutEffect(() => {
    document.addEventListener('keydown', handle);
    return () => document.removeEventListener('keydown', handle);
  }, []);
}

/**
 * The row of a list that the focus is in, and how to go from row to row: the link of the next or previous one gets the
 * focus. In: the rows.
 */
export function rowFocus(rows: readonly Element[]): {
  readonly at: number;
  readonly move: (by: 1 | -1) => void;
} {
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  return {
    at,
    move: (by) => {
      const to = Math.min(rows.length - 1, Math.max(0, at + by));
      rows[to]?.querySelector('a')?.focus();
    },
  };
}
