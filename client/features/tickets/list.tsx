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
import { Status } from '#client/ui/status.tsx';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/href.ts';
import { OPEN_TICKETS_MAX } from '#shared/tickets.ts';

/** A page of one's tickets; the address says where it begins (`?before=`). */
export async function loader(args: LoaderFunctionArgs) {
  const before = new URL(args.request.url).searchParams.get('before') ?? '';
  const isFirst = !PAST_CURSOR.test(before);
  return { ...(await apiOf(args).tickets.list({ query: isFirst ? {} : { before } })), isFirst };
}
type Data = Awaited<ReturnType<typeof loader>>;

/** /ticket (behaviour 7.3) */
export default function TicketsScreen(): ReactNode {
  const t = useT('tickets');
  const data = useLoaderData<typeof loader>();
  useLive(['tickets']);
  const { rows, older, open, isFirst } = data;
  const create = (
    <LinkButton to={href('ticket.create')} variant="primary" icon="plus">
      {t('new')}
    </LinkButton>
  );
  return (
    <Page>
      <PageHead title={t('title')} text={t('text')} {...(rows.length > 0 ? { actions: create } : {})} />
      {rows.length === 0 ? (
        <Card>
          <EmptyState as="h2" art="chat" title={t('empty')} text={t('emptyText')} action={create} />
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
        first={isFirst ? null : href('ticket.list')}
        previous={null}
        next={older === null ? null : `${href('ticket.list')}?before=${older}`}
      />
    </Page>
  );
}

function TicketItem({ ticket }: { ticket: Data['rows'][number] }): ReactNode {
  const t = useT('tickets');
  const format = useFormat();
  const nowMs = useNow(60_000);
  const { id, number, subject, status, department, unread, updated_at: at } = ticket;
  return (
    <ListItem
      to={href('ticket.view', { id })}
      title={
        <>
          {subject} {unread && <Badge tone="positive">{t('unread')}</Badge>}
        </>
      }
      text={[t('number', { number: String(number) }), department, format.relative(at, nowMs)]
        .filter(Boolean)
        .join(' · ')}
      end={<Status shape={TICKET_SHAPES[status]}>{t(`status.${status}`)}</Status>}
    />
  );
}
