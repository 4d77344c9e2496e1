import '#client/ui/icons-app.ts';
import type { ReactNode } from 'react';
import { Outlet, useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { AttentionContext, type AttentionView } from '#client/lib/attention.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useSidebarCollapsed } from '#client/lib/sidebar.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Shell } from '#client/ui/shell.tsx';
import { href } from '#shared/routes/href.ts';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import { PaletteButton } from '../palette/button.tsx';
import { countsOf, useAttentionUpdates } from './attention.ts';
import { useNavigationGroups } from './navigation.ts';
import { TopBarEnd } from './top-bar.tsx';

const ORDER = ['overview', 'hosting', 'people', 'economy', 'content', 'system'] as const;

/** No page waits longer for the counts of its navigation, in ms: they follow then. */
const PATIENCE_MS = 300;

/** What needs the visitor; null where that is not known in time, or not theirs to know. */
export function loader(args: LoaderFunctionArgs): Promise<AttentionView | null> {
  const known = apiOf(args)
    .adminAttention.list()
    .catch(() => null);
  return Promise.race([known, new Promise<null>((resolve) => setTimeout(resolve, PATIENCE_MS, null))]);
}

/** The shell of the admin area: the same frame, staff navigation, and a link back. */
export default function StaffLayout(): ReactNode {
  const t = useT('shell');
  const { settings } = useShell();
  const attention = useAttentionUpdates(useLoaderData<typeof loader>());
  const groups = useNavigationGroups(ROUTE_LIST, 'admin', ORDER, countsOf(attention));
  const [collapsed, setCollapsed] = useSidebarCollapsed();
  return (
    <Shell
      brand={{ name: String(settings.app_name ?? 'Spawnpoint'), to: href('dashboard') }}
      groups={groups}
      bottom={groups.flatMap((group) => group.items).slice(0, 5)}
      foot={[{ id: 'back', label: t('playerView'), to: href('dashboard'), icon: 'arrow-left' }]}
      collapsed={collapsed}
      onCollapse={setCollapsed}
      topStart={<PaletteButton />}
      topEnd={<TopBarEnd />}
    >
      <AttentionContext value={attention}>
        <Outlet />
      </AttentionContext>
    </Shell>
  );
}
