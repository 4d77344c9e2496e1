import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { lazyAction } from '#client/lib/lazy-action.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import { AnnouncementForm } from './form.tsx';

/** What it may be for. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminAnnouncements.options();
}

export const action = lazyAction(() => import('./create-action.ts'));

/** /mc-admin/announcements/create (behaviour 7.4) */
export default function AnnouncementCreateScreen(): ReactNode {
  const t = useT('staffAnnouncements');
  const targets = useLoaderData<typeof loader>();
  const answer = useActionAnswer<FormResult<never>>();
  const { permissions } = useShell().session;
  const next = can(permissions, 'admin.announcements.edit')
    ? 'edit'
    : can(permissions, 'admin.announcements.list')
      ? 'list'
      : 'dashboard';
  return (
    <Page>
      <PageHead title={t('create')} text={t('createText')} crumbs={useCrumbs()} />
      <AnnouncementForm
        texts={[]}
        facts={{
          state: 'draft',
          tags: [],
          picture: '',
          audience: 'everyone',
          targets: [],
          pinned: false,
          urgent: false,
          notifies: true,
          mails: true,
          pushes: true,
          publish_at: null,
          end_at: null,
        }}
        targets={targets}
        answer={answer}
      >
        <input type="hidden" name="_next" value={next} />
      </AnnouncementForm>
    </Page>
  );
}
