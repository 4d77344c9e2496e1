import '#client/ui/icons-app.ts';
import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { PageCard } from '#client/lib/page-card.ts';
import { useT } from '#client/lib/i18n.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { href } from '#shared/routes/href.ts';
import { Article, useByline } from './article.tsx';

/** What is announced to everybody. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).news.get({ params: { id: args.params.id ?? '' } });
}
type Data = Awaited<ReturnType<typeof loader>>;

/** The document's title begins with it. */
export const pageName = ({ title }: Data): string => title;

/** What other services show of a link to it. */
export const pageCard = ({ title, summary, site, picture_url: url }: Data): PageCard => ({
  title,
  description: summary,
  site,
  color: '',
  image: url === null ? null : { url, width: null, height: null },
});

/** /news/:id (behaviour 7.4): for visitors without an account, where the host wants that */
export default function NewsArticleScreen(): ReactNode {
  const t = useT('announcements');
  const data = useLoaderData<typeof loader>();
  return (
    <Page narrow>
      <PageHead title={data.title} text={useByline(data)} />
      <Article announcement={data} />
      <p>
        <TextLink to={href('news.list')}>{t('more')}</TextLink>
      </p>
    </Page>
  );
}
