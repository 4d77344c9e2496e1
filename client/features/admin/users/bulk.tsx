import { useEffect, useEffectEvent, useState } from 'react';
import type { ReactNode } from 'react';
import { useFetcher } from 'react-router';
import { useErrorText } from '#client/lib/error-text.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Dialog } from '#client/ui/dialog.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { Select } from '#client/ui/select.tsx';
import { BulkBar, type Selection } from '#client/ui/table-selection.tsx';
import { Textarea, TextInput } from '#client/ui/text-input.tsx';
import { toasts } from '#client/ui/toasts.ts';
import { MAIL_SUBJECT_MAX, MAIL_TEXT_MAX } from '#shared/schemas/user-bulk.ts';
import type { BulkAnswer } from './bulk-action.ts';

interface BulkProps {
  readonly selection: Selection;
  readonly roles: readonly { readonly id: string; readonly name: string }[];
}
type Asked = 'setRole' | 'write';
type Fetcher = ReturnType<typeof useFetcher<BulkAnswer>>;

/** The commands on the selected users: a role, the confirmation of their addresses, an e-mail. */
export function UserBulk({ selection, roles }: BulkProps): ReactNode {
  const t = useT('userList');
  const fetcher = useFetcher<BulkAnswer>();
  const [asked, setAsked] = useState<Asked | null>(null);
  useOutcome(fetcher, () => {
    setAsked(null);
    selection.change(new Set());
  });
  const ids = [...selection.selected];
  const confirm = async (): Promise<void> => {
    const ok = await dialogs.confirm({
      title: t('askConfirm', { count: ids.length }),
      text: t('askConfirmText'),
      ok: t('confirm'),
    });
    if (!ok) return;
    const form = new FormData();
    form.set('_intent', 'confirm');
    for (const id of ids) form.append('ids', id);
    await fetcher.submit(form, { method: 'post' });
  };
  const dialog = { ids, fetcher, onClose: () => setAsked(null) };
  return (
    <>
      <BulkBar selection={selection}>
        <Button size="sm" variant="ghost" icon="id-card" onClick={() => setAsked('setRole')}>
          {t('giveRole')}
        </Button>
        <Button size="sm" variant="ghost" icon="badge-check" onClick={() => void confirm()}>
          {t('confirm')}
        </Button>
        <Button size="sm" variant="ghost" icon="mail" onClick={() => setAsked('write')}>
          {t('write')}
        </Button>
      </BulkBar>
      {asked === 'setRole' && <RoleDialog {...dialog} roles={roles} />}
      {asked === 'write' && <MailDialog {...dialog} />}
    </>
  );
}

/** Says once what a command came to. `onDone`: it was done, for whomever. */
function useOutcome({ data }: Fetcher, onDone: () => void): void {
  const t = useT('userList');
  const errors = useErrorText();
  const show = useEffectEvent(({ intent, result }: BulkAnswer) => {
    if (!result.ok) {
      // What is wrong with a field stands beside it.
      if (intent === 'confirm') toasts.show({ tone: 'danger', title: errors.code(result.code) });
      return;
    }
    const { done, refused } = result.result;
    if (done > 0) toasts.show({ tone: 'positive', title: t(`done.${intent}`, { count: done }) });
    const [first] = refused;
    if (first) {
      const title = t('refused', { count: refused.length });
      toasts.show({ tone: 'danger', title, text: errors.code(first.code) });
    }
    onDone();
  });
  useEffect(() => {
    if (data) show(data);
  }, [data]);
}

interface FormDialogProps {
  readonly ids: readonly string[];
  readonly fetcher: Fetcher;
  readonly onClose: () => void;
}

/** A dialog with a form that is sent for the selected users. */
function FormDialog(
  props: FormDialogProps & {
    intent: Asked;
    title: string;
    submit: string;
    labels: Readonly<Record<string, string>>;
    children: ReactNode;
  },
): ReactNode {
  const { ids, fetcher, onClose, intent, title, submit, labels, children } = props;
  const ui = useT('ui');
  const answer = fetcher.data?.intent === intent ? fetcher.data.result : undefined;
  const shown = useFormProps(answer, Object.keys(labels));
  return (
    <Dialog open title={title} onClose={onClose}>
      <Form {...shown} fetcher={fetcher} labels={labels}>
        <FormKey />
        <input type="hidden" name="_intent" value={intent} />
        {ids.map((id) => (
          <input key={id} type="hidden" name="ids" value={id} />
        ))}
        {children}
        <div className="sp-btn-row">
          <Button type="submit" variant="primary">
            {submit}
          </Button>
          <Button variant="ghost" onClick={onClose}>
            {ui('cancel')}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function RoleDialog({ roles, ...dialog }: FormDialogProps & Pick<BulkProps, 'roles'>): ReactNode {
  const t = useT('userList');
  const labels = { role: useT('users')('role') };
  const title = t('giveRoleTo', { count: dialog.ids.length });
  return (
    <FormDialog {...dialog} intent="setRole" title={title} submit={t('giveRole')} labels={labels}>
      <Field label={labels.role} name="role" hint={t('giveRoleText')}>
        <Select options={roles.map(({ id, name }) => ({ value: id, label: name }))} />
      </Field>
    </FormDialog>
  );
}

function MailDialog(dialog: FormDialogProps): ReactNode {
  const t = useT('userList');
  const labels = { subject: t('subject'), text: t('text') };
  const title = t('writeTo', { count: dialog.ids.length });
  return (
    <FormDialog {...dialog} intent="write" title={title} submit={t('send')} labels={labels}>
      <Field label={labels.subject} name="subject" required>
        <TextInput maxLength={MAIL_SUBJECT_MAX} autoComplete="off" />
      </Field>
      <Field label={labels.text} name="text" hint={t('writeText')} required>
        <Textarea maxLength={MAIL_TEXT_MAX} rows={6} />
      </Field>
    </FormDialog>
  );
}
