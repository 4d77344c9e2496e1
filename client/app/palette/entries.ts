import { useNavigate } from 'react-router';
import { useLocale, useLooseT, useT } from '#client/lib/i18n.tsx';
import { CUSTOMIZE_EVENT, type PaletteEntry, type PaletteGroup } from '#client/lib/palette.ts';
import { usePlugins, usePluginTexts } from '#client/lib/plugins.ts';
import { useShell } from '#client/lib/shell-context.ts';
import type { ServerView } from '#shared/contract/server-views.ts';
import { decideAccess } from '#shared/guard.ts';
import { LOCALE_INFO, LOCALES } from '#shared/i18n/locales.ts';
import { href } from '#shared/routes/href.ts';
import type { RouteRow } from '#shared/routes/row.ts';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import { hasDebugPanel, toggleDebugPanel } from '../debug/toggle.ts';

/** The entries of the page itself: the routes the visitor may open, tabs of the account page, actions, pages of plugins. */
export function usePageEntries(): readonly PaletteEntry[] {
  return [...useActions(), ...useRoutes(), ...useAccountParts(), ...usePluginPages(), ...usePluginCommands()];
}

/**
 * Whether a route is a destination: inside the shell, without parameters (`:id`), and not reached from another page
 * only.
 */
export function isDestination({ layout, path, technical }: RouteRow): boolean {
  return (layout === 'app' || layout === 'admin') && !/[:*]/.test(path) && technical !== true;
}

/** The routes, by the same decision as the guard and the navigation. */
function useRoutes(): PaletteEntry[] {
  const t = useLooseT('shell');
  const { session, flags, settings } = useShell();
  return ROUTE_LIST.filter(
    (row) => isDestination(row) && decideAccess(row, session, { ...settings, ...flags }) === 'allow',
  ).map((row) => {
    const name = row.id.replaceAll('.', '_');
    const hint = row.layout === 'admin' ? t('adminArea') : t(`nav.${row.nav?.group ?? ''}`);
    return {
      id: row.id,
      group: groupOf(row),
      label: t([`navItem.${name}`, row.title]),
      words: [t(row.title), t(`navShort.${name}`), ...(hint ? [hint] : [])],
      ...(hint ? { hint } : {}),
      icon: row.nav?.icon ?? (row.id.endsWith('.create') ? 'plus' : 'user'),
      to: row.path,
    };
  });
}

function groupOf(row: RouteRow & { readonly id: string }): PaletteGroup {
  if (row.id.endsWith('.create')) return 'do';
  return row.layout === 'admin' ? 'admin' : 'go';
}

const ACCOUNT_PARTS = [
  { tab: 'security', label: 'password', icon: 'key' },
  { tab: 'sessions', label: 'sessions', icon: 'monitor' },
  { tab: 'statement', label: 'statement', icon: 'receipt' },
] as const;

function useAccountParts(): PaletteEntry[] {
  const t = useT('palette');
  const shell = useT('shell');
  return ACCOUNT_PARTS.map(({ tab, label, icon }) => ({
    id: `account.${tab}`,
    group: 'go',
    label: t(label),
    hint: shell('navItem.account'),
    icon,
    to: `${href('account')}?tab=${tab}`,
  }));
}

function usePluginPages(): PaletteEntry[] {
  const texts = usePluginTexts();
  return usePlugins().flatMap((plugin) =>
    plugin.menu.map((entry) => ({
      id: `plugin.${plugin.id}.${entry.page}`,
      group: 'go' as const,
      label: texts(plugin)(entry.label),
      icon: entry.icon ?? 'plug',
      to: `${href('plugin', { id: plugin.id })}${entry.page === '' ? '' : `/${entry.page}`}`,
    })),
  );
}

function usePluginCommands(): PaletteEntry[] {
  const texts = usePluginTexts();
  return usePlugins().flatMap((plugin) =>
    plugin.commands.map(({ id, label, icon = 'plug', run }) => ({
      id: `plugin.${plugin.id}.do.${id}`,
      group: 'do' as const,
      label: texts(plugin)(label),
      icon,
      // What a plugin throws is reported and ends there.
      run: () => void Promise.try(run).catch(reportError),
    })),
  );
}

/** What can be done from anywhere. */
function useActions(): PaletteEntry[] {
  const t = useT('palette');
  const shell = useT('shell');
  const locale = useLocale();
  const navigate = useNavigate();
  const { theme, setTheme, setLocale, settings } = useShell();
  const dark = theme === 'dark';
  return [
    {
      id: 'do.theme',
      group: 'do',
      label: dark ? shell('themeLight') : shell('themeDark'),
      words: [t('themeWords')],
      icon: dark ? 'sun' : 'moon',
      run: () => setTheme(dark ? 'light' : 'dark'),
    },
    {
      id: 'do.customize',
      group: 'do',
      label: t('customize'),
      words: [t('customizeWords')],
      icon: 'palette',
      run: () => void document.dispatchEvent(new Event(CUSTOMIZE_EVENT)),
    },
    ...LOCALES.filter((each) => each !== locale).map((each): PaletteEntry => ({
      id: `do.language.${each}`,
      group: 'do',
      label: LOCALE_INFO[each].name,
      hint: shell('language'),
      icon: 'languages',
      quiet: true,
      run: () => setLocale(each),
    })),
    ...(hasDebugPanel(settings)
      ? [{ id: 'do.debug', group: 'do' as const, label: shell('debugPanel'), icon: 'bug', run: toggleDebugPanel }]
      : []),
    {
      id: 'do.logout',
      group: 'do',
      label: shell('logOut'),
      icon: 'log-out',
      run: () => void navigate(href('auth.logout')),
    },
  ];
}

/** The visitor's servers, with the actions available for each. In: servers as the dashboard returns them. */
export function useServerEntries(servers: readonly ServerView[]): readonly PaletteEntry[] {
  const t = useT('palette');
  const { flags } = useShell();
  return servers.flatMap(({ id, name, egg, location, can }) => {
    const hint = [egg.name, location.name].filter(Boolean).join(' · ');
    const entries: PaletteEntry[] = [
      {
        id: `server.${id}`,
        group: 'servers',
        label: name,
        ...(hint ? { hint } : {}),
        icon: 'server',
        to: href('server.view', { id }),
      },
    ];
    if (can.renew && flags.server_renew_enabled)
      entries.push({
        id: `renew.${id}`,
        group: 'do',
        label: t('renewServer', { name }),
        icon: 'refresh',
        to: href('server.renew', { id }),
      });
    if (can.update)
      entries.push({
        id: `update.${id}`,
        group: 'do',
        label: t('changeServer', { name }),
        icon: 'sliders',
        to: href('server.update', { id }),
      });
    return entries;
  });
}
