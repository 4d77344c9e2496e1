import type { ReactNode } from 'react';
import { iconOf } from './icons.ts';
import type { IconName } from './icons.ts';

/** One Lucide icon, 18 px (`sm` 15, `lg` 22). Without a label it is decoration and hidden from assistive tools. */
export function Icon(props: { name: IconName; size?: 'sm' | 'lg'; label?: string }): ReactNode {
  const { name, size, label } = props;
  return (
    <svg
      className="sp-icon"
      data-size={size}
      viewBox="0 0 24 24"
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
    >
      <path d={iconOf(name)} />
    </svg>
  );
}
