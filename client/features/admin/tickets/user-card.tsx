import type { ReactNode } from 'react';
import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useMoney } from '#client/lib/money.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { useStatementText } from '#client/lib/statement-text.ts';
import { TICKET_SHAPES } from '#client/lib/ticket-text.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Card, CardSection, Facts } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { NameBadge } from '#client/ui/name-badge.tsx';
import { Status, type StatusShape } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { SERVER_STATES, type ServerState } from '#shared/schemas/server.ts';
import { ORDER_SHAPES } from '../parts/orders.ts';
import { SERVER_SHAPES } from '../parts/servers.tsx';
import { ViewAsButton } from '../parts/view-as-button.tsx';
import { useServerPower } from './user-facts.ts';
import type { StaffTicketData } from './view.tsx';

type UserFacts = NonNullable<StaffTicketData['card']>;
type Account = NonNullable<StaffTicketData['more']['account']>;
const POWER_SHAPES = {
  running: 'active',
  starting: 'installing',
  stopping: 'paused',
  offline: 'off',
} as const satisfies Record<string, StatusShape>;

/** Who the ticket's user is: balance, servers, orders, signals, other tickets; what the visitor may see of it. */
export function UserCard({ data, title }: { data: StaffTicketData; title: string }): ReactNode {
  const words = useT('tickets');
  const { card, more } = data;
  if (card === null) return <Card title={title}>{words('gone')}</Card>;
  return (
    <Card title={title} flush>
      <CardSection>
        <UserFactList data={data} card={card} />
        <UserActions userId={data.ticket.user_id} account={more.account} />
      </CardSection>
      <Servers servers={card.servers} about={data.ticket.server?.id} />
      <Orders orders={more.orders} />
      <Movements movements={card.movements} />
      <OtherTickets tickets={card.other_tickets} />
    </Card>
  );
}

function UserFactList({ data, card }: { data: StaffTicketData; card: UserFacts }): ReactNode {
  const t = useT('staffTickets');
  const own = useT('ticketInbox');
  const format = useFormat();
  const opens = can(useShell().session.permissions, 'admin.users.edit');
  const users = useT('users');
  const { signals, account } = data.more;
  const isHigh = signals !== null && signals.threshold > 0 && signals.score >= signals.threshold;
  const page = href('admin.users.edit', { id: data.ticket.user_id });
  return (
    <Facts
      items={[
        { label: t('user'), value: opens ? <TextLink to={page}>{card.username}</TextLink> : card.username },
        { label: t('balance'), value: <CreditAmount value={card.balance} /> },
        ...(account
          ? [
              { label: users('role'), value: <NameBadge badge={{ kind: 'role', role: account.role }} /> },
              { label: own('factor'), value: own(account.factor_at === null ? 'factorOff' : 'factorOn') },
              { label: users('supportPin'), value: <Pin pin={account.support_pin} /> },
            ]
          : []),
        { label: t('memberSince'), value: format.date(card.created_at) },
        { label: t('ticketCount'), value: format.number(card.tickets) },
        ...(signals
          ? [
              {
                label: own('score'),
                value: (
                  <TextLink to={`${page}?tab=signals`}>
                    {isHigh ? (
                      <Badge tone="danger">{format.number(signals.score)}</Badge>
                    ) : (
                      format.number(signals.score)
                    )}
                  </TextLink>
                ),
              },
            ]
          : []),
        ...(signals && signals.held.count > 0
          ? [{ label: own('heldRewards'), value: <CreditAmount value={signals.held.credits} /> }]
          : []),
      ]}
    />
  );
}

/** The PIN that the user reads to support, to be compared; while there is one. */
function Pin({ pin }: { pin: Account['support_pin'] }): ReactNode {
  const t = useT('users');
  const own = useT('ticketInbox');
  const format = useFormat();
  if (pin === null) return own('noPin');
  return t('supportPinUntil', { pin: pin.pin.replace(/^(...)/, '$1 '), date: format.dateTime(pin.expires_at) });
}

/** What staff with the right to edit users do for them, where it stands: nothing is done twice. */
function UserActions({ userId, account }: { userId: string; account: Account | null }): ReactNode {
  const own = useT('ticketInbox');
  const { session } = useShell();
  if (account === null || account.status === 'deleted') return null;
  const page = href('admin.users.edit', { id: userId });
  // Only admin.root may adjust their own wallet.
  const gives = userId !== session.user?.id || can(session.permissions, 'admin.root');
  return (
    <div className="sp-btn-row">
      <ViewAsButton user={account} action={page} size="sm" />
      {gives && (
        <LinkButton to={`${page}#adjust`} size="sm" icon="plus">
          {own('giveCredits')}
        </LinkButton>
      )}
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section className="sp-usercard__part" aria-label={title}>
      <h3 className="sp-usercard__title">{title}</h3>
      <List label={title}>{children}</List>
    </section>
  );
}

/** In: the latest servers, and the one that the ticket is about. */
function Servers({ servers, about }: { servers: UserFacts['servers']; about: string | undefined }): ReactNode {
  const t = useT('staffTickets');
  if (servers.length === 0) return null;
  return (
    <Part title={t('servers')}>
      {servers.map((server) => (
        <ServerItem key={server.id} server={server} isMeant={server.id === about} />
      ))}
    </Part>
  );
}

/** A server with its state; of one that is active, whether it runs right now. */
function ServerItem(props: { server: UserFacts['servers'][number]; isMeant: boolean }): ReactNode {
  const { id, name, state } = props.server;
  const t = useT('staffTickets');
  const loose = useLooseT('servers');
  const live = useT('live');
  const power = useServerPower(id, state === 'active');
  const known: ServerState = SERVER_STATES.find((each) => each === state) ?? 'failed';
  return (
    <ListItem
      title={name}
      {...(props.isMeant ? { text: t('aboutServer') } : {})}
      icon="server"
      end={
        power === null || power === 'unknown' ? (
          <Status shape={SERVER_SHAPES[known]}>{loose(`state.${state}`)}</Status>
        ) : (
          <Status shape={POWER_SHAPES[power]}>{live(`power.${power}`)}</Status>
        )
      }
      to={href('admin.servers.view', { id })}
    />
  );
}

function Orders({ orders }: { orders: StaffTicketData['more']['orders'] }): ReactNode {
  const own = useT('ticketInbox');
  const t = useT('payments');
  const format = useFormat();
  const money = useMoney();
  const opens = can(useShell().session.permissions, 'admin.payments.view');
  if (orders === null || orders.rows.length === 0) return null;
  return (
    <Part title={own('orders')}>
      {orders.rows.map((order) => (
        <ListItem
          key={order.id}
          icon="receipt"
          title={order.label ?? t('customAmount')}
          text={`${money(order.amount, order.currency)} · ${format.date(order.created_at)}`}
          end={<Status shape={ORDER_SHAPES[order.state]}>{t(`state.${order.state}`)}</Status>}
          {...(opens ? { to: href('admin.payments.view', { id: order.id }) } : {})}
        />
      ))}
    </Part>
  );
}

function Movements({ movements }: { movements: UserFacts['movements'] }): ReactNode {
  const t = useT('staffTickets');
  const text = useStatementText();
  const format = useFormat();
  if (movements.length === 0) return null;
  return (
    <Part title={t('movements')}>
      {movements.map((each) => (
        <ListItem
          key={each.id}
          title={text.kind(each.kind)}
          text={[text.subject(each), format.dateTime(each.at)].filter(Boolean).join(' · ')}
          end={<CreditAmount value={each.amount} variant="signed" />}
        />
      ))}
    </Part>
  );
}

function OtherTickets({ tickets }: { tickets: UserFacts['other_tickets'] }): ReactNode {
  const own = useT('ticketInbox');
  const words = useT('tickets');
  if (tickets.length === 0) return null;
  return (
    <Part title={own('otherTickets')}>
      {tickets.map(({ id, number, subject, status }) => (
        <ListItem
          key={id}
          title={subject}
          text={words('number', { number: String(number) })}
          end={<Status shape={TICKET_SHAPES[status]}>{words(`staffStatus.${status}`)}</Status>}
          to={href('admin.tickets.view', { id })}
        />
      ))}
    </Part>
  );
}
