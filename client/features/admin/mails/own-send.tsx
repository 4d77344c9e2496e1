import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useRefresh } from '#client/lib/use-refresh.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Select } from '#client/ui/select.tsx';
import { Status } from '#client/ui/status.tsx';
import { LOCALE_INFO, LOCALES } from '#shared/i18n/locales.ts';
import { AUDIENCE_SEEN, type AudienceSeen } from '#shared/mails.ts';

/** The mail, to whom it can be sent, and what was sent of it. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminOwnMails.campaigns({ params: { id: args.params.id ?? '' } });
}
type Data = Awaited<ReturnType<typeof loader>>;
type Campaign = Data['campaigns'][number];

const SEEN = Object.keys(AUDIENCE_SEEN) as AudienceSeen[];
const SHAPES = { sending: 'installing', done: 'active', cancelled: 'off' } as const;
/** How often the progress is read while a campaign is under way. */
const REFRESH_MS = 3000;

type Answer =
  | { readonly kind: 'counted'; readonly count: number; readonly audience: Readonly<Record<string, string>> }
  | { readonly kind: 'sent' | 'cancelled'; readonly ok: true; readonly at: string }
  | ({ readonly kind: 'failed' } & FormFailure);

/** Counts the users of an audience, sends the mail to them once they were counted, or stops sending. */
export async function action(args: ActionFunctionArgs): Promise<Answer> {
  const form = await args.request.formData();
  const api = apiOf(args).adminOwnMails;
  const params = { id: args.params.id ?? '' };
  const at = String(form.get('_key') ?? '');
  const key = at === '' ? {} : { key: at };
  const text = (name: string): string => String(form.get(name) ?? '');
  const locale = LOCALES.find((each) => each === text('locale'));
  const seen = SEEN.find((each) => each === text('seen'));
  const audience = {
    ...(text('role') === '' ? {} : { role: text('role') }),
    ...(locale ? { locale } : {}),
    ...(seen ? { seen } : {}),
  };
  try {
    if (text('_intent') === 'cancel') {
      await api.cancel({ params: { id: text('campaign') } }, key);
      return { kind: 'cancelled', ok: true, at };
    }
    if (text('_intent') === 'send') {
      await api.send({ params, body: { ...audience, revision: Number(form.get('_revision')) } }, key);
      return { kind: 'sent', ok: true, at };
    }
    const { count } = await api.count({ params, body: audience });
    return { kind: 'counted', count, audience };
  } catch (error) {
    return { kind: 'failed', ...toFormFailure(error, form) };
  }
}

/** The document's title begins with it. */
export const pageName = ({ name }: Data): string => name;

/** /mc-admin/mail-templates/own/:id/send (behaviour 8.5) */
export default function OwnMailSendScreen(): ReactNode {
  const t = useT('staffMails');
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<Answer>();
  const isSending = data.campaigns.some(({ state }) => state === 'sending');
  useRefresh(REFRESH_MS, isSending);
  return (
    <Page>
      <PageHead
        title={t('ownSendTitle', { name: data.name })}
        text={t('ownSendText')}
        crumbs={useCrumbs({ 'admin.ownMails.send': data.name })}
      />
      {!data.sends_mail && <Banner tone="warning">{t('noServer')}</Banner>}
      {data.locales.length === 0 && <Banner tone="warning">{t('ownEmpty')}</Banner>}
      {(answer?.kind === 'sent' || answer?.kind === 'cancelled') && (
        <Banner tone="positive" live>
          {t(answer.kind === 'sent' ? 'ownSent' : 'ownStopped')}
        </Banner>
      )}
      {data.sends_mail && data.locales.length > 0 && !isSending && <AudienceForm data={data} answer={answer} />}
      <Card title={t('campaigns')} flush>
        <DataTable
          phone="lines"
          caption={t('campaigns')}
          columns={useColumns()}
          rows={data.campaigns}
          rowKey={({ id }) => id}
          rowName={({ created_at: at }) => at}
          state={<EmptyState art="send" title={t('noCampaigns')} text={t('noCampaignsText')} />}
        />
      </Card>
    </Page>
  );
}

/** Whom it is sent to: counted first, then sent. */
function AudienceForm({ data, answer }: { data: Data; answer: Answer | undefined }): ReactNode {
  const t = useT('staffMails');
  const counted = answer?.kind === 'counted' ? answer : undefined;
  const shown = useFormProps(answer?.kind === 'failed' ? answer : undefined);
  return (
    <Form {...shown} values={counted ? counted.audience : shown.values}>
      <Card
        title={t('audience')}
        text={t('audienceText')}
        foot={
          <>
            <Button type="submit" name="_intent" value="count" variant={counted ? 'ghost' : 'primary'}>
              {t('countUsers')}
            </Button>
            {counted && counted.count > 0 && (
              <Button type="submit" name="_intent" value="send" variant="primary" icon="send">
                {t('sendTo', { count: counted.count })}
              </Button>
            )}
          </>
        }
      >
        <FormKey />
        <input type="hidden" name="_revision" value={data.revision} />
        <Field label={t('audienceRole')} name="role">
          <Select
            placeholder={t('everyRole')}
            options={data.roles.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Field>
        <Field label={t('language')} name="locale" hint={t('audienceLanguageHint')}>
          <Select
            placeholder={t('allLanguages')}
            options={LOCALES.map((value) => ({ value, label: LOCALE_INFO[value].name }))}
          />
        </Field>
        <Field label={t('audienceSeen')} name="seen">
          <Select
            placeholder={t('everyTime')}
            options={SEEN.map((value) => ({ value, label: t('seenWithin', { count: AUDIENCE_SEEN[value] }) }))}
          />
        </Field>
        {counted && (
          <Banner tone={counted.count > 0 ? 'info' : 'warning'} live>
            {t('counted', { count: counted.count })}
          </Banner>
        )}
      </Card>
    </Form>
  );
}

function useColumns(): readonly Column<Campaign>[] {
  const t = useT('staffMails');
  const format = useFormat();
  return [
    {
      key: 'at',
      label: t('columnBegun'),
      title: true,
      cell: ({ created_at: at, created_by: by }) => (
        <span className="sp-mailrow">
          <time dateTime={at}>{format.dateTime(at)}</time>
          <small>{by ?? t('someone')}</small>
        </span>
      ),
    },
    {
      key: 'state',
      label: t('columnState'),
      cell: ({ state }) => <Status shape={SHAPES[state]}>{t(`campaign.${state}`)}</Status>,
    },
    {
      key: 'written',
      label: t('columnProgress'),
      cell: ({ written, total }) =>
        t('progress', { written: format.number(written), total: format.number(Math.max(written, total)) }),
    },
    {
      key: 'stop',
      label: t('stop'),
      align: 'end',
      cell: ({ id, state }) =>
        state === 'sending' ? (
          <Form noSummary>
            <input type="hidden" name="campaign" value={id} />
            <Button type="submit" name="_intent" value="cancel" size="sm" variant="danger-quiet" icon="x">
              {t('stop')}
            </Button>
          </Form>
        ) : null,
    },
  ];
}
