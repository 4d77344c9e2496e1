import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { Icon } from './icon.tsx';

interface CursorPagerProps {
  /** The words for the pages: a list by time has newer and older ones. */
  words: 'time' | 'list';
  /** The addresses of the first page and of the neighbours; null: it is shown, or there is none. */
  first: string | null;
  previous: string | null;
  next: string | null;
  /** Shown beside the links, such as how many rows there are. */
  children?: ReactNode;
}

const WORDS = {
  time: { first: 'newest', previous: 'newer', next: 'older' },
  list: { first: 'firstPage', previous: 'previous', next: 'next' },
} as const;

/** Links to the first page and the neighbours of a list without page numbers. Nothing where there is one page only. */
export function CursorPager({ words, first, previous, next, children }: CursorPagerProps): ReactNode {
  const t = useT('ui');
  const hasPages = first !== null || previous !== null || next !== null;
  if (!hasPages && children === undefined) return null;
  const text = WORDS[words];
  return (
    <nav className="sp-pager" aria-label={t('pager')}>
      {children}
      {hasPages && (
        <>
          <Step to={first}>{t(text.first)}</Step>
          <div>
            <Step to={previous} rel="prev">
              <Icon name="chevron-left" size="sm" />
              {t(text.previous)}
            </Step>
            <Step to={next} rel="next">
              {t(text.next)}
              <Icon name="chevron-right" size="sm" />
            </Step>
          </div>
        </>
      )}
    </nav>
  );
}

function Step({ to, rel, children }: { to: string | null; rel?: 'prev' | 'next'; children: ReactNode }): ReactNode {
  const variant = { className: 'sp-btn', 'data-variant': 'ghost', 'data-size': 'sm' } as const;
  if (to !== null) {
    return (
      <Link {...variant} to={to} {...(rel ? { rel } : {})}>
        {children}
      </Link>
    );
  }
  return (
    <span {...variant} aria-disabled="true">
      {children}
    </span>
  );
}
