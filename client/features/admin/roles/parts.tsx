import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';

/** The mark of a role in its colour. An attribute of a drawing, because the page allows no style attributes. */
export function RoleMark({ color }: { color: string }): ReactNode {
  return (
    <svg className="sp-role-mark" viewBox="0 0 12 12" aria-hidden="true" focusable="false">
      <path d="M6 .8 11.2 6 6 11.2.8 6z" fill={color} />
    </svg>
  );
}

/** A role's name behind its mark. */
export function RoleName({ name, color }: { name: string; color: string }): ReactNode {
  return (
    <span className="sp-role-name">
      <RoleMark color={color} />
      <span>{name}</span>
    </span>
  );
}

/** How many people have a role. */
export function Members({ count }: { count: number }): ReactNode {
  const t = useT('roles');
  const format = useFormat();
  return t('memberCount', { count, shown: format.number(count) });
}
