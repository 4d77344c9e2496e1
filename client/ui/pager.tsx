import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { pageCount } from '#client/lib/url-state.ts';
import { Icon } from './icon.tsx';
import { PageSizes } from './page-sizes.tsx';

interface PagerProps {
  /** From 1. */
  page: number;
  size: number;
  total: number;
  /** There are more than `total` rows, uncounted. */
  more?: boolean | undefined;
  hrefOf: (page: number) => string;
  /** How many rows a page may have; absent or one: it is not chosen. */
  sizes?: readonly number[];
  hrefOfSize?: (size: number) => string;
}

/** The page numbers to show: first, last, the current one and its neighbours; 0 is a gap. */
export function pagesShown(page: number, last: number): readonly number[] {
  const wanted = [...new Set([1, page - 1, page, page + 1, last])]
    .filter((n) => n >= 1 && n <= last)
    .sort((a, b) => a - b);
  return wanted.flatMap((n, index) => {
    const before = wanted[index - 1] ?? n - 1;
    if (n - before === 2) return [n - 1, n];
    return n - before > 2 ? [0, n] : [n];
  });
}

/** Which rows are shown, how many a page has, and links to the other pages. */
export function Pager({ page, size, total, more, hrefOf, sizes = [], hrefOfSize }: PagerProps): ReactNode {
  const t = useT('ui');
  const format = useFormat();
  const last = pageCount(total, size);
  const from = total === 0 ? 0 : (page - 1) * size + 1;
  const range = {
    from: format.number(from),
    to: format.number(Math.min(total, page * size)),
    total: `${format.number(total)}${more ? '+' : ''}`,
  };
  return (
    <div className="sp-pager">
      <span>{t('pageRange', range)}</span>
      {hrefOfSize && sizes.length > 1 && total > Math.min(...sizes) && (
        <PageSizes sizes={sizes} size={size} hrefOf={hrefOfSize} />
      )}
      {last > 1 && (
        <nav aria-label={t('pager')}>
          <ul className="sp-pager__pages">
            <li>
              <Step to={page > 1 ? hrefOf(page - 1) : undefined} label={t('previousPage')} icon="chevron-left" />
            </li>
            {pagesShown(page, last).map((n, index) =>
              n === 0 ? (
                <li key={`gap-${index}`} aria-hidden="true">
                  <span>…</span>
                </li>
              ) : (
                <li key={n} data-near={Math.abs(n - page) <= 1 || undefined}>
                  <Link
                    to={hrefOf(n)}
                    aria-label={t('page', { page: n })}
                    aria-current={n === page ? 'page' : undefined}
                  >
                    {format.number(n)}
                  </Link>
                </li>
              ),
            )}
            <li>
              <Step to={page < last ? hrefOf(page + 1) : undefined} label={t('nextPage')} icon="chevron-right" />
            </li>
          </ul>
        </nav>
      )}
    </div>
  );
}

function Step(props: { to: string | undefined; label: string; icon: 'chevron-left' | 'chevron-right' }): ReactNode {
  const icon = <Icon name={props.icon} size="sm" />;
  if (props.to === undefined) return <span data-disabled="">{icon}</span>;
  return (
    <Link to={props.to} aria-label={props.label} rel={props.icon === 'chevron-left' ? 'prev' : 'next'}>
      {icon}
    </Link>
  );
}
