import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { useLooseT, useT } from '#client/lib/i18n.tsx';
import { href } from '#shared/routes/href.ts';
import { matchKnownRoute } from '#client/lib/known-routes.ts';
import type { Match } from '#shared/routes/match.ts';
import type { RouteId } from '#shared/routes/table.ts';
import { Icon } from './icon.tsx';

/** One item of a breadcrumb; without `to` it is the current page or a heading without a page. */
export interface Crumb {
  label: ReactNode;
  to?: string;
}

/** The breadcrumb navigation. */
export function Breadcrumb(props: { items: readonly Crumb[] }): ReactNode {
  const t = useT('ui');
  return (
    <nav className="sp-crumbs" aria-label={t('breadcrumb')}>
      <ol className="sp-crumbs__list">
        {props.items.map((item, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the way to a page is a fixed list
          <li key={index}>
            {index > 0 && <Icon name="chevron-right" size="sm" />}
            {item.to === undefined ? (
              <span aria-current={index === props.items.length - 1 ? 'page' : undefined}>{item.label}</span>
            ) : (
              <Link to={item.to}>{item.label}</Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The page and its ancestors: every prefix of the path that is a route, the page itself last. */
function ancestorPages(pathname: string): readonly (Match & { readonly path: string })[] {
  const parts = pathname.split('/').filter(Boolean);
  const found = parts.flatMap((_, index) => {
    const path = `/${parts.slice(0, index + 1).join('/')}`;
    const match = matchKnownRoute(path);
    return match ? [{ ...match, path }] : [];
  });
  return found.filter(({ id }, index) => found.findIndex((other) => other.id === id) === index);
}

/**
 * The breadcrumb of the current page by the route table: the top of its area, the group of an admin area, the pages
 * between, itself. In: names by route (`{ 'server.view': server.name }`) that replace the route's title.
 */
export function useCrumbs(names: { readonly [Id in RouteId]?: string } = {}): readonly Crumb[] {
  const t = useLooseT('shell');
  const trail = ancestorPages(useLocation().pathname);
  const here = trail.at(-1);
  const admin = here?.row.layout === 'admin';
  const home = admin ? 'admin.dashboard' : 'dashboard';
  const section = admin ? trail.find(({ id, row }) => id !== home && row.nav)?.row.nav?.group : undefined;
  const group = section && t(`nav.${section}`);
  const pages = trail
    .filter(({ id }) => id !== home)
    .map(({ id, row, path }) => ({
      label: names[id] ?? t([`navItem.${id.replaceAll('.', '_')}`, row.title]),
      ...(path === here?.path ? {} : { to: path }),
    }));
  return [
    { label: admin ? t('adminArea') : t('title.dashboard'), to: href(home) },
    // A group that is named like its only page on the way would stand there twice.
    ...(group !== undefined && group !== pages[0]?.label ? [{ label: group }] : []),
    ...pages,
  ];
}
