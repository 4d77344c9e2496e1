import { useId } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useFormat, useT } from '#client/lib/i18n.tsx';

interface PageSizesProps {
  /** How many rows a page may have, and how many it has. */
  sizes: readonly number[];
  size: number;
  hrefOf: (size: number) => string;
}

/** Links by which the pages of a list have more rows or fewer. */
export function PageSizes({ sizes, size, hrefOf }: PageSizesProps): ReactNode {
  const t = useT('ui');
  const format = useFormat();
  const id = useId();
  return (
    <nav className="sp-pager__sizes" aria-labelledby={id}>
      <span id={id}>{t('rowsPerPage')}</span>
      <ul className="sp-pager__pages">
        {sizes
          .toSorted((a, b) => a - b)
          .map((each) => (
            // On phones too: the numbers of far pages are left out there.
            <li key={each} data-near>
              <Link to={hrefOf(each)} aria-current={each === size ? 'true' : undefined}>
                {format.number(each)}
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  );
}
