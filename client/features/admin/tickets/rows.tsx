import type { ReactNode, Ref } from 'react';
import { Link } from 'react-router';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { TICKET_SHAPES } from '#client/lib/ticket-text.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Avatar } from '#client/ui/avatar.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { Status } from '#client/ui/status.tsx';
import { RowCheckbox, type Selection } from '#client/ui/table-selection.tsx';
import { can } from '#shared/can.ts';
import { addressOf, ticketAddress, type InboxData, type InboxRow } from './query.ts';

interface RowsProps {
  readonly data: InboxData;
  /** Null: who looks at it may change none. */
  readonly selection: Selection | null;
  /** The ticket that is open beside it. */
  readonly current: string | null;
  readonly ref?: Ref<HTMLUListElement> | undefined;
}

/** Tickets of a list, each with who wrote it, since when it waits, and whose it is. */
export function InboxRows({ data, selection, current, ref }: RowsProps): ReactNode {
  const t = useT('staffTickets');
  return (
    <ul className="sp-inbox__rows" aria-label={t(`view.${data.address.view}`)} ref={ref}>
      {data.rows.map((row) => (
        <InboxItem key={row.id} row={row} data={data} selection={selection} isCurrent={row.id === current} />
      ))}
    </ul>
  );
}

interface ItemProps extends Pick<RowsProps, 'data' | 'selection'> {
  readonly row: InboxRow;
  readonly isCurrent: boolean;
}

function InboxItem({ row, data, selection, isCurrent }: ItemProps): ReactNode {
  const t = useT('staffTickets');
  const own = useT('ticketInbox');
  const words = useT('tickets');
  const format = useFormat();
  const nowMs = useNow(60_000);
  const opens = can(useShell().session.permissions, 'admin.tickets.view');
  const { id, number, subject, username, department, priority, assignee, status, since, tags } = row;
  const isOverdue = status === 'open' && since < data.overdue_before;
  return (
    <li
      className="sp-inbox__row"
      data-selected={selection?.selected.has(id) || undefined}
      data-current={isCurrent || undefined}
    >
      {selection && <RowCheckbox selection={selection} rowKey={id} name={subject} />}
      <Avatar name={username ?? ''} seed={row.user_id} />
      <div className="sp-inbox__text">
        <p className="sp-inbox__who">
          <span>{username ?? words('gone')}</span>
          <time dateTime={since} data-overdue={isOverdue || undefined}>
            {isOverdue && <span className="sp-sr">{own('overdue')} </span>}
            {format.relative(since, nowMs)}
          </time>
        </p>
        <p className="sp-inbox__subject" data-open={status === 'open' || undefined}>
          {opens ? (
            <Link
              to={ticketAddress(id, data.address)}
              state={{ tickets: data.rows.map((each) => each.id) }}
              preventScrollReset={isCurrent}
              aria-current={isCurrent ? 'page' : undefined}
            >
              {subject}
            </Link>
          ) : (
            subject
          )}
        </p>
        <div className="sp-inbox__facts">
          <span className="sp-num">{words('number', { number: String(number) })}</span>
          {department !== null && <span>{department}</span>}
          {status !== 'open' && <Status shape={TICKET_SHAPES[status]}>{words(`staffStatus.${status}`)}</Status>}
          {(priority === 'high' || priority === 'urgent') && (
            <Badge tone={priority === 'urgent' ? 'danger' : 'warning'}>{words(`priority.${priority}`)}</Badge>
          )}
          {tags.map((tag) => (
            <Link key={tag} className="sp-inbox__tag" to={addressOf({ view: data.address.view, tag })}>
              {tag}
            </Link>
          ))}
          <span className="sp-inbox__assignee" data-nobody={assignee === null || undefined}>
            {assignee === null ? t('nobody') : (assignee.username ?? words('gone'))}
          </span>
        </div>
      </div>
    </li>
  );
}
