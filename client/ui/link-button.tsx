import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { LinkProps } from 'react-router';
import { iconSizeIn } from './button.tsx';
import type { ButtonStyle } from './button.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

type Base = Omit<LinkProps, 'children' | 'className'>;

/**
 * Props of a link: it goes without the mark by which React Router's framework finds routes out from its server, which
 * nothing reads here, and which stood on a page with many links a hundred times.
 */
export const WITHOUT_DISCOVERY = { discover: 'none' } as const satisfies Partial<LinkProps>;

/** A link that looks like a button. */
export function LinkButton(props: ButtonStyle & Base): ReactNode {
  const { variant = 'secondary', size, icon, iconEnd, block, children, ...rest } = props;
  return (
    <Link
      {...WITHOUT_DISCOVERY}
      {...rest}
      className="sp-btn"
      data-variant={variant}
      data-size={size}
      data-block={block || undefined}
    >
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
      {...WITHOUT_DISCOVERY}
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
  return <Link {...WITHOUT_DISCOVERY} {...props} className="sp-link" />;
}
