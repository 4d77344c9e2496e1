import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { ApiError } from '#shared/contract/client.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/staff-href.ts';
import { isSortable, TAG_MAX, TICKET_SORTS, TICKET_VIEWS, type TicketSort, type TicketView } from '#shared/tickets.ts';

export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** From this width on the list and a ticket are side by side; tickets.css says the same. */
const BESIDE = '(min-width: 80rem)';

/** Which part of the inbox an address means; '' where it says nothing. */
interface InboxAddress {
  readonly view: TicketView;
  readonly q: string;
  readonly department: string;
  readonly tag: string;
  /** '' where the list has its own. */
  readonly sort: TicketSort | '';
  readonly after: string;
}

/** Whether the list stands beside a ticket. The server does not know how wide a window is: it reads the list always. */
export const isBeside = (): boolean => typeof window === 'undefined' || matchMedia(BESIDE).matches;

/** Runs something when the list comes to stand beside a ticket, or goes. Out: ends that. */
export function onBesideChange(run: () => void): () => void {
  const query = matchMedia(BESIDE);
  query.addEventListener('change', run);
  return () => query.removeEventListener('change', run);
}

/**
 * The list that an address means (`?view=`, `department=`, `tag=`, `q=`, `sort=`, `after=`), also the address of a
 * ticket.
 */
function readAddress(url: string): InboxAddress {
  const params = new URL(url).searchParams;
  const matching = (name: string, pattern: RegExp): string => {
    const value = params.get(name) ?? '';
    return pattern.test(value) ? value : '';
  };
  const view = TICKET_VIEWS.find((each) => each === params.get('view')) ?? 'inbox';
  const q = (params.get('q') ?? '').slice(0, 100);
  const tag = (params.get('tag') ?? '').trim().slice(0, TAG_MAX);
  const sort = TICKET_SORTS.find((each) => each === params.get('sort')) ?? '';
  return {
    view,
    q,
    tag,
    sort: hasOrder({ view, q, tag }) ? sort : '',
    department: matching('department', UUID),
    after: matching('after', PAST_CURSOR),
  };
}

/** Whether a list can be put in another order. */
export const hasOrder = ({ view, q, tag }: Pick<InboxAddress, 'view' | 'q' | 'tag'>): boolean =>
  isSortable(view) && q === '' && tag === '';

/** What an address asks the API for. */
export function toQuery({ view, ...rest }: InboxAddress) {
  return { view, ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== '')) };
}

/** A page of the list that the address says. */
export async function loadInbox(args: LoaderFunctionArgs) {
  const address = readAddress(args.request.url);
  return { ...(await apiOf(args).adminTickets.list({ query: toQuery(address) })), address };
}
export type InboxData = Awaited<ReturnType<typeof loadInbox>>;
export type InboxRow = InboxData['rows'][number];

/** The list beside a ticket; null where there is no room for it, and for who may not list tickets. */
export async function loadBeside(args: LoaderFunctionArgs): Promise<InboxData | null> {
  if (!isBeside()) return null;
  try {
    return await loadInbox(args);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function searchOf(address: Partial<InboxAddress>, more: Readonly<Record<string, string>> = {}): string {
  const { view, ...rest } = address;
  const params = new URLSearchParams(view === undefined || view === 'inbox' ? {} : { view });
  for (const [name, value] of Object.entries({ ...rest, ...more })) if (value !== '') params.set(name, value);
  return params.size === 0 ? '' : `?${params.toString()}`;
}

/** The address of a list. */
export const addressOf = (address: Partial<InboxAddress>): string => href('admin.tickets.list') + searchOf(address);

/** The address of a ticket with its list beside it. `before`: of its lines before that number; without it of the latest. */
export const ticketAddress = (id: string, address: Partial<InboxAddress>, before?: number): string =>
  href('admin.tickets.view', { id }) + searchOf(address, before === undefined ? {} : { before: String(before) });

/** Kept with a page of the inbox in the history of the browser. */
interface InboxState {
  /** The tickets of the list that a ticket was opened from. */
  readonly tickets?: readonly string[];
  /** Where the pages before this one begin, as far as keys went through them. */
  readonly earlier?: readonly string[];
  /** Which row a page begins at that a key led to. */
  readonly row?: 'first' | 'last' | undefined;
}

/** What was kept with a place in the history; anything may stand there. */
export function readInboxState(state: unknown): InboxState {
  const found = typeof state === 'object' && state !== null ? (state as Readonly<Record<string, unknown>>) : {};
  const textsOf = (value: unknown) => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);
  const row = (['first', 'last'] as const).find((each) => each === found.row);
  return { tickets: textsOf(found.tickets), earlier: textsOf(found.earlier), row };
}

/** The page that a key leads to beyond an end of this one, and what is kept with it. Null: there is none. */
export function pageBeyond(
  { more, address }: Pick<InboxData, 'more' | 'address'>,
  state: unknown,
  by: 1 | -1,
): { readonly address: InboxAddress; readonly state: InboxState } | null {
  const earlier = readInboxState(state).earlier ?? [];
  if (by === 1)
    return more === null
      ? null
      : { address: { ...address, after: more }, state: { earlier: [...earlier, address.after], row: 'first' } };
  const before = earlier.at(-1);
  return before === undefined
    ? null
    : { address: { ...address, after: before }, state: { earlier: earlier.slice(0, -1), row: 'last' } };
}

/** The address of another ticket beside the list that the address of a request names. */
export const ticketBeside = (id: string, url: string): string => ticketAddress(id, readAddress(url));
