import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card, Facts, type Fact } from '#client/ui/card.tsx';
import { ConfirmButton } from '#client/ui/confirm-button.tsx';
import { Form } from '#client/ui/form.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import type { OutboxRow } from '#shared/contract/mails.ts';
import { LOCALE_INFO, toLocale } from '#shared/i18n/locales.ts';
import { MailPreview } from './frame.tsx';
import { hiddenTextOf, MAIL_SHAPES, useTemplateName } from './parts.tsx';

/** One mail. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminMails.get({ params: { id: args.params.id ?? '' } });
}
type Data = Awaited<ReturnType<typeof loader>>;
type Intent = 'resend' | 'cancel';

/** Sends the mail again, or takes it back; nothing without the visitor's yes. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<Intent> | null> {
  const form = await args.request.formData();
  const key = String(form.get('_key') ?? '');
  const intent: Intent = form.get('intent') === 'cancel' ? 'cancel' : 'resend';
  if (form.get('sure') !== 'on') return null;
  try {
    await apiOf(args).adminMails[intent]({ params: { id: args.params.id ?? '' } }, key === '' ? {} : { key });
    return { ok: true, result: intent, at: key };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** The document's title begins with it. */
export const pageName = ({ mail }: Data): string | null => mail.subject;

/** /mc-admin/mails/:id (behaviour 8.5) */
export default function MailScreen(): ReactNode {
  const t = useT('staffMails');
  const errorText = useErrorText();
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<FormResult<Intent> | null>();
  const { mail, preview } = data;
  const title = mail.subject ?? t(hiddenTextOf(mail.template));
  const mayEdit = can(useShell().session.permissions, 'admin.mails.edit');
  const hasLostLinks = data.sends_mail && ['failed', 'unknown', 'cancelled'].includes(mail.state) && !mail.can_resend;
  return (
    <Page>
      <PageHead
        title={title}
        badge={<Status shape={MAIL_SHAPES[mail.state]}>{t(`state.${mail.state}`)}</Status>}
        crumbs={useCrumbs({ 'admin.mails.view': title })}
      />
      {answer?.ok === true && (
        <Banner tone="positive" live>
          {t(answer.result === 'cancel' ? 'cancelled' : 'resent')}
        </Banner>
      )}
      {answer?.ok === false && (
        <Banner tone="danger" live>
          {errorText.code(answer.code)}
        </Banner>
      )}
      <div className="sp-split">
        {preview === null ? (
          <Card title={t('textTitle')} text={t('textText')}>
            <p className="sp-mailtext">{t(hiddenTextOf(mail.template))}</p>
          </Card>
        ) : (
          <MailPreview preview={preview} title={t('textTitle')} text={t('textText')} first="desktop" />
        )}
        <Card
          title={t('factsTitle')}
          text={t(`explain.${mail.state}`)}
          foot={mayEdit && (mail.can_cancel || mail.can_resend) ? <Commands mail={mail} /> : undefined}
        >
          <Facts items={useFacts(data)} />
          {mayEdit && hasLostLinks && <p className="sp-muted">{t('linkGone')}</p>}
        </Card>
      </div>
    </Page>
  );
}

function Commands({ mail }: { mail: OutboxRow }): ReactNode {
  const t = useT('staffMails');
  const { address } = mail;
  return (
    <>
      {mail.can_cancel && (
        <Form noSummary>
          <FormKey />
          <input type="hidden" name="intent" value="cancel" />
          <ConfirmButton
            variant="danger-quiet"
            icon="x"
            sure={t('cancelTitle')}
            ask={{
              title: t('cancelTitle'),
              text: t('cancelText', { address }),
              ok: t('cancel'),
              tone: 'danger',
            }}
          >
            {t('cancel')}
          </ConfirmButton>
        </Form>
      )}
      {mail.can_resend && (
        <Form noSummary>
          <FormKey />
          <input type="hidden" name="intent" value="resend" />
          <ConfirmButton
            variant="primary"
            icon="send"
            sure={t('resendTitle')}
            ask={{
              title: t('resendTitle'),
              text: mail.state === 'unknown' ? t('resendUnknown') : t('resendText', { address }),
              ok: t('resend'),
            }}
          >
            {t('resend')}
          </ConfirmButton>
        </Form>
      )}
    </>
  );
}

function useFacts({ mail, message_id: messageId }: Data): readonly Fact[] {
  const t = useT('staffMails');
  const format = useFormat();
  const nameOf = useTemplateName();
  const moment = (at: string) => <time dateTime={at}>{format.dateTime(at)}</time>;
  return [
    { label: t('to'), value: mail.address },
    { label: t('user'), value: mail.username ?? t('noUser') },
    { label: t('template'), value: nameOf(mail.template) },
    { label: t('language'), value: LOCALE_INFO[toLocale(mail.locale)].name },
    { label: t('written'), value: moment(mail.created_at) },
    ...(mail.tried_at === null || mail.sent_at !== null ? [] : [{ label: t('tried'), value: moment(mail.tried_at) }]),
    ...(mail.sent_at === null ? [] : [{ label: t('sentAt'), value: moment(mail.sent_at) }]),
    { label: t('attemptsLabel'), value: format.number(mail.attempts) },
    ...(mail.error === null
      ? []
      : [{ label: t('serverSaid'), value: <span className="sp-mailrow__words">{mail.error}</span> }]),
    { label: t('messageId'), value: <code className="sp-mailrow__words">{messageId}</code> },
  ];
}
