import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormFailure } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { runAndLeave } from '#client/resource/leave-form.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';

/** What would be deleted. */
export function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminWebhooks.edit({ params: { id: args.params.id ?? '' } });
}

/** Deletes the endpoint. */
export function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  return runAndLeave(args.request, `${href('admin.webhooks.list')}?done=delete`, () =>
    apiOf(args).adminWebhooks.remove({ params: { id: args.params.id ?? '' } }),
  );
}

/** The document's title begins with it. */
export const pageName = ({ webhook }: Awaited<ReturnType<typeof loader>>): string => webhook.name;

/** /mc-admin/webhooks/:id/delete (behaviour 8.8) */
export default function WebhookDeleteScreen(): ReactNode {
  const t = useT('webhooks');
  const { webhook } = useLoaderData<typeof loader>();
  const { id, name } = webhook;
  const listed = can(useShell().session.permissions, 'admin.plugins.list');
  return (
    <Page narrow>
      <PageHead title={t('deleteTitle', { name })} crumbs={useCrumbs({ 'admin.webhooks.view': name })} />
      <Card tone="danger" title={t('deleteSure')} text={t('deleteText')}>
        <Form {...useFormProps(useActionData<FormFailure>())}>
          {!listed && <input type="hidden" name="_stay" value="1" />}
          <div className="sp-btn-row">
            <Button type="submit" variant="danger" icon="trash">
              {t('delete')}
            </Button>
            <LinkButton to={listed ? href('admin.webhooks.view', { id }) : href('dashboard')} variant="ghost">
              {t('back')}
            </LinkButton>
          </div>
        </Form>
      </Card>
    </Page>
  );
}
