import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { LinkProps } from 'react-router';
import { iconSizeIn } from './button.tsx';
import type { ButtonStyle } from './button.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

type Base = Omit<LinkProps, 'children' | 'className'>;

/** A link that looks like a button. */
export function LinkButton(props: ButtonStyle & Base): ReactNode {
  const { variant = 'secondary', size, icon, iconEnd, block, children, ...rest } = props;
  return (
    <Link {...rest} className="sp-btn" data-variant={variant} data-size={size} data-block={block || undefined}>
      {icon && <Icon name={icon} {...iconSizeIn(size)} />}
      {children}
      {iconEnd && <Icon name={iconEnd} {...iconSizeIn(size)} />}
    </Link>
  );
}

/** A square link with an icon and an accessible name. */
export function IconLink(props: Base & { icon: IconName; label: string; size?: 'sm' | 'lg' }): ReactNode {
  const { icon, label, size, ...rest } = props;
  return (
    <Link
      title={label}
      {...rest}
      className="sp-btn"
      data-variant="ghost"
      data-size={size}
      data-icon-only=""
      aria-label={label}
    >
      <Icon name={icon} {...iconSizeIn(size)} />
    </Link>
  );
}

/** A link in running text. */
export function TextLink(props: Base & { children?: ReactNode }): ReactNode {
  return <Link {...props} className="sp-link" />;
}
