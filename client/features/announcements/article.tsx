import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import { Prose } from '#client/ui/prose.tsx';
import { pictureSrcSet, pictureUrl } from '#shared/picture-url.ts';
import { Affected, Marks, type AnnouncementCardData } from './card.tsx';

interface ArticleProps {
  readonly announcement: AnnouncementCardData & {
    /** Written by the server (server/markdown.ts). */
    readonly html: string;
    /** The language that it is in. */
    readonly locale: string;
    /** To read it. */
    readonly minutes: number;
  };
  /** Stands under the text. */
  readonly children?: ReactNode;
}

/** The line under the title: who wrote it, when, and how long it takes to read. */
export function useByline({ author, published_at: at, minutes }: ArticleProps['announcement']): string {
  const t = useT('announcements');
  const format = useFormat();
  return [author, format.date(at), t('minutes', { count: minutes })].filter(Boolean).join(' · ');
}

/** The text of an announcement with its picture. */
export function Article({ announcement, children }: ArticleProps): ReactNode {
  const { picture, html, locale, summary } = announcement;
  return (
    <Card>
      <article className="sp-article" lang={locale === 'md' ? 'ro-MD' : locale}>
        {picture !== '' && (
          <img
            className="sp-article__picture"
            src={pictureUrl(picture, 'wide')}
            srcSet={pictureSrcSet(picture, 'announcement')}
            sizes="(max-width: 767px) 92vw, 48rem"
            alt=""
          />
        )}
        <Marks {...announcement} />
        <Affected {...announcement} />
        {summary !== '' && <p className="sp-article__summary">{summary}</p>}
        <Prose html={html} />
      </article>
      {children}
    </Card>
  );
}
