import '#client/ui/icons-app.ts';
import { useState, type ReactNode } from 'react';
import { Link, Outlet } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { useSidebarCollapsed } from '#client/lib/sidebar.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Shell } from '#client/ui/shell.tsx';
import { isStaff } from '#shared/can.ts';
import { href } from '#shared/routes/href.ts';
import { PLAYER_ROUTE_LIST } from '#shared/routes/players.ts';
import { PaletteButton } from '../palette/button.tsx';
import { useNavigationGroups } from './navigation.ts';
import { UrgentBanners } from './urgent.tsx';
import { TopBarEnd } from './top-bar.tsx';

/** Destinations of the phone's bar; those the visitor may not see are left out. */
const BOTTOM = ['dashboard', 'server.create', 'earn.afk', 'earn.redeem', 'store'];

/** The shell of a signed-in player. */
export default function PlayerLayout(): ReactNode {
  const t = useT('shell');
  const { settings, session } = useShell();
  const counts = { 'announcement.list': session.announcements.unread, 'ticket.list': session.unreadTickets };
  const groups = useNavigationGroups(
    PLAYER_ROUTE_LIST,
    'app',
    ['play', 'earn', 'spend', 'community'],
    new Map(
      Object.entries(counts)
        .filter(([, count]) => count > 0)
        .map(([id, count]) => [id as keyof typeof counts, { count, hot: true }]),
    ),
  );
  const [collapsed, setCollapsed] = useSidebarCollapsed();
  const items = groups.flatMap((group) => group.items);
  const staff = isStaff(session.permissions);
  return (
    <Shell
      brand={{ name: String(settings.app_name ?? 'Spawnpoint'), to: href('dashboard') }}
      groups={groups}
      bottom={BOTTOM.map((id) => items.find((item) => item.id === id)).filter((item) => item !== undefined)}
      foot={[
        { id: 'account', label: t('navItem.account'), to: href('account'), icon: 'user' },
        ...(staff
          ? [{ id: 'admin', label: t('adminArea'), to: href('admin.dashboard'), icon: 'shield-check' as const }]
          : []),
      ]}
      collapsed={collapsed}
      onCollapse={setCollapsed}
      topStart={<PaletteButton />}
      topEnd={<TopBarEnd />}
      notice={
        <>
          <UrgentBanners />
          <Unverified />
        </>
      }
    >
      <Outlet />
    </Shell>
  );
}

/** An unverified account may browse, but neither earn nor create (behaviour 3.1). */
function Unverified(): ReactNode {
  const t = useT('shell');
  const { session } = useShell();
  const [gone, setGone] = useState(false);
  if (gone || session.user?.verified !== false) return null;
  return (
    <Banner
      tone="warning"
      icon="mail"
      onDismiss={() => setGone(true)}
      action={
        <Link className="sp-link" to={href('auth.verify')}>
          {t('verifyLink')}
        </Link>
      }
    >
      {t('verifyNotice')}
    </Banner>
  );
}
