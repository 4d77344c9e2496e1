import type { ReactNode } from 'react';
import { useLogo } from '#client/lib/shell-context.ts';
import type { Logo } from '#shared/logo.ts';

/** The mark: a kite-shaped beacon on its pad. Decoration unless it is given a label. */
function Mark(props: { size?: 'sm' | 'lg'; label?: string }): ReactNode {
  return (
    <svg
      className="sp-mark"
      data-size={props.size}
      viewBox="0 0 24 24"
      {...(props.label ? { role: 'img', 'aria-label': props.label } : { 'aria-hidden': true })}
    >
      <path
        d="M8 14.3 2.5 17 12 21.8 21.5 17 16 14.3"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
      <path d="M12 1.5 7.2 8 12 17.5z" fill="currentColor" />
      <path d="M12 1.5 16.8 8 12 17.5z" fill="currentColor" opacity=".62" />
    </svg>
  );
}

/** The host's logo, or the mark, and the name of the site. In: `logo` to show another one than that of the page. */
export function Wordmark(props: { name: string; logo?: Logo | null }): ReactNode {
  const own = useLogo();
  const logo = props.logo === undefined ? own : props.logo;
  return (
    <span className="sp-wordmark">
      {logo ? (
        <img
          className="sp-logo"
          data-alone={!logo.withName || undefined}
          src={logo.src}
          alt={logo.withName ? '' : props.name}
        />
      ) : (
        <Mark />
      )}
      {logo?.withName !== false && <span className="sp-wordmark__name">{props.name}</span>}
    </span>
  );
}
