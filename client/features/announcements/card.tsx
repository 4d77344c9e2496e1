import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { pictureSrcSet, pictureUrl } from '#shared/picture-url.ts';

/** Servers that are named. */
const SHOWN = 3;

/** An announcement as boards show it. */
export interface AnnouncementCardData {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  /** '' where there is none. */
  readonly picture: string;
  readonly tags: readonly string[];
  readonly pinned: boolean;
  readonly urgent: boolean;
  readonly author: string | null;
  readonly published_at: string;
  readonly is_new?: boolean;
  /** Names of the reader's servers that it is about. */
  readonly affects?: readonly string[];
}

/** What an announcement is: pinned, urgent, new, and its tags. */
export function Marks(props: Pick<AnnouncementCardData, 'pinned' | 'urgent' | 'is_new' | 'tags'>): ReactNode {
  const t = useT('announcements');
  const { pinned, urgent, is_new: isNew = false, tags } = props;
  if (!pinned && !urgent && !isNew && tags.length === 0) return null;
  return (
    <p className="sp-news__marks">
      {urgent && (
        <Badge tone="warning" icon="alert">
          {t('urgent')}
        </Badge>
      )}
      {pinned && (
        <Badge tone="positive" icon="pinned">
          {t('pinned')}
        </Badge>
      )}
      {isNew && <Badge tone="positive">{t('new')}</Badge>}
      {tags.map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
    </p>
  );
}

/** Which of the reader's servers it is about. */
export function Affected({ affects = [] }: Pick<AnnouncementCardData, 'affects'>): ReactNode {
  const t = useT('announcements');
  const format = useFormat();
  if (affects.length === 0) return null;
  const shown = affects.slice(0, SHOWN);
  const names = format.list(shown);
  const count = affects.length - shown.length;
  return (
    <p className="sp-news__affects">
      <Icon name="server" size="sm" />
      <span>
        {count > 0
          ? t('affectsMore', { names: shown.join(', '), count })
          : t(affects.length === 1 ? 'affectsOne' : 'affectsSome', { names })}
      </span>
    </p>
  );
}

/** An announcement on a board; all of it leads to its text. `wide`: over the whole width, its picture beside it. */
export function AnnouncementCard(props: {
  readonly announcement: AnnouncementCardData;
  readonly to: string;
  readonly wide?: boolean;
}): ReactNode {
  const t = useT('announcements');
  const format = useFormat();
  const { announcement, to, wide = false } = props;
  const { title, summary, picture, author, published_at: at } = announcement;
  return (
    <article className="sp-card sp-news" data-wide={wide || undefined}>
      {picture !== '' && (
        <img
          className="sp-news__picture"
          src={pictureUrl(picture, wide ? 'wide' : 'card')}
          srcSet={pictureSrcSet(picture, 'announcement')}
          sizes={wide ? '(max-width: 767px) 92vw, 30rem' : '(max-width: 767px) 92vw, 22rem'}
          alt=""
          loading="lazy"
          decoding="async"
        />
      )}
      <div className="sp-news__body">
        <Marks {...announcement} />
        <h2 className="sp-news__title">
          <Link to={to}>{title}</Link>
        </h2>
        {summary !== '' && <p className="sp-news__summary">{summary}</p>}
        <Affected {...announcement} />
        <p className="sp-meta">
          {author !== null && `${author} · `}
          <time dateTime={at}>{format.date(at)}</time>
        </p>
        {wide && (
          <span className="sp-btn" data-variant="primary" aria-hidden="true">
            {t('readMore')}
            <Icon name="arrow-right" size="sm" />
          </span>
        )}
      </div>
    </article>
  );
}

/** Cards side by side. */
export function AnnouncementGrid({
  announcements,
  toOf,
}: {
  readonly announcements: readonly AnnouncementCardData[];
  readonly toOf: (id: string) => string;
}): ReactNode {
  return (
    <div className="sp-news-grid">
      {announcements.map((announcement) => (
        <AnnouncementCard key={announcement.id} announcement={announcement} to={toOf(announcement.id)} />
      ))}
    </div>
  );
}
