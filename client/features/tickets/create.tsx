import { useRef } from 'react';
import type { ChangeEvent, ReactNode } from 'react';
import { redirect, useLoaderData, useNavigate } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { idsOf, removeDraft, useDraft, type Draft } from '#client/lib/draft.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { usePreviewOf } from '#client/lib/ticket-preview.ts';
import { OWN_FILES } from '#client/lib/ticket-text.ts';
import { useApi } from '#client/lib/use-api.ts';
import { useAttachments } from '#client/lib/use-attachments.ts';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { useSending } from '#client/lib/use-sending.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Composer } from '#client/ui/composer.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Field, FieldGroup } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { OptionCard, OptionCards } from '#client/ui/option-card.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { href } from '#shared/routes/href.ts';
import { ticketInput } from '#shared/schemas/ticket.ts';
import { OPEN_TICKETS_MAX, TICKET_SUBJECT_MAX, TICKET_TEXT_MAX, USER_PRIORITIES } from '#shared/tickets.ts';

/** The draft of a new ticket's message. */
const DRAFT = 'ticket';

/** Departments, one's servers, and how many tickets are open. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).tickets.form();
}
type Data = Awaited<ReturnType<typeof loader>>;

/** Opens the ticket and goes to it. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, ticketInput, async (body, key) => {
    const { id } = await apiOf(args).tickets.create({ body }, key ? { key } : {});
    removeDraft(DRAFT);
    return redirect(href('ticket.view', { id }));
  });
}

/** /ticket/create (behaviour 7.3) */
export default function TicketCreateScreen(): ReactNode {
  const t = useT('tickets');
  const data = useLoaderData<typeof loader>();
  return (
    <Page narrow>
      <PageHead title={t('new')} text={t('newText')} crumbs={useCrumbs()} />
      {data.departments.length === 0 ? (
        <Card>
          <EmptyState as="h2" art="chat" title={t('noDepartments')} text={t('noDepartmentsText')} />
        </Card>
      ) : (
        <>
          {data.blocked && <Banner tone="warning">{t('blocked')}</Banner>}
          {!data.blocked && data.open >= OPEN_TICKETS_MAX && (
            <Banner tone="warning">{t('limit', { max: OPEN_TICKETS_MAX })}</Banner>
          )}
          {!data.blocked && <TicketForm data={data} />}
        </>
      )}
    </Page>
  );
}

/** Fields of the form beside its text, which its draft keeps. */
type FieldName = 'department' | 'subject' | 'server' | 'priority';

function TicketForm({ data }: { data: Data }): ReactNode {
  const t = useT('tickets');
  const answer = useActionAnswer<FormResult<never>>();
  const typed = answer?.ok === false ? answer.values : undefined;
  const draft = useDraft(DRAFT, typed?.text, typed);
  const api = useApi();
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const send = async (values: FormData, key: string): Promise<void> => {
    const made = await api?.tickets.create({ body: toTicket(values, draft) }, { key });
    removeDraft(DRAFT);
    if (made) void navigate(href('ticket.view', { id: made.id }));
  };
  const files = useAttachments(draft, api && api.tickets.attach, OWN_FILES);
  const { onSubmit, isSending, isUnsent, refused } = useSending(form, draft, api === null ? null : send);
  const shown = useFormProps(refused ?? answer, ['department', 'subject', 'text', 'attachments']);
  const fieldOf = useDraftFields(draft);
  const labels = { department: t('department'), subject: t('subject'), text: t('message'), server: t('server') };
  const named = data.servers.map(({ id, name }) => ({ value: id, label: name }));
  const priorities = USER_PRIORITIES.map((value) => ({ value, label: t(`priority.${value}`) }));
  return (
    <Card>
      <Form ref={form} {...shown} labels={labels} onSubmit={onSubmit}>
        <FormKey />
        {isUnsent && (
          <Banner tone="danger" live>
            {t('notSent')}
          </Banner>
        )}
        <Departments data={data} draft={draft} />
        <Field label={labels.subject} name="subject" required hint={t('subjectHint')}>
          <TextInput maxLength={TICKET_SUBJECT_MAX} autoComplete="off" {...fieldOf('subject', '')} />
        </Field>
        <div className="sp-fields" data-columns="2">
          {named.length > 0 && (
            <Field label={labels.server} name="server" optional>
              <Select placeholder={t('noServer')} options={named} {...fieldOf('server', '', named)} />
            </Field>
          )}
          <Field label={t('priorityLabel')} name="priority">
            <Select options={priorities} {...fieldOf('priority', 'normal', priorities)} />
          </Field>
        </div>
        <Composer
          label={labels.text}
          name="text"
          max={TICKET_TEXT_MAX}
          rows={8}
          value={draft.text}
          onChange={draft.setText}
          hint={t('messageHint')}
          previewLabel={t('preview')}
          preview={usePreviewOf()}
          files={files}
        >
          <Button type="submit" variant="primary" icon="send" disabled={isSending || files.isBusy}>
            {t('create')}
          </Button>
        </Composer>
      </Form>
    </Card>
  );
}

/** The ticket that a form says. */
const toTicket = (values: FormData, draft: Draft) => {
  const fieldValue = (name: FieldName): string => String(values.get(name) ?? '');
  return {
    department: fieldValue('department'),
    subject: fieldValue('subject'),
    priority: USER_PRIORITIES.find((each) => each === fieldValue('priority')) ?? 'normal',
    text: draft.text,
    attachments: idsOf(draft),
    ...(fieldValue('server') === '' ? {} : { server: fieldValue('server') }),
  };
};

/**
 * What makes a field one of the draft. In: its name, what it is while nothing was chosen, and what can be chosen: what
 * is there no longer, such as a server that was deleted, is forgotten.
 */
function useDraftFields(draft: Draft) {
  const hydrated = useHydrated();
  return (name: FieldName, first: string, options?: readonly { readonly value: string }[]) => {
    const kept = draft.fields[name] ?? first;
    const value = options && !options.some((each) => each.value === kept) ? first : kept;
    if (!hydrated) return { defaultValue: value };
    return {
      value,
      onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
        draft.setField(name, event.currentTarget.value),
    };
  };
}

/** The departments, with when they are there and how soon they answer. */
function Departments({ data: { departments }, draft }: { data: Data; draft: Draft }): ReactNode {
  const t = useT('tickets');
  const format = useFormat();
  const hydrated = useHydrated();
  const chosen = departments.length === 1 ? departments[0]?.id : draft.fields.department;
  return (
    <FieldGroup label={t('department')} name="department">
      <OptionCards columns={departments.length > 1 ? 2 : 1}>
        {departments.map(({ id, name, description, hours, answer_ms: answerMs }) => (
          <OptionCard
            key={id}
            name="department"
            value={id}
            title={name}
            required
            {...(hydrated ? { checked: chosen === id } : { defaultChecked: chosen === id })}
            onChange={() => draft.setField('department', id)}
            text={[
              description,
              hours === '' ? '' : t('hours', { hours }),
              answerMs === null ? '' : t('answerTime', { time: format.duration(answerMs) }),
            ]
              .filter(Boolean)
              .join(' · ')}
          />
        ))}
      </OptionCards>
    </FieldGroup>
  );
}
