import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

/** Meanings a badge can have; `credit` only for credits, `vip` only for VIP. */
export type Tone = 'neutral' | 'positive' | 'warning' | 'danger' | 'info' | 'accent' | 'vip' | 'credit';

/** A short label. */
export function Badge(props: { tone?: Tone; icon?: IconName; children: ReactNode }): ReactNode {
  return (
    <span className="sp-badge" data-tone={props.tone}>
      {props.icon && <Icon name={props.icon} />}
      {props.children}
    </span>
  );
}
