import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { idsOf, useDraft } from '#client/lib/draft.ts';
import type { FormFailure } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { usePreviewOf } from '#client/lib/ticket-preview.ts';
import { STAFF_FILES } from '#client/lib/ticket-text.ts';
import { useApi } from '#client/lib/use-api.ts';
import { useAttachments } from '#client/lib/use-attachments.ts';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { useTypingSignal, type WriterView } from '#client/lib/use-writers.ts';
import { isUnanswered, useSending } from '#client/lib/use-sending.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Composer } from '#client/ui/composer.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { Segmented } from '#client/ui/segmented.tsx';
import { Select } from '#client/ui/select.tsx';
import type * as z from 'zod/mini';
import type { ticketReplyInput } from '#shared/schemas/ticket.ts';
import { ANSWER_STATUSES, TICKET_TEXT_MAX } from '#shared/tickets.ts';
import { CannedPicker } from './canned.tsx';
import type { StaffTicketData } from './view.tsx';

/**
 * The form of an answer or an internal note. It says which line its writer saw last: where somebody else answered
 * meanwhile it is refused, and stays in the form. Without scripts it is sent by the page's action.
 */
export function StaffReplyForm({
  data,
  failed,
  others,
}: {
  data: StaffTicketData;
  /** Others of staff who write in it. */
  others: readonly WriterView[];
  failed: FormFailure | undefined;
}): ReactNode {
  const t = useT('staffTickets');
  const words = useT('tickets');
  const api = useApi();
  const form = useRef<HTMLFormElement>(null);
  const { id, messages } = data.ticket;
  const draft = useDraft(`staff-ticket:${id}`, failed?.values.text);
  // A draft says itself whether it is a note: what was meant for staff alone must not come back as an answer.
  const [chosen, setChosen] = useState<boolean | null>(failed ? failed.values.internal === 'true' : null);
  const internal = chosen ?? draft.fields.internal === 'true';
  const setInternal = (isNote: boolean): void => {
    setChosen(isNote);
    if (draft.text !== '') draft.setField('internal', isNote ? 'true' : '');
  };
  const sendReply = useSendReply(data);
  const send = async (values: FormData, key: string): Promise<void> => {
    const status = ANSWER_STATUSES.find((each) => each === values.get('status')) ?? 'answered';
    await sendReply({ text: draft.text, attachments: idsOf(draft), internal, status }, key);
    // Who writes one note goes on writing notes.
    setChosen(internal);
    signalTyping('');
  };
  const signalTyping = useTypingSignal(async (isTyping) =>
    api?.adminTickets.setTyping({ params: { id }, body: { what: isTyping ? (internal ? 'note' : 'message') : null } }),
  );
  const files = useAttachments(draft, api && api.adminTickets.attach, STAFF_FILES);
  const { onSubmit, isSending, isUnsent, refused } = useSending(form, draft, api === null ? null : send);
  const shown = useFormProps(refused ?? failed, ['text', 'attachments']);
  const insert = (text: string): void => {
    const all = draft.text.trim() === '' ? text : `${draft.text.trimEnd()}\n\n${text}`;
    draft.setText(all.slice(0, TICKET_TEXT_MAX));
    // Once the dialog has given the focus back.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('textarea')?.focus());
  };
  return (
    <Form ref={form} {...shown} problem={undefined} noSummary preventScrollReset onSubmit={onSubmit}>
      <FormKey />
      <input type="hidden" name="seen" value={messages} />
      {(isUnsent || shown.problem !== undefined) && (
        <Banner tone="danger" live>
          {isUnsent ? words('notSent') : shown.problem}
        </Banner>
      )}
      <Collision names={others.map(({ name }) => name)} />
      <Kind internal={internal} onChange={setInternal} />
      <Composer
        label={t(internal ? 'noteLabel' : 'replyLabel')}
        name="text"
        max={TICKET_TEXT_MAX}
        value={draft.text}
        onChange={(text) => {
          draft.setText(text);
          draft.setField('internal', internal && text !== '' ? 'true' : '');
          signalTyping(text);
        }}
        previewLabel={words('preview')}
        preview={usePreviewOf()}
        files={files}
        {...(internal ? { hint: t('noteHint') } : {})}
      >
        <CannedPicker data={data} onPick={insert} />
        {internal ? (
          <input type="hidden" name="status" value="answered" />
        ) : (
          <Field label={t('then')} name="status" hideLabel>
            <Select
              size="sm"
              defaultValue="answered"
              options={ANSWER_STATUSES.map((value) => ({ value, label: t(`thenStatus.${value}`) }))}
            />
          </Field>
        )}
        <Button type="submit" variant="primary" icon={internal ? 'lock' : 'send'} disabled={isSending || files.isBusy}>
          {t(internal ? 'addNote' : 'send')}
        </Button>
      </Composer>
    </Form>
  );
}

/**
 * Sends an answer or a note, with the line that its writer saw last. Sent again under its key after a lost answer it is
 * the same request, whatever has arrived since: its own line, for one.
 */
function useSendReply({ ticket: { id, messages } }: StaffTicketData) {
  const api = useApi();
  const first = useRef({ key: '', seen: 0 });
  return async (reply: Omit<z.output<typeof ticketReplyInput>, 'seen'>, key: string): Promise<void> => {
    if (first.current.key !== key) first.current = { key, seen: messages };
    try {
      await api?.adminTickets.reply({ params: { id }, body: { ...reply, seen: first.current.seen } }, { key });
    } catch (error) {
      if (!isUnanswered(error)) first.current = { key: '', seen: 0 };
      throw error;
    }
  };
}

/** Says that others of staff have begun an answer. */
function Collision({ names }: { names: readonly string[] }): ReactNode {
  const t = useT('staffTickets');
  if (names.length === 0) return null;
  return (
    <Banner tone="warning" live>
      {names.length === 1 ? t('collision', { name: names[0] ?? '' }) : t('collisionMany', { names: names.join(', ') })}
    </Banner>
  );
}

/** An answer, or a note that only staff read. */
function Kind({ internal, onChange }: { internal: boolean; onChange: (internal: boolean) => void }): ReactNode {
  const t = useT('staffTickets');
  const hydrated = useHydrated();
  return (
    <Segmented
      label={t('kind')}
      name="internal"
      {...(hydrated ? { value: String(internal) } : { defaultValue: String(internal) })}
      onChange={(value) => onChange(value === 'true')}
      options={[
        { value: 'false', label: t('kindReply') },
        { value: 'true', label: t('kindNote') },
      ]}
    />
  );
}
