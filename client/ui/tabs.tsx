import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

/** One view of a thing, with its own address. */
export interface Tab {
  readonly to: string;
  readonly label: ReactNode;
  readonly current: boolean;
}

/** A row of links. If not all fit, it scrolls sideways, fades at the edges, and scrolls the current one into view. */
export function Tabs({
  label,
  items,
  onCanvas = false,
}: {
  label: string;
  items: readonly Tab[];
  onCanvas?: boolean;
}): ReactNode {
  const row = useRef<HTMLElement>(null);
  const current = items.find((item) => item.current)?.to;
  useEffect(() => {
    const tab = [...(row.current?.children ?? [])].find((link) => link.getAttribute('href') === current);
    if (row.current && tab) centre(row.current, tab);
  }, [current]);
  return (
    <nav ref={row} className={onCanvas ? 'sp-tabs sp-on-canvas' : 'sp-tabs'} aria-label={label}>
      {items.map(({ to, label: text, current: isCurrent }) => (
        <Link key={to} className="sp-tab" to={to} preventScrollReset aria-current={isCurrent ? 'page' : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  );
}

/** Scrolls a row sideways to centre an element in it, without scrolling the page. */
function centre(row: HTMLElement, element: Element): void {
  const [outer, inner] = [row.getBoundingClientRect(), element.getBoundingClientRect()];
  row.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
}
