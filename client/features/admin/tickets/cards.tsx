import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { Select } from '#client/ui/select.tsx';
import { TICKET_PRIORITIES, TICKET_STATUSES } from '#shared/tickets.ts';
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
