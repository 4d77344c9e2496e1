import { useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { Selection } from '#client/ui/table-selection.tsx';
import { useListKeys } from './list-keys.ts';
import { ticketAddress, type InboxData } from './query.ts';

/** Chooses an answer or a note, and goes to the field. */
function write(internal: boolean): void {
  document.querySelector<HTMLElement>(`input[name="internal"][value="${internal}"]`)?.click();
  document.querySelector<HTMLElement>('textarea[name="text"]')?.focus();
}

/** The tickets of the list that a page was opened from, which is kept with its place in the history. */
function listOf(state: unknown): readonly string[] {
  const ids = typeof state === 'object' && state !== null && 'tickets' in state ? state.tickets : null;
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

/**
 * The keys of a ticket: the next and the previous one of its list, answers and notes, who takes care of it, closing.
 * In: the list beside it (null: there is none; then that which it was opened from is gone through), and what is
 * selected there.
 */
export function useTicketKeys(
  id: string,
  list: InboxData | null,
  selection: Selection | null,
): (key: string) => boolean {
  const change = useListKeys(selection);
  const navigate = useNavigate();
  const { state } = useLocation();
  const ids = list ? list.rows.map((row) => row.id) : listOf(state);
  const at = ids.indexOf(id);
  const place = useRef(0);
  // What was answered or closed has left its list: the next one is that which took its place.
  useEffect(() => {
    if (at >= 0) place.current = at;
  }, [at]);
  const move = (by: 1 | -1): void => {
    const to = ids[at >= 0 ? at + by : by === 1 ? place.current : place.current - 1];
    if (to !== undefined) void navigate(ticketAddress(to, list?.address ?? {}), { state });
  };
  return (key) => {
    if (key === 'j' || key === 'k') move(key === 'j' ? 1 : -1);
    else if (key === 'r' || key === 'n') write(key === 'n');
    else return change(key, id);
    return true;
  };
}
