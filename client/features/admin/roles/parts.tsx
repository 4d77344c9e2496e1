import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { RoleMark } from '#client/ui/role-mark.tsx';

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
