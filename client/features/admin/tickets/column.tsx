import { useEffect, useRef, useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Card, CardSection } from '#client/ui/card.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Field } from '#client/ui/field.tsx';
import { Select } from '#client/ui/select.tsx';
import { SegmentedLinks } from '#client/ui/segmented.tsx';
import type { Selection } from '#client/ui/table-selection.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { TICKET_SORTS } from '#shared/tickets.ts';
import { InboxBulk } from './bulk.tsx';
import { addressOf, hasOrder, type InboxData } from './query.ts';
import { InboxRows } from './rows.tsx';
import { InboxViews } from './views.tsx';

/** What is selected in a list; null: there is none, or who looks at it may change no ticket. */
export function useInboxSelection(data: InboxData | null): Selection | null {
  const [selected, change] = useState<ReadonlySet<string>>(new Set());
  const mayChange = can(useShell().session.permissions, 'admin.tickets.view');
  if (data === null || !mayChange) return null;
  // What has left the page is no longer meant.
  return { selected: new Set(data.rows.map(({ id }) => id).filter((id) => selected.has(id))), change };
}

interface ColumnProps {
  readonly data: InboxData;
  /** Null: who looks at it may change no ticket. */
  readonly selection: Selection | null;
  /** The ticket that is open beside it. */
  readonly current: string | null;
  /** The rows, for keys that go from one to the next. */
  readonly rows?: RefObject<HTMLUListElement | null>;
}

/** The lists of the inbox, the tickets of one of them, and what is done to those that are selected. */
export function InboxColumn({ data, selection, current, rows }: ColumnProps): ReactNode {
  const { address, more } = data;
  const box = useCurrentInSight(current);
  return (
    <>
      <InboxViews data={data} />
      <div className="sp-desk__list sp-stack" ref={box}>
        <Card flush>
          <Filters data={data} />
          <Order data={data} />
          <OtherMeaning data={data} />
          {data.rows.length > 0 ? (
            <InboxRows data={data} selection={selection} current={current} ref={rows} />
          ) : (
            <NoRows data={data} />
          )}
        </Card>
        <CursorPager
          words="list"
          first={address.after === '' ? null : addressOf({ ...address, after: '' })}
          previous={null}
          next={more === null ? null : addressOf({ ...address, after: more })}
        />
        {selection && <InboxBulk data={data} selection={selection} />}
      </div>
    </>
  );
}

/** Scrolls the list, and nothing else, as far as the row of the open ticket. Out: the box that scrolls. */
function useCurrentInSight(current: string | null): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null);
  // An effect, because only the browser knows where a row is.
  useEffect(() => {
    const box = list.current;
    const row = box?.querySelector('[data-current]');
    if (current === null || !row || !box || box.scrollHeight <= box.clientHeight) return;
    const [inner, outer] = [row.getBoundingClientRect(), box.getBoundingClientRect()];
    if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top;
    else if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom;
  }, [current]);
  return list;
}

function NoRows({ data: { address } }: { data: InboxData }): ReactNode {
  const t = useT('staffTickets');
  const { view, q, department, tag } = address;
  if (q !== '' || department !== '' || tag !== '')
    return <EmptyState as="h2" art="search" title={t('noMatch')} text={t('noMatchText')} />;
  return <EmptyState as="h2" art="circle-check" title={t(`empty.${view}`)} text={t('emptyText')} />;
}

/** Which ticket of what waits is first. */
function Order({ data: { address } }: { data: InboxData }): ReactNode {
  const own = useT('ticketInbox');
  if (!hasOrder(address)) return null;
  return (
    <CardSection>
      <SegmentedLinks
        label={own('order')}
        items={TICKET_SORTS.map((sort) => ({
          to: addressOf({ ...address, sort: sort === 'longest' ? '' : sort, after: '' }),
          label: own(`sort.${sort}`),
          current: (address.sort || 'longest') === sort,
        }))}
      />
    </CardSection>
  );
}

/** What was sought is a name or a number here: the way to the texts it stands in. */
function OtherMeaning({ data: { address, rows } }: { data: InboxData }): ReactNode {
  const t = useT('staffTickets');
  const { q } = address;
  const name = q.toLowerCase();
  const isMeant = rows.every(
    ({ username, number }) => username?.toLowerCase() === name || String(number) === q.replace(/^#/, ''),
  );
  if (q === '' || rows.length === 0 || !isMeant) return null;
  return (
    <CardSection>
      <TextLink to={addressOf({ ...address, q: `"${q}"`, after: '' })}>{t('searchTexts', { word: q })}</TextLink>
    </CardSection>
  );
}

/** A number, a username or words, and a tag. */
function Filters({ data: { address, tags } }: { data: InboxData }): ReactNode {
  const t = useT('staffTickets');
  const own = useT('ticketInbox');
  const { q, tag } = address;
  return (
    <search>
      <form className="sp-filterbar" action={href('admin.tickets.list')}>
        {/* What is sought is sought in all lists. */}
        <input type="hidden" name="view" value="all" />
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
