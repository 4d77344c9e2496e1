import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

interface BannerProps {
  tone?: 'info' | 'warning' | 'danger' | 'accent' | 'positive';
  icon?: IconName;
  children: ReactNode;
  /** A button or link. */
  action?: ReactNode;
  onDismiss?: () => void;
  /** Read out when it appears. */
  live?: boolean;
}

const ICONS = { info: 'info', warning: 'alert', danger: 'alert', accent: 'info', positive: 'check' } as const;

/** A message that stays on the page while it is true. */
export function Banner({ tone = 'info', icon, children, action, onDismiss, live = false }: BannerProps): ReactNode {
  const t = useT('ui');
  return (
    <div className="sp-banner" data-tone={tone} role={live ? (tone === 'danger' ? 'alert' : 'status') : undefined}>
      <Icon name={icon ?? ICONS[tone]} />
      <div className="sp-banner__text">{children}</div>
      {action}
      {onDismiss && <IconButton icon="x" size="sm" label={t('dismiss')} onClick={onDismiss} />}
    </div>
  );
}
