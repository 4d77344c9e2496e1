import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/staff-href.ts';
import { DELIVERY_STATES } from '#shared/webhooks.ts';
import { DeliveriesCard } from './deliveries.tsx';
import { FreshSecret, PluginOff, WebhookStatus } from './parts.tsx';
import { FactsCard, ResendCard, SecretCard, TestButton } from './view-cards.tsx';
import type { WebhookAnswer } from './view-action.ts';

export { action } from './view-action.ts';

/** The endpoint and a page of its deliveries; the address says which (`?state=`, `before=`). */
export async function loader(args: LoaderFunctionArgs) {
  const search = new URL(args.request.url).searchParams;
  const params = { id: args.params.id ?? '' };
  const state = DELIVERY_STATES.find((each) => each === search.get('state'));
  const before = PAST_CURSOR.test(search.get('before') ?? '') ? (search.get('before') ?? '') : '';
  const api = apiOf(args).adminWebhooks;
  const [{ webhook, on }, { rows, older }] = await Promise.all([
    api.get({ params }),
    api.deliveries({
      params,
      query: { ...(state === undefined ? {} : { state }), ...(before === '' ? {} : { before }) },
    }),
  ]);
  return { webhook, on, rows, older, state: state ?? null, isFirst: before === '' };
}
export type WebhookData = Awaited<ReturnType<typeof loader>>;

/** The document's title begins with it. */
export const pageName = ({ webhook }: WebhookData): string => webhook.name;

/** /mc-admin/webhooks/:id (behaviour 8.8) */
export default function WebhookScreen(): ReactNode {
  const t = useT('webhooks');
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<WebhookAnswer | null>();
  const mayEdit = can(useShell().session.permissions, 'admin.plugins.edit');
  useLive(['webhooks']);
  const { webhook } = data;
  const { id, name } = webhook;
  return (
    <Page>
      <PageHead
        title={name}
        badge={<WebhookStatus webhook={webhook} />}
        crumbs={useCrumbs({ 'admin.webhooks.view': name })}
        actions={
          mayEdit ? (
            <>
              {webhook.enabled && data.on && <TestButton />}
              <LinkButton to={href('admin.webhooks.edit', { id })} icon="pencil">
                {t('edit')}
              </LinkButton>
              <LinkButton to={href('admin.webhooks.delete', { id })} variant="ghost" icon="trash">
                {t('delete')}
              </LinkButton>
            </>
          ) : undefined
        }
      />
      <Outcome answer={answer ?? undefined} />
      {!data.on && <PluginOff kind={webhook.kind} />}
      <Standing webhook={webhook} />
      <div className="sp-split">
        <DeliveriesCard data={data} />
        <div className="sp-stack">
          <FactsCard webhook={webhook} />
          {mayEdit && webhook.enabled && data.on && webhook.failed > 0 && <ResendCard />}
          {mayEdit && webhook.kind === 'standard' && <SecretCard webhook={webhook} />}
        </div>
      </div>
    </Page>
  );
}

/** What the last command did, or why it did not. */
function Outcome({ answer }: { answer: WebhookAnswer | undefined }): ReactNode {
  const t = useT('webhooks');
  const errorText = useErrorText();
  if (answer === undefined) return null;
  if (!answer.ok)
    return (
      <Banner tone="danger" live>
        {errorText.code(answer.code)}
      </Banner>
    );
  const { result } = answer;
  if (result.done === 'rotate') return <FreshSecret secret={result.secret} text={t('rotated')} />;
  return (
    <Banner tone="positive" live>
      {result.done === 'test' ? t('tested') : t('resent', { count: result.count })}
    </Banner>
  );
}

/** Why it is off, or since when nothing arrives. */
function Standing({
  webhook: { kind, enabled, disabled_cause: cause, failing_since: since },
}: Pick<WebhookData, 'webhook'>) {
  const t = useT('webhooks');
  const format = useFormat();
  if (!enabled && cause !== null && cause !== 'staff')
    return (
      <Banner tone="danger">
        {t(kind === 'discord' && cause === 'gone' ? 'disabled.goneDiscord' : `disabled.${cause}`)}
      </Banner>
    );
  if (enabled && since !== null)
    return <Banner tone="warning">{t('failingSince', { date: format.dateTime(since) })}</Banner>;
  return null;
}
