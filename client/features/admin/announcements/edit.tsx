import { useState } from 'react';
import type { ReactNode } from 'react';
import { useLoaderData, useSearchParams } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { lazyAction } from '#client/lib/lazy-action.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { useApi } from '#client/lib/use-api.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { toasts } from '#client/ui/toasts.ts';
import { can } from '#shared/can.ts';
import { ApiError } from '#shared/contract/client.ts';
import { href } from '#shared/routes/staff-href.ts';
import { AnnouncementForm } from './form.tsx';
import { History } from './history.tsx';
import { ANNOUNCEMENT_SHAPES } from './state.ts';

/** The announcement as it is written, and its history. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminAnnouncements.get({ params: { id: args.params.id ?? '' } });
}
type Data = Awaited<ReturnType<typeof loader>>;
type Answer = FormResult<{ readonly revision: number }>;

export const action = lazyAction(() => import('./edit-action.ts'));

/** The document's title begins with it. */
export const pageName = ({ title }: Data): string => title;

/** /mc-admin/announcements/:id/edit (behaviour 7.4) */
export default function AnnouncementEditScreen(): ReactNode {
  const t = useT('staffAnnouncements');
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<Answer>();
  const [search] = useSearchParams();
  const { permissions } = useShell().session;
  const { id, title, state, texts, roles, locations, revision } = data;
  const isSaved = answer?.ok === true || (answer === undefined && search.get('done') === 'create');
  return (
    <Page>
      <PageHead
        title={title}
        badge={<Status shape={ANNOUNCEMENT_SHAPES[state]}>{t(`state.${state}`)}</Status>}
        text={<Standing data={data} />}
        crumbs={useCrumbs({ 'admin.announcements.edit': title })}
        actions={
          <>
            {state === 'published' && (
              <LinkButton to={href('announcement.view', { id })} variant="ghost" icon="eye">
                {t('open')}
              </LinkButton>
            )}
            <SendPreview id={id} />
            {can(permissions, 'admin.announcements.delete') && (
              <LinkButton to={href('admin.announcements.delete', { id })} variant="ghost" icon="trash">
                {t('delete')}
              </LinkButton>
            )}
          </>
        }
      />
      {isSaved && (
        <Banner tone="positive" live>
          {t('saved')}
        </Banner>
      )}
      <AnnouncementForm
        key={revision}
        texts={texts}
        facts={data}
        targets={{ roles, locations }}
        revision={revision}
        answer={answer}
      />
      <History revisions={data.revisions} current={revision} />
    </Page>
  );
}

/** When it is shown, and how many have read it. */
function Standing({ data: { state, publish_at: at, end_at: end, seen } }: { data: Data }): ReactNode {
  const t = useT('staffAnnouncements');
  const format = useFormat();
  switch (state) {
    case 'draft':
      return t('standing.draft');
    case 'scheduled':
      return t('standing.scheduled', { date: format.dateTime(at ?? '') });
    case 'published':
      return t('standing.published', { date: format.dateTime(at ?? ''), count: seen });
    case 'ended':
      return t('standing.ended', { date: format.dateTime(end ?? ''), count: seen });
  }
}

/** Has the visitor be notified as the audience would be, of what is saved. */
function SendPreview({ id }: { id: string }): ReactNode {
  const t = useT('staffAnnouncements');
  const api = useApi();
  const errorText = useErrorText();
  const [isBusy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    if (!api) return;
    setBusy(true);
    try {
      await api.adminAnnouncements.sendPreview({ params: { id } });
      toasts.show({ tone: 'positive', title: t('previewSent'), text: t('previewSentText') });
    } catch (error) {
      toasts.show({ tone: 'danger', title: errorText.code(error instanceof ApiError ? error.code : 'SERVER_ERROR') });
    }
    setBusy(false);
  };
  return (
    <Button variant="ghost" icon="bell" busy={isBusy} onClick={() => void send()}>
      {t('previewSend')}
    </Button>
  );
}
