import { useLayoutEffect, useRef } from 'react';
import type { ReactNode, RefObject } from 'react';
import { useLoaderData, useLocation, useNavigate } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { rowFocus } from '#client/lib/page-keys.ts';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import type { Selection } from '#client/ui/table-selection.tsx';
import { href } from '#shared/routes/staff-href.ts';
import { InboxColumn, useInboxSelection } from './column.tsx';
import { TicketKeys } from './keys.tsx';
import { useListKeys } from './list-keys.ts';
import {
  addressOf,
  isBeside,
  pageBeyond,
  readInboxState,
  ticketAddress,
  type InboxData,
  type loadInbox,
} from './query.ts';

export { loadInbox as loader } from './query.ts';

/** /mc-admin/tickets (behaviour 7.3) */
export default function StaffTicketsScreen(): ReactNode {
  const t = useT('staffTickets');
  const own = useT('ticketInbox');
  const data = useLoaderData<typeof loadInbox>();
  useLive(['tickets']);
  const selection = useInboxSelection(data);
  const rows = useRef<HTMLUListElement>(null);
  const onKey = useInboxKeys(rows, selection, data);
  return (
    <Page>
      <div className="sp-desk" data-empty={data.rows.length === 0 || undefined}>
        <div className="sp-desk__head">
          <PageHead
            title={t('title')}
            text={t('text')}
            crumbs={useCrumbs()}
            actions={
              <>
                <TicketKeys names={['move', 'open', 'select', 'assign', 'close', 'search']} onKey={onKey} />
                <LinkButton to={href('admin.tickets.reports')} icon="activity">
                  {own('reports')}
                </LinkButton>
              </>
            }
          />
        </div>
        <InboxColumn data={data} selection={selection} current={null} rows={rows} />
        <div className="sp-desk__none">
          <EmptyState as="h2" art="ticket" title={own('chooseTitle')} text={own('chooseText')} />
        </div>
      </div>
    </Page>
  );
}

/**
 * The keys of the list: the next row gets the focus, or its ticket is opened beside the list where there is room for
 * it. The other keys do what they say to the row that has the focus, or to those that are selected.
 */
function useInboxKeys(
  list: RefObject<HTMLUListElement | null>,
  selection: Selection | null,
  data: InboxData,
): (key: string) => boolean {
  const navigate = useNavigate();
  const { state, key: place } = useLocation();
  const change = useListKeys(selection);
  const { rows, address } = data;
  const { row, earlier } = readInboxState(state);
  const focused = useRef('');
  // A key led here from another page: it goes on at the row where that one ended. Before that is painted, so that the
  // next key goes on from there.
  useLayoutEffect(() => {
    // Once: what changes in the list later leaves the focus where it is.
    if (row === undefined || focused.current === place) return;
    focused.current = place;
    const links = list.current?.querySelectorAll<HTMLElement>('.sp-inbox__subject a') ?? [];
    [...links].at(row === 'last' ? -1 : 0)?.focus();
  }, [list, row, place]);
  return (key) => {
    const { at, move } = rowFocus([...(list.current?.children ?? [])]);
    if (key !== 'j' && key !== 'k') return change(key, rows[at]?.id);
    const by = key === 'j' ? 1 : -1;
    const isEnd = at >= 0 && rows[at + by] === undefined;
    const beyond = isEnd ? pageBeyond(data, state, by) : null;
    const to = rows[Math.max(0, at + by)] ?? rows.at(-1);
    if (beyond) void navigate(addressOf(beyond.address), { state: beyond.state });
    // Who may change no ticket may open none.
    else if (!isBeside() || selection === null) move(by);
    else if (to)
      void navigate(ticketAddress(to.id, address), { state: { tickets: rows.map(({ id }) => id), earlier } });
    return true;
  };
}
