import type { ReactNode } from 'react';
import { hueOf } from '#client/lib/hue.ts';

/** Up to two letters of a name: `mirela.v` gives MV, `radu` gives RA. */
export function initials(name: string): string {
  const words = name.split(/[\s._-]+/u).filter(Boolean);
  const [first, second] = words.length > 1 ? words : [...(words[0] ?? '?')];
  return `${[...(first ?? '?')][0] ?? ''}${[...(second ?? '')][0] ?? ''}`.toLocaleUpperCase('en');
}

/**
 * A user's initials on a stable colour. Decoration beside the name: the letters are drawn by the stylesheet and are not
 * text of the page.
 */
export function Avatar(props: { name: string; seed?: string; size?: 'sm' | 'lg'; online?: boolean }): ReactNode {
  return (
    <span
      className="sp-avatar"
      data-hue={hueOf(props.seed ?? props.name)}
      data-size={props.size}
      data-initials={initials(props.name)}
      aria-hidden="true"
    >
      {props.online && <i className="sp-avatar__dot" />}
    </span>
  );
}
