import type { ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import { useLocale, useT } from '#client/lib/i18n.tsx';
import { CUSTOMIZE_EVENT } from '#client/lib/palette.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Avatar } from '#client/ui/avatar.tsx';
import { BalanceCounter } from '#client/ui/balance-counter.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { Menu } from '#client/ui/menu.tsx';
import { hasDebugPanel, toggleDebugPanel } from '../debug/toggle.ts';
import { Bell } from './bell.tsx';
import { LOCALE_INFO, LOCALES } from '#shared/i18n/locales.ts';
import { isStaff } from '#shared/can.ts';
import { href } from '#shared/routes/href.ts';
import { LanguageSwitch, ThemeSwitch } from '#client/ui/switches.tsx';

/** The right of the top bar: balance, theme, notifications, profile. */
export function TopBarEnd(): ReactNode {
  const { session } = useShell();
  const t = useT('shell');
  const { user } = session;
  if (!user)
    return (
      <>
        <LanguageSwitch />
        <ThemeSwitch />
      </>
    );
  return (
    <>
      <Link className="sp-topbar__pill" to={`${href('account')}?tab=statement`}>
        <span className="sp-sr">{t('balance')}</span>
        <BalanceCounter value={session.balance} />
      </Link>
      <ThemeSwitch />
      {/* Notifications are for their user alone. */}
      {session.viewing === undefined && <Bell unread={session.unread} />}
      <ProfileMenu name={user.username} />
    </>
  );
}

function ProfileMenu({ name }: { name: string }): ReactNode {
  const { session, settings, flags, setLocale } = useShell();
  const locale = useLocale();
  const t = useT('shell');
  const ui = useT('ui');
  const navigate = useNavigate();
  const staff = isStaff(session.permissions);
  return (
    <Menu
      label={t('profileMenu', { name })}
      triggerClass="sp-topbar__profile"
      trigger={
        <>
          <Avatar name={name} size="sm" />
          <span className="sp-topbar__name sp-hide-phone">{name}</span>
          <Icon name="chevron-down" size="sm" />
        </>
      }
      items={[
        ...(flags.allow_public_profiles && session.user
          ? [
              {
                id: 'profile',
                label: t('navItem.profile'),
                icon: 'id-card' as const,
                to: href('profile', { id: session.user.id }),
              },
            ]
          : []),
        { id: 'account', label: t('navItem.account'), icon: 'user', to: href('account') },
        ...(staff
          ? [{ id: 'admin', label: t('adminArea'), icon: 'shield-check' as const, to: href('admin.dashboard') }]
          : []),
        {
          id: 'customize',
          label: ui('customize'),
          icon: 'palette',
          onSelect: () => void document.dispatchEvent(new Event(CUSTOMIZE_EVENT)),
        },
        ...LOCALES.map((each, index) => ({
          id: `language-${each}`,
          label: LOCALE_INFO[each].name,
          checked: each === locale,
          divided: index === 0,
          onSelect: () => setLocale(each),
        })),
        ...(staff && hasDebugPanel(settings)
          ? [{ id: 'debug', label: t('debugPanel'), icon: 'bug' as const, divided: true, onSelect: toggleDebugPanel }]
          : []),
        {
          id: 'logout',
          label: t('logOut'),
          icon: 'log-out',
          divided: true,
          onSelect: () => void navigate(href('auth.logout')),
        },
      ]}
    />
  );
}
