import { useLooseT } from '#client/lib/i18n.tsx';
import { usePlugins, usePluginTexts } from '#client/lib/plugins.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { isIconName, type IconName } from '#client/ui/icons.ts';
import type { NavGroup, NavItem } from '#client/ui/shell.tsx';
import { decideAccess } from '#shared/guard.ts';
import { href } from '#shared/routes/href.ts';
import type { Layout, NavGroup as GroupId, Route } from '#shared/routes/row.ts';
import type { RouteId } from '#shared/routes/table.ts';

const NO_COUNTS: ReadonlyMap<RouteId, NavCount> = new Map();

/** Entries that plugins added to the player's navigation, by group. */
function usePluginItems(layout: Layout): (group: GroupId) => NavItem[] {
  const plugins = usePlugins();
  const texts = usePluginTexts();
  return (group) =>
    layout !== 'app'
      ? []
      : plugins.flatMap((plugin) =>
          plugin.menu
            .filter((entry) => entry.group === group)
            .map(({ label, page, icon = '' }): NavItem => {
              const to = href('plugin', { id: plugin.id }) + (page ? `/${page}` : '');
              return { id: to, label: texts(plugin)(label), to, icon: isIconName(icon) ? icon : 'plug', end: true };
            }),
        );
}

/** Links that the host added to the player's navigation, by group. */
function useMenuLinks(layout: Layout): (group: GroupId) => NavItem[] {
  const { menu } = useShell().session;
  return (group) =>
    layout !== 'app'
      ? []
      : menu
          .filter((link) => link.menu === group)
          .map(({ name, slug, icon }): NavItem => {
            const to = href('redirectLink', { slug });
            return { id: to, label: name, to, icon: isIconName(icon) ? icon : 'link', end: true };
          });
}

/** What the navigation counts at a page. */
export interface NavCount {
  readonly count: number;
  /** It asks for attention. */
  readonly hot: boolean;
}

/**
 * The navigation of a layout: derived from the route table, filtered by the same decision as the guard; then what the
 * host and plugins added. In: the routes, the layout, the order of its groups, and what is counted at its pages.
 */
export function useNavigationGroups(
  routes: readonly Route<RouteId>[],
  layout: Layout,
  order: readonly GroupId[],
  counts: ReadonlyMap<RouteId, NavCount> = NO_COUNTS,
): NavGroup[] {
  const t = useLooseT('shell');
  const { session, flags, settings } = useShell();
  const links = useMenuLinks(layout);
  const added = usePluginItems(layout);
  const rows = routes.filter(
    (row) => row.layout === layout && row.nav && decideAccess(row, session, { ...settings, ...flags }) === 'allow',
  );
  return order
    .map((group) => ({
      id: group,
      label: t(`nav.${group}`),
      items: [
        ...rows
          .filter((row) => row.nav?.group === group)
          .toSorted((a, b) => (a.nav?.order ?? 0) - (b.nav?.order ?? 0))
          .map((row): NavItem => ({
            id: row.id,
            label: t([`navItem.${row.id.replaceAll('.', '_')}`, row.title]),
            short: t([`navShort.${row.id.replaceAll('.', '_')}`, row.title]),
            to: row.path,
            icon: row.nav?.icon as IconName,
            end: !row.id.endsWith('.list'),
            ...counts.get(row.id),
          })),
        ...links(group),
        ...added(group),
      ],
    }))
    .filter((group) => group.items.length > 0);
}
