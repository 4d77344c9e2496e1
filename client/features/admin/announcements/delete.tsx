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
  return apiOf(args).adminAnnouncements.dependants({ params: { id: args.params.id ?? '' } });
}

/** Deletes the announcement. */
export function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  return runAndLeave(args.request, `${href('admin.announcements.list')}?done=delete`, () =>
    apiOf(args).adminAnnouncements.remove({ params: { id: args.params.id ?? '' } }),
  );
}

/** The document's title begins with it. */
export const pageName = ({ title }: Awaited<ReturnType<typeof loader>>): string => title;

/** /mc-admin/announcements/:id/delete (behaviour 7.4) */
export default function AnnouncementDeleteScreen(): ReactNode {
  const t = useT('staffAnnouncements');
  const { title, seen } = useLoaderData<typeof loader>();
  return (
    <Page narrow>
      <PageHead title={t('deleteTitle', { title })} crumbs={useCrumbs({ 'admin.announcements.delete': title })} />
      <DeleteCard
        title={t('deleteSure')}
        text={t('deleteText', { count: seen })}
        list={href('admin.announcements.list')}
        right="admin.announcements.list"
        sure={t('delete')}
        back={t('back')}
      />
    </Page>
  );
}
