import '#client/ui/icons-app.ts';
import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Card } from '#client/ui/card.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/href.ts';
import { AnnouncementGrid } from './card.tsx';

/** What is announced to everybody; the address says where a page begins (`?before=`). */
export async function loader(args: LoaderFunctionArgs) {
  const before = new URL(args.request.url).searchParams.get('before') ?? '';
  const isFirst = !PAST_CURSOR.test(before);
  return { ...(await apiOf(args).news.list({ query: isFirst ? {} : { before } })), isFirst };
}

/** /news (behaviour 7.4): for visitors without an account, where the host wants that */
export default function NewsScreen(): ReactNode {
  const t = useT('announcements');
  const { settings } = useShell();
  const { rows, older, isFirst } = useLoaderData<typeof loader>();
  return (
    <Page>
      {/* Hoisted into the head: how readers of feeds find it. */}
      <link rel="alternate" type="application/atom+xml" href="/api/news/feed.atom" />
      <PageHead
        title={t('title')}
        text={t('text', { name: String(settings.app_name ?? '') })}
        actions={
          // A document of its own, and not a page of ours.
          <a className="sp-btn" data-variant="ghost" href="/api/news/feed.atom" type="application/atom+xml">
            {t('feed')}
          </a>
        }
      />
      {rows.length === 0 ? (
        <Card>
          <EmptyState as="h2" art="megaphone" title={t('empty')} text={t('emptyText')} />
        </Card>
      ) : (
        <AnnouncementGrid announcements={rows} toOf={(id) => href('news.view', { id })} />
      )}
      <CursorPager
        words="time"
        first={isFirst ? null : href('news.list')}
        previous={null}
        next={older === null ? null : `${href('news.list')}?before=${older}`}
      />
    </Page>
  );
}
