import { useRef, useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import { useLoaderData } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { rowFocus } from '#client/lib/page-keys.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Field } from '#client/ui/field.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Select } from '#client/ui/select.tsx';
import type { Selection } from '#client/ui/table-selection.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { InboxBulk, useChangeTickets } from './bulk.tsx';
import { TicketKeys } from './keys.tsx';
import { addressOf, type InboxData, type loadInbox } from './query.ts';
import { InboxRows } from './rows.tsx';
import { InboxViews } from './views.tsx';

export { loadInbox as loader } from './query.ts';

/** /mc-admin/tickets (behaviour 7.3) */
export default function StaffTicketsScreen(): ReactNode {
  const t = useT('staffTickets');
  const own = useT('ticketInbox');
  const data = useLoaderData<typeof loadInbox>();
  const { view, q, tag, department, rows, more, isFirst } = data;
  useLive(['tickets']);
  const [selected, change] = useState<ReadonlySet<string>>(new Set());
  const list = useRef<HTMLUListElement>(null);
  const mayChange = can(useShell().session.permissions, 'admin.tickets.view');
  // What has left the page is no longer meant.
  const selection = { selected: new Set(rows.map(({ id }) => id).filter((id) => selected.has(id))), change };
  const onKey = useInboxKeys(list, data, mayChange ? selection : null);
  const here = { view, q, tag, department };
  return (
    <Page>
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
      <div className="sp-inbox">
        <InboxViews data={data} />
        <div className="sp-stack">
          <Card flush>
            <Filters data={data} />
            {rows.length > 0 ? (
              <InboxRows data={data} selection={mayChange ? selection : null} ref={list} />
            ) : q !== '' || department !== '' || tag !== '' ? (
              <EmptyState as="h2" art="search" title={t('noMatch')} text={t('noMatchText')} />
            ) : (
              <EmptyState as="h2" art="circle-check" title={t(`empty.${view}`)} text={t('emptyText')} />
            )}
          </Card>
          <CursorPager
            words="list"
            first={isFirst ? null : addressOf(here)}
            previous={null}
            next={more === null ? null : addressOf({ ...here, after: more })}
          />
          {mayChange && <InboxBulk data={data} selection={selection} />}
        </div>
      </div>
    </Page>
  );
}

/** The keys of the list: what they do to the row that has the focus, or to those that are selected. */
function useInboxKeys(
  list: RefObject<HTMLUListElement | null>,
  { rows }: InboxData,
  selection: Selection | null,
): (key: string) => boolean {
  const change = useChangeTickets();
  const userId = useShell().session.user?.id;
  return (key) => {
    const { at, move } = rowFocus([...(list.current?.children ?? [])]);
    const id = rows[at]?.id;
    const meant = selection && selection.selected.size > 0 ? [...selection.selected] : id === undefined ? [] : [id];
    if (key === 'j' || key === 'k') move(key === 'j' ? 1 : -1);
    else if (key === '/') document.querySelector<HTMLElement>('.sp-inbox input[type="search"]')?.focus();
    else if (selection === null || meant.length === 0) return false;
    else if (key === 'x' && id !== undefined) {
      const next = new Set(selection.selected);
      if (!next.delete(id)) next.add(id);
      selection.change(next);
    } else if (key === 'a' && userId !== undefined) void change(meant, { assignee: userId });
    else if (key === 'e') void change(meant, { status: 'closed' });
    else return false;
    return true;
  };
}

/** A number or a username, and a tag. */
function Filters({ data: { view, q, tag, tags, department } }: { data: InboxData }): ReactNode {
  const t = useT('staffTickets');
  const own = useT('ticketInbox');
  return (
    <search>
      <form className="sp-filterbar" action={href('admin.tickets.list')}>
        {view !== 'inbox' && <input type="hidden" name="view" value={view} />}
        {department !== '' && <input type="hidden" name="department" value={department} />}
        <Field label={t('search')} name="q" hideLabel>
          <TextInput type="search" icon="search" name="q" placeholder={t('search')} defaultValue={q} key={q} />
        </Field>
        {(tags.length > 0 || tag !== '') && (
          <Field label={own('tag')} name="tag" hideLabel>
            <Select
              name="tag"
              placeholder={own('allTags')}
              defaultValue={tag}
              key={tag}
              options={[...new Set(tag === '' ? tags : [...tags, tag])].map((value) => ({ value, label: value }))}
            />
          </Field>
        )}
        <Button type="submit">{t('find')}</Button>
      </form>
    </search>
  );
}
