import type { ReactNode } from 'react';
import { useLoaderData, useSearchParams } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { webhookInput } from '#shared/schemas/webhook.ts';
import { WebhookForm } from './form.tsx';
import { FreshSecret } from './parts.tsx';

/** What an endpoint may hear of. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminWebhooks.options();
}

type Answer = FormResult<{ readonly id: string; readonly secret: string }>;

/** Makes the endpoint. Its secret is in the answer, this once. */
export async function action(args: ActionFunctionArgs): Promise<Answer | Response> {
  return submitForm(args.request, webhookInput, async (body) => {
    const { id, secret } = await apiOf(args).adminWebhooks.create({ body });
    return { id, secret };
  });
}

/** /mc-admin/webhooks/create (behaviour 8.8) */
export default function WebhookCreateScreen(): ReactNode {
  const t = useT('webhooks');
  const { names } = useLoaderData<typeof loader>();
  const answer = useActionAnswer<Answer>();
  const listed = can(useShell().session.permissions, 'admin.plugins.list');
  const kind = useSearchParams()[0].get('kind') === 'discord' ? 'discord' : 'standard';
  const isDiscord = kind === 'discord';
  const made = answer?.ok === true ? answer.result : null;
  return (
    <Page>
      <PageHead
        title={t(isDiscord ? 'createDiscord' : 'create')}
        text={t(isDiscord ? 'createDiscordText' : 'createText')}
        crumbs={useCrumbs(isDiscord ? { 'admin.webhooks.create': t('createDiscord') } : {})}
      />
      {made ? (
        <>
          {made.secret === '' ? (
            <Banner tone="positive" live>
              {t('discordCreated')} {t('discordReady')}
            </Banner>
          ) : (
            <FreshSecret secret={made.secret} text={t('created')} />
          )}
          {listed && (
            <div className="sp-btn-row">
              <LinkButton to={href('admin.webhooks.view', { id: made.id })} variant="primary" iconEnd="arrow-right">
                {t('toWebhook')}
              </LinkButton>
            </div>
          )}
        </>
      ) : (
        <WebhookForm
          webhook={{ kind, name: '', url: '', events: [], ordered: false, enabled: true }}
          names={names}
          answer={answer}
          back={listed ? href('admin.webhooks.list') : href('dashboard')}
        />
      )}
    </Page>
  );
}
