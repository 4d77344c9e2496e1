import { useState } from 'react';
import type { ReactNode } from 'react';
import { redirect, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { removeDraft, useDraft } from '#client/lib/draft.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { usePreviewOf } from '#client/lib/ticket-preview.ts';
import { OWN_FILES } from '#client/lib/ticket-text.ts';
import { useApi } from '#client/lib/use-api.ts';
import { useAttachments } from '#client/lib/use-attachments.ts';
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

function TicketForm({ data }: { data: Data }): ReactNode {
  const t = useT('tickets');
  const answer = useActionAnswer<FormResult<never>>();
  const shown = useFormProps(answer, ['department', 'subject', 'text', 'attachments']);
  const draft = useDraft(DRAFT, shown.values.text);
  const preview = usePreviewOf();
  const api = useApi();
  const files = useAttachments(draft, api && api.tickets.attach, OWN_FILES);
  const labels = { department: t('department'), subject: t('subject'), text: t('message'), server: t('server') };
  return (
    <Card>
      <Form {...shown} labels={labels}>
        <FormKey />
        <Departments data={data} />
        <Field label={labels.subject} name="subject" required hint={t('subjectHint')}>
          <TextInput maxLength={TICKET_SUBJECT_MAX} autoComplete="off" />
        </Field>
        <div className="sp-fields" data-columns="2">
          {data.servers.length > 0 && (
            <Field label={labels.server} name="server" optional>
              <Select
                placeholder={t('noServer')}
                options={data.servers.map(({ id, name }) => ({ value: id, label: name }))}
              />
            </Field>
          )}
          <Field label={t('priorityLabel')} name="priority">
            <Select
              defaultValue="normal"
              options={USER_PRIORITIES.map((value) => ({ value, label: t(`priority.${value}`) }))}
            />
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
          preview={preview}
          files={files}
        >
          <Button type="submit" variant="primary" icon="send" disabled={files.isBusy}>
            {t('create')}
          </Button>
        </Composer>
      </Form>
    </Card>
  );
}

/** The departments, with when they are there and how soon they answer. */
function Departments({ data: { departments } }: { data: Data }): ReactNode {
  const t = useT('tickets');
  const format = useFormat();
  const [first] = departments;
  const [chosen, choose] = useState<string | undefined>(departments.length === 1 ? first?.id : undefined);
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
            defaultChecked={chosen === id}
            onChange={choose}
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
