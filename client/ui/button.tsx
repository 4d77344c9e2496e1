import type { ComponentProps, ReactNode } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

/** `primary` once a view; `danger` destroys; `danger-quiet` leads there; `credit` only where credits arrive. */
export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger' | 'danger-quiet' | 'credit';

/** The style properties that buttons and links styled as buttons share. */
export interface ButtonStyle {
  variant?: ButtonVariant;
  size?: 'sm' | 'lg';
  icon?: IconName;
  /** An icon after the text. */
  iconEnd?: IconName;
  /** As wide as its container. */
  block?: boolean;
  children?: ReactNode;
}

interface ButtonProps extends ButtonStyle, Omit<ComponentProps<'button'>, 'children'> {
  /** Shows a spinner and ignores clicks while the action is in progress. */
  busy?: boolean;
}

/** A button; `type` defaults to `button`. */
export function Button(props: ButtonProps): ReactNode {
  const { variant = 'secondary', size, icon, iconEnd, block, busy = false, children, onClick, ...rest } = props;
  return (
    <button
      type="button"
      {...rest}
      className="sp-btn"
      data-variant={variant}
      data-size={size}
      data-block={block || undefined}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest['aria-disabled'] || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} {...iconSizeIn(size)} />}
      {children}
      {iconEnd && <Icon name={iconEnd} {...iconSizeIn(size)} />}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'icon' | 'iconEnd' | 'block' | 'children'> {
  icon: IconName;
  /** Its accessible name, also shown as a tooltip. */
  label: string;
  children?: ReactNode;
}

/** A square button with an icon; `children` may add a dot or a count. */
export function IconButton(props: IconButtonProps): ReactNode {
  const { icon, label, variant = 'ghost', size, busy = false, children, ...rest } = props;
  return (
    <button
      type="button"
      title={label}
      {...rest}
      className="sp-btn"
      data-variant={variant}
      data-size={size}
      data-icon-only=""
      aria-label={label}
      aria-busy={busy || undefined}
    >
      {busy ? <Spinner /> : <Icon name={icon} {...iconSizeIn(size)} />}
      {children}
    </button>
  );
}

/** A spinning ring; the text beside it says what is loading. */
function Spinner(): ReactNode {
  return <span className="sp-spinner" aria-hidden="true" />;
}

/** Icons in small buttons are small. */
export function iconSizeIn(size: 'sm' | 'lg' | undefined): { size?: 'sm' } {
  return size === 'sm' ? { size: 'sm' } : {};
}
