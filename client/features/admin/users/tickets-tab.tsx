import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { TICKET_SHAPES } from '#client/lib/ticket-text.ts';
import { Card } from '#client/ui/card.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import type { TabData, UserData } from './edit.tsx';

type Listed = NonNullable<TabData['tickets']>;

/** The user's tickets, the newest first; more than a page of them are in the inbox. */
export function TicketsTab({ user, tickets }: { user: UserData; tickets: Listed }): ReactNode {
  const t = useT('userDetails');
  const { rows, more } = tickets;
  return (
    <Card
      title={t('tickets')}
      {...(more === null ? { count: rows.length } : {})}
      flush={rows.length > 0}
      {...(more === null
        ? {}
        : {
            foot: (
              <TextLink to={`${href('admin.tickets.list')}?view=all&q=${encodeURIComponent(user.username)}`}>
                {t('allTickets')}
              </TextLink>
            ),
          })}
    >
      {rows.length === 0 ? (
        <p className="sp-lead">{t('noTickets')}</p>
      ) : (
        <List label={t('tickets')}>
          {rows.map((ticket) => (
            <TicketItem key={ticket.id} ticket={ticket} />
          ))}
        </List>
      )}
    </Card>
  );
}

function TicketItem({ ticket }: { ticket: Listed['rows'][number] }): ReactNode {
  const words = useT('tickets');
  const format = useFormat();
  const { permissions } = useShell().session;
  const { id, number, subject, status, department, created_at: createdAt } = ticket;
  return (
    <ListItem
      icon="chat"
      title={
        can(permissions, 'admin.tickets.view') ? (
          <TextLink to={href('admin.tickets.view', { id })}>{subject}</TextLink>
        ) : (
          subject
        )
      }
      text={[words('number', { number: String(number) }), department, format.dateTime(createdAt)].join(' · ')}
      end={<Status shape={TICKET_SHAPES[status]}>{words(`staffStatus.${status}`)}</Status>}
    />
  );
}
