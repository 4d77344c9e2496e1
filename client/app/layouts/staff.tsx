import '#client/ui/icons-app.ts';
import type { ReactNode } from 'react';
import { Outlet } from 'react-router';
import { AttentionContext } from '#client/lib/attention.ts';
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

/** The shell of the admin area: the same frame, staff navigation, and a link back. */
export default function StaffLayout(): ReactNode {
  const t = useT('shell');
  const { settings } = useShell();
  const attention = useAttentionUpdates();
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
