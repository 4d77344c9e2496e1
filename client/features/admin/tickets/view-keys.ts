import { useLocation, useNavigate } from 'react-router';
import { useShell } from '#client/lib/shell-context.ts';
import { href } from '#shared/routes/staff-href.ts';
import { useChangeTickets } from './bulk.tsx';

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

/** The keys of a ticket: the next and the previous one of its list, answers and notes, who takes care of it, closing. */
export function useTicketKeys(id: string): (key: string) => boolean {
  const change = useChangeTickets();
  const userId = useShell().session.user?.id;
  const navigate = useNavigate();
  const { state } = useLocation();
  const move = (by: 1 | -1): void => {
    const ids = listOf(state);
    const to = ids[ids.indexOf(id) + by];
    if (ids.includes(id) && to !== undefined) void navigate(href('admin.tickets.view', { id: to }), { state });
  };
  return (key) => {
    if (key === 'j' || key === 'k') move(key === 'j' ? 1 : -1);
    else if (key === 'r' || key === 'n') write(key === 'n');
    else if (key === 'a' && userId !== undefined) void change([id], { assignee: userId });
    else if (key === 'e') void change([id], { status: 'closed' });
    else return false;
    return true;
  };
}
