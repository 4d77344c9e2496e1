import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';

/** What would be deleted. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminOwnMails.dependants({ params: { id: args.params.id ?? '' } });
}

/** Deletes the mail. */
export async function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  const form = await args.request.formData();
  try {
    await apiOf(args).adminOwnMails.remove({ params: { id: args.params.id ?? '' } });
    return redirect(form.get('_stay') === null ? `${href('admin.mailTemplates.list')}?done=delete` : href('dashboard'));
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** The document's title begins with it. */
export const pageName = ({ name }: Awaited<ReturnType<typeof loader>>): string => name;

/** /mc-admin/mail-templates/own/:id/delete (behaviour 8.5) */
export default function OwnMailDeleteScreen(): ReactNode {
  const t = useT('staffMails');
  const { name, campaigns } = useLoaderData<typeof loader>();
  const answer = useFormProps(useActionData<FormFailure>());
  const listed = can(useShell().session.permissions, 'admin.mail.templates.list');
  return (
    <Page narrow>
      <PageHead title={t('ownDeleteTitle', { name })} crumbs={useCrumbs({ 'admin.ownMails.delete': name })} />
      <Card tone="danger" title={t('ownDeleteSure')} text={t('ownDeleteText', { count: campaigns })}>
        <Form {...answer}>
          {!listed && <input type="hidden" name="_stay" value="1" />}
          <div className="sp-btn-row">
            <Button type="submit" variant="danger" icon="trash">
              {t('ownDelete')}
            </Button>
            <LinkButton to={listed ? href('admin.mailTemplates.list') : href('dashboard')} variant="ghost">
              {t('back')}
            </LinkButton>
          </div>
        </Form>
      </Card>
    </Page>
  );
}
