import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import type { ListCursor } from '#client/lib/url-state.ts';
import { Icon } from './icon.tsx';

interface CursorPagerProps {
  /** The cursors of the first and last row shown; null: there is nothing beyond. */
  newer: string | null;
  older: string | null;
  /** The address of another page; null: of the newest. */
  hrefOf: (cursor: ListCursor | null) => string;
}

/**
 * Links to the newest, the next newer and the next older page of a list without page numbers. Nothing where there is
 * one page only.
 */
export function CursorPager({ newer, older, hrefOf }: CursorPagerProps): ReactNode {
  const t = useT('ui');
  if (newer === null && older === null) return null;
  return (
    <nav className="sp-pager" aria-label={t('pager')}>
      <Step to={newer === null ? null : hrefOf(null)}>{t('newest')}</Step>
      <div>
        <Step to={newer === null ? null : hrefOf({ after: newer })} rel="prev">
          <Icon name="chevron-left" size="sm" />
          {t('newer')}
        </Step>
        <Step to={older === null ? null : hrefOf({ before: older })} rel="next">
          {t('older')}
          <Icon name="chevron-right" size="sm" />
        </Step>
      </div>
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
    <span {...variant} data-disabled="">
      {children}
    </span>
  );
}
