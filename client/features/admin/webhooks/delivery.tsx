import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import type { Crumb } from '#client/ui/breadcrumb.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, CardSection, Facts } from '#client/ui/card.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Form } from '#client/ui/form.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { DeliveryStatus } from './parts.tsx';

/** A delivery with what was sent and answered. */
export function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminWebhooks.delivery({ params: { id: args.params.id ?? '' } });
}
type Data = Awaited<ReturnType<typeof loader>>;
type Answer = FormResult<null>;

/** Sends it once more. */
export async function action(args: ActionFunctionArgs): Promise<Answer> {
  const form = await args.request.formData();
  try {
    await apiOf(args).adminWebhooks.resend({ params: { id: args.params.id ?? '' } });
    return { ok: true, result: null, at: String(Date.now()) };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** The document's title begins with it. */
export const pageName = ({ delivery }: Data): string => delivery.event;

/** /mc-admin/webhook-deliveries/:id (behaviour 8.8) */
export default function DeliveryScreen(): ReactNode {
  const t = useT('webhooks');
  const errorText = useErrorText();
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<Answer>();
  const mayEdit = can(useShell().session.permissions, 'admin.plugins.edit');
  useLive(['webhooks']);
  const { delivery, webhook } = data;
  return (
    <Page>
      <PageHead
        title={delivery.event}
        badge={<DeliveryStatus delivery={delivery} />}
        crumbs={useDeliveryCrumbs(data)}
        actions={
          mayEdit && webhook.enabled && delivery.state !== 'waiting' ? (
            <Form noSummary preventScrollReset>
              <Button type="submit" icon="refresh">
                {t('resend')}
              </Button>
            </Form>
          ) : undefined
        }
      />
      {answer && (
        <Banner tone={answer.ok ? 'positive' : 'danger'} live>
          {answer.ok ? t('resentOne') : errorText.code(answer.code)}
        </Banner>
      )}
      <div className="sp-split">
        <div className="sp-stack">
          <RequestCard data={data} />
          <AttemptsCard data={data} />
        </div>
        <AboutCard data={data} />
      </div>
    </Page>
  );
}

/** The way here leads by the endpoint, which the address does not have. */
function useDeliveryCrumbs({ delivery, webhook }: Data): readonly Crumb[] {
  const t = useT('webhooks');
  const crumbs = useCrumbs({ 'admin.webhooks.delivery': delivery.event });
  return [
    ...crumbs.slice(0, -1),
    { label: t('list'), to: href('admin.webhooks.list') },
    { label: webhook.name, to: href('admin.webhooks.view', { id: webhook.id }) },
    ...crumbs.slice(-1),
  ];
}

function AboutCard({ data: { delivery, webhook } }: { data: Data }): ReactNode {
  const t = useT('webhooks');
  const format = useFormat();
  return (
    <Card title={t('about')}>
      <Facts
        items={[
          {
            label: t('webhook'),
            value: <TextLink to={href('admin.webhooks.view', { id: webhook.id })}>{webhook.name}</TextLink>,
          },
          { label: t('happened'), value: format.dateTime(delivery.created_at) },
          { label: t('tries'), value: format.number(delivery.tries) },
          ...(delivery.next_at === null ? [] : [{ label: t('next'), value: format.dateTime(delivery.next_at) }]),
          ...(delivery.done_at === null ? [] : [{ label: t('done'), value: format.dateTime(delivery.done_at) }]),
          ...(delivery.state === 'failed' && delivery.fault !== null
            ? [{ label: t('why'), value: t(`fault.${delivery.fault}`) }]
            : []),
        ]}
      />
    </Card>
  );
}

/** A request as programs write it, its body in lines. */
function requestText({ kind, url }: Data['webhook'], eventId: string, body: string): string {
  // A channel of Discord gets a message made of it.
  if (kind === 'discord') return JSON.stringify(JSON.parse(body), null, 2);
  const lines = [`POST ${url}`, `webhook-id: ${eventId}`, 'content-type: application/json', ''];
  return [...lines, JSON.stringify(JSON.parse(body), null, 2)].join('\n');
}

/** What is sent each time. */
function RequestCard({ data: { webhook, event_id: eventId, body } }: { data: Data }): ReactNode {
  const t = useT('webhooks');
  return (
    <Card
      title={t(webhook.kind === 'discord' ? 'event' : 'request')}
      text={webhook.kind === 'discord' ? undefined : t('requestText')}
    >
      <CardSection>
        <pre className="sp-hooks__pre">{requestText(webhook, eventId, body)}</pre>
      </CardSection>
    </Card>
  );
}

/** Each attempt with its answer, the newest first. */
function AttemptsCard({ data: { attempts } }: { data: Data }): ReactNode {
  const t = useT('webhooks');
  const format = useFormat();
  if (attempts.length === 0)
    return (
      <Card title={t('attempts')}>
        <EmptyState art="link" as="h3" title={t('noAttempts')} text={t('noAttemptsText')} />
      </Card>
    );
  return (
    <Card title={t('attempts')}>
      <ol className="sp-hooks__attempts" reversed>
        {attempts.toReversed().map(({ number, at, took_ms: tookMs, fault, status, answer }) => (
          <li key={number}>
            <p>
              <b>{fault === null ? t('delivery.delivered') : t(`fault.${fault}`)}</b>{' '}
              {status !== null && <code>{t('http', { status })}</code>}
            </p>
            <p className="sp-meta">
              <time dateTime={at}>{format.dateTime(at)}</time> · {t('took', { ms: format.number(tookMs) })}
            </p>
            {answer !== '' && <pre className="sp-hooks__pre">{answer}</pre>}
          </li>
        ))}
      </ol>
    </Card>
  );
}
