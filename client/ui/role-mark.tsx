import type { ReactNode } from 'react';

/** The mark of a role in its colour. An attribute of a drawing, because the page allows no style attributes. */
export function RoleMark({ color }: { color: string }): ReactNode {
  return (
    <svg className="sp-role-mark" viewBox="0 0 12 12" aria-hidden="true" focusable="false">
      <path d="M6 .8 11.2 6 6 11.2.8 6z" fill={color} />
    </svg>
  );
}
