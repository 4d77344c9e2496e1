import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/staff-href.ts';
import { TAG_MAX, TICKET_VIEWS, type TicketView } from '#shared/tickets.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the address of the inbox says; '' where it says nothing. */
interface InboxAddress {
  readonly view: TicketView;
  readonly q?: string;
  readonly department?: string;
  readonly tag?: string;
  readonly after?: string;
}

/** A page of one list of the inbox; the address says which (`?view=`, `department=`, `tag=`, `q=`, `after=`). */
export async function loadInbox(args: LoaderFunctionArgs) {
  const params = new URL(args.request.url).searchParams;
  const matching = (name: string, pattern: RegExp): string => {
    const value = params.get(name) ?? '';
    return pattern.test(value) ? value : '';
  };
  const view = TICKET_VIEWS.find((each) => each === params.get('view')) ?? 'inbox';
  const q = (params.get('q') ?? '').slice(0, 100);
  const tag = (params.get('tag') ?? '').trim().slice(0, TAG_MAX);
  const department = matching('department', UUID);
  const after = matching('after', PAST_CURSOR);
  const listed = await apiOf(args).adminTickets.list({
    query: {
      view,
      ...(q === '' ? {} : { q }),
      ...(tag === '' ? {} : { tag }),
      ...(department === '' ? {} : { department }),
      ...(after === '' ? {} : { after }),
    },
  });
  return { ...listed, view, q, tag, department, isFirst: after === '' };
}
export type InboxData = Awaited<ReturnType<typeof loadInbox>>;
export type InboxRow = InboxData['rows'][number];

/** The address of a list. */
export function addressOf({ view, ...rest }: InboxAddress): string {
  const params = new URLSearchParams(view === 'inbox' ? {} : { view });
  for (const [name, value] of Object.entries(rest)) if (value !== '') params.set(name, value);
  const search = params.toString();
  return search === '' ? href('admin.tickets.list') : `${href('admin.tickets.list')}?${search}`;
}
