import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormFailure } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { runAndLeave } from '#client/resource/leave-form.ts';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { href } from '#shared/routes/staff-href.ts';
import { DeleteCard } from '../parts/delete-card.tsx';

/** What would be deleted. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminOwnMails.dependants({ params: { id: args.params.id ?? '' } });
}

/** Deletes the mail. */
export function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  return runAndLeave(args.request, `${href('admin.mailTemplates.list')}?done=delete`, () =>
    apiOf(args).adminOwnMails.remove({ params: { id: args.params.id ?? '' } }),
  );
}

/** The document's title begins with it. */
export const pageName = ({ name }: Awaited<ReturnType<typeof loader>>): string => name;

/** /mc-admin/mail-templates/own/:id/delete (behaviour 8.5) */
export default function OwnMailDeleteScreen(): ReactNode {
  const t = useT('staffMails');
  const { name, campaigns } = useLoaderData<typeof loader>();
  return (
    <Page narrow>
      <PageHead title={t('ownDeleteTitle', { name })} crumbs={useCrumbs({ 'admin.ownMails.delete': name })} />
      <DeleteCard
        title={t('ownDeleteSure')}
        text={t('ownDeleteText', { count: campaigns })}
        list={href('admin.mailTemplates.list')}
        right="admin.mail.templates.list"
        sure={t('ownDelete')}
        back={t('back')}
      />
    </Page>
  );
}
