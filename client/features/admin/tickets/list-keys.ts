import { useShell } from '#client/lib/shell-context.ts';
import type { Selection } from '#client/ui/table-selection.tsx';
import { useChangeTickets } from './bulk.tsx';

/**
 * What keys do to tickets of a list: selecting, assigning, closing, and going to the search. In: what is selected there
 * (null: no ticket may be changed); then the key, and the ticket that is meant while none is selected. Out: whether it
 * was such a key.
 */
export function useListKeys(selection: Selection | null): (key: string, id: string | undefined) => boolean {
  const change = useChangeTickets();
  const userId = useShell().session.user?.id;
  return (key, id) => {
    const meant = selection && selection.selected.size > 0 ? [...selection.selected] : id === undefined ? [] : [id];
    const search = document.querySelector<HTMLElement>('.sp-desk__list input[type="search"]');
    if (key === '/' && search?.checkVisibility()) search.focus();
    else if (key === 'x' && selection !== null && id !== undefined) {
      const next = new Set(selection.selected);
      if (!next.delete(id)) next.add(id);
      selection.change(next);
    } else if (meant.length === 0) return false;
    else if (key === 'a' && userId !== undefined) void change(meant, { assignee: userId });
    else if (key === 'e') void change(meant, { status: 'closed' });
    else return false;
    return true;
  };
}
