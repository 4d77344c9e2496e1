import { useEffect, useEffectEvent, useState } from 'react';
import type { ReactNode } from 'react';
import { useFetcher } from 'react-router';
import { useErrorText } from '#client/lib/error-text.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useApi } from '#client/lib/use-api.ts';
import { Button } from '#client/ui/button.tsx';
import { Dialog } from '#client/ui/dialog.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Select } from '#client/ui/select.tsx';
import { BulkBar, type Selection } from '#client/ui/table-selection.tsx';
import { Textarea, TextInput } from '#client/ui/text-input.tsx';
import { toasts } from '#client/ui/toasts.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { BulkOutcome } from '#shared/contract/user-bulk.ts';
import { MAIL_SUBJECT_MAX, MAIL_TEXT_MAX } from '#shared/schemas/user-bulk.ts';
import type { BulkAnswer } from './bulk-action.ts';
import { BulkRun } from './bulk-run.tsx';

interface BulkProps {
  readonly selection: Selection;
  readonly roles: readonly { readonly id: string; readonly name: string }[];
  /** How many rows the page has, and whether more users match. */
  readonly rows: number;
  readonly hasMore: boolean;
  /** The filter of the list, as its address says it. */
  readonly filter: Readonly<Record<string, string>>;
  /** The list. */
  readonly children: ReactNode;
}
type Asked = 'setRole' | 'write';
type Fetcher = ReturnType<typeof useFetcher<BulkAnswer>>;
/** Who is meant: the selected users, or all who match a filter, and how many those are. */
type Target = { readonly count: number } & ({ readonly ids: readonly string[] } | { readonly filter: string });

/**
 * The commands on the selected users or on all who match: a role, the confirmation of their addresses, an e-mail. They
 * stand below the list, and so at the lower edge of the window while it is longer; how far one has come stands above.
 */
export function UserBulk({ selection, roles, rows, hasMore, filter, children }: BulkProps): ReactNode {
  const t = useT('userList');
  const fetcher = useFetcher<BulkAnswer>();
  const [asked, setAsked] = useState<Asked | null>(null);
  const { target, chooseAll } = useTarget(selection, new URLSearchParams(filter).toString());
  // Progress is asked for at once after each.
  const [runs, setRuns] = useState(0);
  useOutcome(fetcher, (isRun) => {
    setAsked(null);
    if (isRun) setRuns(runs + 1);
    selection.change(new Set());
  });
  const isAll = 'filter' in target;
  const confirm = async (): Promise<void> => {
    const ok = await dialogs.confirm({
      title: t('askConfirm', { count: target.count }),
      text: t('askConfirmText'),
      ok: t('confirm'),
    });
    if (!ok) return;
    const form = new FormData();
    form.set('_intent', isAll ? 'confirmAll' : 'confirm');
    for (const [name, value] of fieldsOf(target)) form.append(name, value);
    await fetcher.submit(form, { method: 'post' });
  };
  const dialog = { target, fetcher, onClose: () => setAsked(null) };
  return (
    <>
      <BulkRun key={runs} isStarted={runs > 0} />
      {children}
      <BulkBar selection={selection} label={isAll ? t('allSelected', { count: target.count }) : undefined}>
        {!isAll && hasMore && selection.selected.size >= rows && (
          <Button size="sm" variant="ghost" icon="users" onClick={() => void chooseAll()}>
            {t('selectAll')}
          </Button>
        )}
        <Button size="sm" variant="ghost" icon="id-card" onClick={() => setAsked('setRole')}>
          {t('giveRole')}
        </Button>
        <Button size="sm" variant="ghost" icon="badge-check" onClick={() => void confirm()}>
          {t('confirm')}
        </Button>
        <Button size="sm" variant="ghost" icon="mail" onClick={() => setAsked('write')}>
          {t('write')}
        </Button>
        <LinkButton size="sm" variant="ghost" icon="download" to={fileOf(target)} reloadDocument download>
          {t('exportSelected')}
        </LinkButton>
      </BulkBar>
      {asked === 'setRole' && <RoleDialog {...dialog} roles={roles} />}
      {asked === 'write' && <MailDialog {...dialog} />}
    </>
  );
}

/** Who is meant. All who match are counted when they are chosen, and forgotten with the selection or the filter. */
function useTarget(selection: Selection, filter: string): { target: Target; chooseAll: () => Promise<void> } {
  const api = useApi();
  const errors = useErrorText();
  const [all, setAll] = useState<{ filter: string; of: Selection['selected']; count: number } | null>(null);
  const ids = [...selection.selected];
  const isAll = all !== null && all.filter === filter && all.of === selection.selected;
  return {
    target: isAll ? { filter, count: all.count } : { ids, count: ids.length },
    chooseAll: async () => {
      try {
        const query = Object.fromEntries(new URLSearchParams(filter));
        const answer = await api?.adminUserBulk.countAll({ query });
        if (answer) setAll({ filter, of: selection.selected, count: answer.count });
      } catch (error) {
        if (error instanceof ApiError) toasts.show({ tone: 'danger', title: errors.code(error.code) });
      }
    },
  };
}

/** What a form says of who is meant. */
const fieldsOf = (target: Target): (readonly [name: string, value: string])[] =>
  'filter' in target ? [['filter', target.filter]] : target.ids.map((id) => ['ids', id]);

/** Where they are as a file. */
const fileOf = (target: Target): string =>
  `/api/admin/users/export.csv?${'filter' in target ? target.filter : `ids=${target.ids.join(',')}`}`;

/** Says once what a command came to. `onDone`: it was done for those who were selected, or a run for all was started. */
function useOutcome({ data }: Fetcher, onDone: (isRun: boolean) => void): void {
  const t = useT('userList');
  const errors = useErrorText();
  const showDone = (intent: keyof typeof ONE, { done, refused }: BulkOutcome): void => {
    if (done > 0) toasts.show({ tone: 'positive', title: t(ONE[intent], { count: done }) });
    const [first] = refused;
    if (!first) return;
    toasts.show({
      tone: 'danger',
      title: t('refused', { count: refused.length }),
      text: errors.code(first.code),
    });
  };
  const show = useEffectEvent((answer: BulkAnswer) => {
    const { intent, result } = answer;
    if (!result.ok) {
      // What is wrong with a field stands beside it.
      const isShown = intent !== 'confirm' && intent !== 'confirmAll' && result.code !== 'CONFLICT';
      const text = result.code === 'CONFLICT' ? t('runBusy') : errors.code(result.code);
      if (!isShown) toasts.show({ tone: 'danger', title: text });
      return;
    }
    const isRun = !('done' in result.result);
    if ('done' in result.result) showDone(answer.intent as keyof typeof ONE, result.result);
    else toasts.show({ tone: 'positive', title: t('runStarted') });
    onDone(isRun);
  });
  useEffect(() => {
    if (data) show(data);
  }, [data]);
}
const ONE = { setRole: 'done.setRole', confirm: 'done.confirm', write: 'done.write' } as const;

interface FormDialogProps {
  readonly target: Target;
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
  const { target, fetcher, onClose, title, submit, labels, children } = props;
  const ui = useT('ui');
  const intent = 'filter' in target ? (`${props.intent}All` as const) : props.intent;
  const answer = fetcher.data?.intent === intent ? fetcher.data.result : undefined;
  const shown = useFormProps(answer, Object.keys(labels));
  return (
    <Dialog open title={title} onClose={onClose}>
      <Form {...shown} fetcher={fetcher} labels={labels}>
        <FormKey />
        <input type="hidden" name="_intent" value={intent} />
        {fieldsOf(target).map(([name, value]) => (
          <input key={value} type="hidden" name={name} value={value} />
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
  const title = t('giveRoleTo', { count: dialog.target.count });
  return (
    <FormDialog {...dialog} intent="setRole" title={title} submit={t('giveRole')} labels={labels}>
      <Field label={labels.role} name="role" hint={t('giveRoleText')} required>
        <Select placeholder={t('chooseRole')} options={roles.map(({ id, name }) => ({ value: id, label: name }))} />
      </Field>
    </FormDialog>
  );
}

function MailDialog(dialog: FormDialogProps): ReactNode {
  const t = useT('userList');
  const labels = { subject: t('subject'), text: t('text') };
  const title = t('writeTo', { count: dialog.target.count });
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
