import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { useRevalidator } from 'react-router';
import type * as z from 'zod/mini';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useApi } from '#client/lib/use-api.ts';
import { Button } from '#client/ui/button.tsx';
import { Dialog } from '#client/ui/dialog.tsx';
import { Field } from '#client/ui/field.tsx';
import { Select } from '#client/ui/select.tsx';
import { BulkBar, type Selection } from '#client/ui/table-selection.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { toasts } from '#client/ui/toasts.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { ticketBulkInput } from '#shared/schemas/ticket.ts';
import { TAG_MAX, TICKET_PRIORITIES, TICKET_STATUSES } from '#shared/tickets.ts';
import type { InboxData } from './query.ts';

type BulkChange = Omit<z.input<typeof ticketBulkInput>, 'ids'>;

/** What changes several tickets, and says what it came to and what was refused. */
export function useChangeTickets(): (ids: readonly string[], change: BulkChange) => Promise<void> {
  const api = useApi();
  const t = useT('ticketInbox');
  const errors = useErrorText();
  const revalidator = useRevalidator();
  const fail = (title: string, text?: string) =>
    void toasts.show({ tone: 'danger', title, ...(text === undefined ? {} : { text }) });
  return async (ids, change) => {
    if (api === null || ids.length === 0) return;
    try {
      const { done, refused } = await api.adminTickets.changeMany({ body: { ids: [...ids], ...change } });
      if (done > 0) toasts.show({ tone: 'positive', title: t('done', { count: done }) });
      const [first] = refused;
      if (first) fail(t('refused', { count: refused.length }), errors.code(first.code));
    } catch (error) {
      fail(errors.code(error instanceof ApiError ? error.code : 'SERVER_UNAVAILABLE'));
    }
    await revalidator.revalidate();
  };
}

/** What is done to the selected tickets. */
export function InboxBulk({ data, selection }: { data: InboxData; selection: Selection }): ReactNode {
  const t = useT('ticketInbox');
  const userId = useShell().session.user?.id;
  const change = useChangeTickets();
  const [asks, ask] = useState(false);
  const run = async (what: BulkChange): Promise<void> => {
    const ids = [...selection.selected];
    ask(false);
    selection.change(new Set());
    await change(ids, what);
  };
  return (
    <>
      <BulkBar selection={selection}>
        {userId !== undefined && (
          <Button size="sm" variant="ghost" icon="user" onClick={() => void run({ assignee: userId })}>
            {t('mine')}
          </Button>
        )}
        <Button size="sm" variant="ghost" icon="check" onClick={() => void run({ status: 'closed' })}>
          {t('close')}
        </Button>
        <Button size="sm" variant="ghost" icon="pencil" onClick={() => ask(true)}>
          {t('change')}
        </Button>
      </BulkBar>
      <ChangeDialog
        isOpen={asks}
        onClose={() => ask(false)}
        data={data}
        title={t('changeTitle', { count: selection.selected.size })}
        onChange={(what) => void run(what)}
      />
    </>
  );
}

/** What a form says that is to change; what is left as it is stays out. */
function toChange(form: FormData): BulkChange {
  const fieldValue = (name: string): string | undefined => String(form.get(name) ?? '').trim() || undefined;
  const assignee = fieldValue('assignee');
  return {
    status: TICKET_STATUSES.find((each) => each === fieldValue('status')),
    priority: TICKET_PRIORITIES.find((each) => each === fieldValue('priority')),
    department: fieldValue('department'),
    ...(assignee === undefined ? {} : { assignee: assignee === 'nobody' ? null : assignee }),
    add_tag: fieldValue('add_tag'),
    remove_tag: fieldValue('remove_tag'),
  };
}

interface ChangeDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly data: InboxData;
  readonly title: string;
  readonly onChange: (change: BulkChange) => void;
}

function ChangeDialog({ isOpen, onClose, data, title, onChange }: ChangeDialogProps): ReactNode {
  const t = useT('ticketInbox');
  const staff = useT('staffTickets');
  const words = useT('tickets');
  const ui = useT('ui');
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    onChange(toChange(new FormData(event.currentTarget)));
  };
  const named = data.departments.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Dialog open={isOpen} title={title} onClose={onClose}>
      <form className="sp-stack" onSubmit={onSubmit}>
        <Field label={staff('assignee')} name="assignee">
          <Select
            placeholder={t('keep')}
            options={[
              { value: 'nobody', label: staff('nobody') },
              ...data.staff.map(({ id, username }) => ({ value: id, label: username })),
            ]}
          />
        </Field>
        <Field label={staff('status')} name="status">
          <Select
            placeholder={t('keep')}
            options={TICKET_STATUSES.map((value) => ({ value, label: words(`staffStatus.${value}`) }))}
          />
        </Field>
        <Field label={staff('priority')} name="priority">
          <Select
            placeholder={t('keep')}
            options={TICKET_PRIORITIES.map((value) => ({ value, label: words(`priority.${value}`) }))}
          />
        </Field>
        <Field label={staff('department')} name="department">
          <Select placeholder={t('keep')} options={named} />
        </Field>
        <Field label={t('addTag')} name="add_tag">
          <TextInput maxLength={TAG_MAX} list="sp-tags" />
        </Field>
        <Field label={t('removeTag')} name="remove_tag">
          <Select placeholder={t('keep')} options={data.tags.map((value) => ({ value, label: value }))} />
        </Field>
        <datalist id="sp-tags">
          {data.tags.map((tag) => (
            <option key={tag}>{tag}</option>
          ))}
        </datalist>
        <div className="sp-btn-row">
          <Button onClick={onClose}>{ui('cancel')}</Button>
          <Button type="submit" variant="primary">
            {t('apply')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
