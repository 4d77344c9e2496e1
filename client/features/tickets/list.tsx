import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { TICKET_SHAPES } from '#client/lib/ticket-text.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Card } from '#client/ui/card.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { SegmentedLinks } from '#client/ui/segmented.tsx';
import { Status } from '#client/ui/status.tsx';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/href.ts';
import { OPEN_TICKETS_MAX, TICKET_SHARES, type TicketShare } from '#shared/tickets.ts';

/** A page of one's tickets; the address says of which (`?show=`), and where it begins (`before=`). */
export async function loader(args: LoaderFunctionArgs) {
  const params = new URL(args.request.url).searchParams;
  const before = params.get('before') ?? '';
  const isFirst = !PAST_CURSOR.test(before);
  const show = TICKET_SHARES.find((each) => each === params.get('show'));
  const query = { ...(show ? { show } : {}), ...(isFirst ? {} : { before }) };
  return { ...(await apiOf(args).tickets.list({ query })), isFirst, show: show ?? null };
}
type Data = Awaited<ReturnType<typeof loader>>;

/** The address of a page of them. */
function addressOf(show: TicketShare | null, before = ''): string {
  const params = new URLSearchParams({
    ...(show === null ? {} : { show }),
    ...(before === '' ? {} : { before }),
  }).toString();
  return params === '' ? href('ticket.list') : `${href('ticket.list')}?${params}`;
}

/** /ticket (behaviour 7.3) */
export default function TicketsScreen(): ReactNode {
  const t = useT('tickets');
  const data = useLoaderData<typeof loader>();
  useLive(['tickets']);
  const { rows, older, open, isFirst, show } = data;
  const hasAny = rows.length > 0 || show !== null;
  const create = (
    <LinkButton to={href('ticket.create')} variant="primary" icon="plus">
      {t('new')}
    </LinkButton>
  );
  return (
    <Page>
      <PageHead title={t('title')} text={t('text')} {...(hasAny ? { actions: create } : {})} />
      {hasAny && <Shares show={show} />}
      {rows.length === 0 ? (
        <Card>
          {show === null ? (
            <EmptyState as="h2" art="chat" title={t('empty')} text={t('emptyText')} action={create} />
          ) : (
            <EmptyState as="h2" art="chat" title={t(`emptyShare.${show}`)} />
          )}
        </Card>
      ) : (
        <Card
          title={t('yours')}
          aside={<span className="sp-meta">{t('openOf', { open, max: OPEN_TICKETS_MAX })}</span>}
          flush
        >
          <List label={t('yours')}>
            {rows.map((ticket) => (
              <TicketItem key={ticket.id} ticket={ticket} />
            ))}
          </List>
        </Card>
      )}
      <CursorPager
        words="time"
        first={isFirst ? null : addressOf(show)}
        previous={null}
        next={older === null ? null : addressOf(show, older)}
      />
    </Page>
  );
}

/** All of them, those that are open, or those that are closed. */
function Shares({ show }: { show: TicketShare | null }): ReactNode {
  const t = useT('tickets');
  return (
    <SegmentedLinks
      label={t('show')}
      items={[null, ...TICKET_SHARES].map((each) => ({
        to: addressOf(each),
        label: t(`share.${each ?? 'all'}`),
        current: each === show,
      }))}
    />
  );
}

function TicketItem({ ticket }: { ticket: Data['rows'][number] }): ReactNode {
  const t = useT('tickets');
  const format = useFormat();
  const nowMs = useNow(60_000);
  const { id, number, subject, status, department, unread, updated_at: at, answer_ms: answerMs } = ticket;
  return (
    <ListItem
      to={href('ticket.view', { id })}
      title={
        <>
          {subject} {unread && <Badge tone="positive">{t('unread')}</Badge>}
        </>
      }
      text={[
        t('number', { number: String(number) }),
        department,
        format.relative(at, nowMs),
        answerMs === null ? '' : t('answerTime', { time: format.duration(answerMs) }),
      ]
        .filter(Boolean)
        .join(' · ')}
      end={<Status shape={TICKET_SHAPES[status]}>{t(`status.${status}`)}</Status>}
    />
  );
}
