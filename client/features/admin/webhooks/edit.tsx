import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { webhookInput } from '#shared/schemas/webhook.ts';
import { WebhookForm } from './form.tsx';
import { FreshSecret, WebhookStatus } from './parts.tsx';

/** The endpoint as it is, and what it may hear of. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminWebhooks.edit({ params: { id: args.params.id ?? '' } });
}
type Data = Awaited<ReturnType<typeof loader>>;
type Answer = FormResult<{ readonly secret: string | null }>;

/** Changes the endpoint; at another origin it has a new secret, which is in the answer this once. */
export async function action(args: ActionFunctionArgs): Promise<Answer | Response> {
  const id = args.params.id ?? '';
  return submitForm(args.request, webhookInput, async (webhook, _key, form) => {
    const revision = Number(form.get('_revision'));
    const { secret } = await apiOf(args).adminWebhooks.save({ params: { id }, body: { webhook, revision } });
    return { secret };
  });
}

/** The document's title begins with it. */
export const pageName = ({ webhook }: Data): string => webhook.name;

/** /mc-admin/webhooks/:id/edit (behaviour 8.8) */
export default function WebhookEditScreen(): ReactNode {
  const t = useT('webhooks');
  const { webhook, names } = useLoaderData<typeof loader>();
  const answer = useActionAnswer<Answer>();
  const { id, name } = webhook;
  const listed = can(useShell().session.permissions, 'admin.plugins.list');
  const view = listed ? href('admin.webhooks.view', { id }) : href('dashboard');
  const secret = answer?.ok === true ? answer.result.secret : null;
  return (
    <Page>
      <PageHead
        title={name}
        badge={<WebhookStatus webhook={webhook} />}
        crumbs={useCrumbs({ 'admin.webhooks.view': name })}
      />
      {secret !== null && <FreshSecret secret={secret} text={t('moved')} />}
      {answer?.ok === true && secret === null && (
        <Banner tone="positive" live>
          {t('saved')}
        </Banner>
      )}
      <WebhookForm key={webhook.revision} webhook={webhook} names={names} answer={answer} back={view}>
        <input type="hidden" name="_revision" value={webhook.revision} />
      </WebhookForm>
    </Page>
  );
}
