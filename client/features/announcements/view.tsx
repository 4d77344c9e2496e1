import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useT } from '#client/lib/i18n.tsx';
import { lazyAction } from '#client/lib/lazy-action.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { useApi } from '#client/lib/use-api.ts';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { href } from '#shared/routes/href.ts';
import { Article, useByline } from './article.tsx';
import { Reactions } from './reactions.tsx';

/** An announcement with its text and its reactions. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).announcements.get({ params: { id: args.params.id ?? '' } });
}
type Data = Awaited<ReturnType<typeof loader>>;

export const action = lazyAction(() => import('./react-action.ts'));

/** The document's title begins with it. */
export const pageName = ({ title }: Data): string => title;

/** /announcements/:id (behaviour 7.4) */
export default function AnnouncementScreen(): ReactNode {
  const data = useLoaderData<typeof loader>();
  const crumbs = useCrumbs({ 'announcement.view': data.title });
  useReadMark(data.id);
  return (
    <Page narrow>
      <PageHead title={data.title} text={useByline(data)} crumbs={crumbs} />
      <Article announcement={data}>
        <Reactions given={data.reactions} />
        <Share id={data.id} />
      </Article>
    </Page>
  );
}

/** The address for those without an account, where the host lets them read. */
function Share({ id }: { id: string }): ReactNode {
  const t = useT('announcements');
  const { settings } = useShell();
  if (settings.announcements_public !== true) return null;
  const base = String(settings.app_url ?? '').replace(/\/$/, '');
  return <CopyButton text={`${base}${href('news.view', { id })}`} what={t('address')} />;
}

/** Notes that it was read. */
function useReadMark(id: string): void {
  const api = useApi();
  const { viewing } = useShell().session;
  // The page was opened: what it says has been seen. Who only views as somebody leaves no mark.
  useEffect(() => {
    if (viewing === undefined) api?.announcements.markRead({ params: { id } }).catch(() => undefined);
  }, [api, id, viewing]);
}
