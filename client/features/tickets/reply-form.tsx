import { useRef } from 'react';
import type { ReactNode } from 'react';
import { idsOf, useDraft } from '#client/lib/draft.ts';
import type { FormFailure } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { usePreviewOf } from '#client/lib/ticket-preview.ts';
import { OWN_FILES } from '#client/lib/ticket-text.ts';
import { useApi } from '#client/lib/use-api.ts';
import { useAttachments } from '#client/lib/use-attachments.ts';
import { useTypingSignal } from '#client/lib/use-writers.ts';
import { useSending } from '#client/lib/use-sending.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Composer } from '#client/ui/composer.tsx';
import { Form } from '#client/ui/form.tsx';
import { TICKET_TEXT_MAX } from '#shared/tickets.ts';

/**
 * The form of a message; without scripts it is sent by the page's action. In: the ticket, and why the action refused
 * it.
 */
export function ReplyForm({ ticketId, failed }: { ticketId: string; failed: FormFailure | undefined }): ReactNode {
  const t = useT('tickets');
  const api = useApi();
  const form = useRef<HTMLFormElement>(null);
  const draft = useDraft(`ticket:${ticketId}`, failed?.values.text);
  const send = async (_values: FormData, key: string): Promise<unknown> =>
    api?.tickets
      .reply({ params: { id: ticketId }, body: { text: draft.text, attachments: idsOf(draft) } }, { key })
      .then(() => signalTyping(''));
  const signalTyping = useTypingSignal(async (typing) =>
    api?.tickets.setTyping({ params: { id: ticketId }, body: { typing } }),
  );
  const files = useAttachments(draft, api && api.tickets.attach, OWN_FILES);
  const { onSubmit, isSending, isUnsent, refused } = useSending(form, draft, api === null ? null : send);
  const shown = useFormProps(refused ?? failed, ['text', 'attachments']);
  return (
    <Form ref={form} {...shown} problem={undefined} noSummary preventScrollReset onSubmit={onSubmit}>
      <FormKey />
      {(isUnsent || shown.problem !== undefined) && (
        <Banner tone="danger" live>
          {isUnsent ? t('notSent') : shown.problem}
        </Banner>
      )}
      <Composer
        label={t('reply')}
        name="text"
        max={TICKET_TEXT_MAX}
        value={draft.text}
        onChange={(text) => {
          draft.setText(text);
          signalTyping(text);
        }}
        previewLabel={t('preview')}
        preview={usePreviewOf()}
        files={files}
      >
        <Button type="submit" variant="primary" icon="send" disabled={isSending || files.isBusy}>
          {t(isUnsent ? 'tryAgain' : 'send')}
        </Button>
      </Composer>
    </Form>
  );
}
