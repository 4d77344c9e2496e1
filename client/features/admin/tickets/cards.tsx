import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLooseT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useStatementText } from '#client/lib/statement-text.ts';
import { Button } from '#client/ui/button.tsx';
import { Card, CardSection, Facts } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Select } from '#client/ui/select.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/href.ts';
import { SERVER_STATES, type ServerState } from '#shared/schemas/server.ts';
import { TICKET_PRIORITIES, TICKET_STATUSES } from '#shared/tickets.ts';
import { SERVER_SHAPES } from '../parts/servers.tsx';
import type { StaffTicketData } from './view.tsx';

/** Who takes care of the ticket, where it stands, how pressing it is, and where it belongs. */
export function ChangeCard({ data }: { data: StaffTicketData }): ReactNode {
  const t = useT('staffTickets');
  const words = useT('tickets');
  const { ticket, staff, departments, department_id: departmentId } = data;
  const assigneeId = ticket.assignee?.id ?? '';
  const isListed = staff.some(({ id }) => id === assigneeId) || assigneeId === '';
  return (
    <Card title={t('ticket')}>
      <Form noSummary preventScrollReset>
        <input type="hidden" name="_intent" value="change" />
        <Field label={t('assignee')} name="assignee">
          <Select
            placeholder={t('nobody')}
            defaultValue={assigneeId}
            options={[
              ...staff.map(({ id, username }) => ({ value: id, label: username })),
              ...(isListed ? [] : [{ value: assigneeId, label: ticket.assignee?.username ?? words('gone') }]),
            ]}
          />
        </Field>
        <Field label={t('status')} name="status">
          <Select
            defaultValue={ticket.status}
            options={TICKET_STATUSES.map((value) => ({ value, label: words(`staffStatus.${value}`) }))}
          />
        </Field>
        <Field label={t('priority')} name="priority">
          <Select
            defaultValue={ticket.priority}
            options={TICKET_PRIORITIES.map((value) => ({ value, label: words(`priority.${value}`) }))}
          />
        </Field>
        <Field label={t('department')} name="department">
          <Select
            defaultValue={departmentId}
            options={[
              ...departments.map(({ id, name }) => ({ value: id, label: name })),
              ...(departments.some(({ id }) => id === departmentId)
                ? []
                : [{ value: departmentId, label: ticket.department ?? '–' }]),
            ]}
          />
        </Field>
        <div className="sp-btn-row">
          <Button type="submit">{t('save')}</Button>
        </div>
      </Form>
    </Card>
  );
}

/** Who the ticket's user is: balance, servers, latest movements of credits. */
export function UserCard({ data: { ticket, card }, title }: { data: StaffTicketData; title: string }): ReactNode {
  const t = useT('staffTickets');
  const words = useT('tickets');
  const format = useFormat();
  const opens = can(useShell().session.permissions, 'admin.users.edit');
  if (card === null) return <Card title={title}>{words('gone')}</Card>;
  return (
    <Card title={title} flush>
      <CardSection>
        <Facts
          items={[
            {
              label: t('user'),
              value: opens ? (
                <TextLink to={href('admin.users.edit', { id: ticket.user_id })}>{card.username}</TextLink>
              ) : (
                card.username
              ),
            },
            { label: t('balance'), value: <CreditAmount value={card.balance} /> },
            { label: t('memberSince'), value: format.date(card.created_at) },
            { label: t('ticketCount'), value: format.number(card.tickets) },
          ]}
        />
      </CardSection>
      <Servers servers={card.servers} />
      <Movements movements={card.movements} />
    </Card>
  );
}

type UserFacts = NonNullable<StaffTicketData['card']>;

function Servers({ servers }: { servers: UserFacts['servers'] }): ReactNode {
  const t = useT('staffTickets');
  const loose = useLooseT('servers');
  const opens = can(useShell().session.permissions, 'admin.servers.list');
  if (servers.length === 0) return null;
  const toState = (text: string): ServerState => SERVER_STATES.find((each) => each === text) ?? 'failed';
  return (
    <List label={t('servers')}>
      {servers.map(({ id, name, state }) => (
        <ListItem
          key={id}
          title={name}
          icon="server"
          end={<Status shape={SERVER_SHAPES[toState(state)]}>{loose(`state.${state}`)}</Status>}
          {...(opens ? { to: href('admin.servers.view', { id }) } : {})}
        />
      ))}
    </List>
  );
}

function Movements({ movements }: { movements: UserFacts['movements'] }): ReactNode {
  const t = useT('staffTickets');
  const text = useStatementText();
  const format = useFormat();
  if (movements.length === 0) return null;
  return (
    <List label={t('movements')}>
      {movements.map((each) => (
        <ListItem
          key={each.id}
          title={text.kind(each.kind)}
          text={[text.subject(each), format.dateTime(each.at)].filter(Boolean).join(' · ')}
          end={<CreditAmount value={each.amount} variant="signed" />}
        />
      ))}
    </List>
  );
}
