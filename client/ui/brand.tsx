import type { ReactNode } from 'react';

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

/** Mark and name of the site. */
export function Wordmark(props: { name: string }): ReactNode {
  return (
    <span className="sp-wordmark">
      <Mark />
      <span className="sp-wordmark__name">{props.name}</span>
    </span>
  );
}
