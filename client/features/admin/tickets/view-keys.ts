import { useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useApi } from '#client/lib/use-api.ts';
import type { Selection } from '#client/ui/table-selection.tsx';
import { useListKeys } from './list-keys.ts';
import { pageBeyond, readInboxState, ticketAddress, toQuery, type InboxData } from './query.ts';

/** Chooses an answer or a note, and goes to the field. */
function write(internal: boolean): void {
  document.querySelector<HTMLElement>(`input[name="internal"][value="${internal}"]`)?.click();
  document.querySelector<HTMLElement>('textarea[name="text"]')?.focus();
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
  const api = useApi();
  const ids = list ? list.rows.map((row) => row.id) : (readInboxState(state).tickets ?? []);
  const at = ids.indexOf(id);
  const place = useRef(0);
  // What was answered or closed has left its list: the next one is that which took its place.
  useEffect(() => {
    if (at >= 0) place.current = at;
  }, [at]);
  const move = (by: 1 | -1): void => {
    const to = ids[at >= 0 ? at + by : by === 1 ? place.current : place.current - 1];
    if (to !== undefined) void navigate(ticketAddress(to, list?.address ?? {}), { state });
    else if (list) void openBeyond(list, by);
  };
  /** Opens the ticket beyond an end of the list: the first of the next page, or the last of the one before. */
  const openBeyond = async (from: InboxData, by: 1 | -1): Promise<void> => {
    const beyond = pageBeyond(from, state, by);
    if (api === null || beyond === null) return;
    // A page that could not be read is no loss: the key does nothing then.
    const page = await api.adminTickets.list({ query: toQuery(beyond.address) }).catch(() => null);
    const to = page?.rows.at(by === 1 ? 0 : -1);
    if (to) await navigate(ticketAddress(to.id, beyond.address), { state: beyond.state });
  };
  return (key) => {
    if (key === 'j' || key === 'k') move(key === 'j' ? 1 : -1);
    else if (key === 'r' || key === 'n') write(key === 'n');
    else return change(key, id);
    return true;
  };
}
