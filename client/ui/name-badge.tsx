import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Badge } from './badge.tsx';
import { RoleMark } from './role-mark.tsx';

/** The badge that a user chose, as answers carry it; null where they show none. */
export type BadgeData = {
  readonly kind: 'role' | 'supporter';
  readonly role: { readonly name: string; readonly color: string } | null;
} | null;

/** The badge beside a user's name: that of their role, or of the early supporters. */
export function NameBadge({ badge }: { badge: BadgeData }): ReactNode {
  const t = useT('community');
  if (badge === null) return null;
  if (badge.role === null) return <Badge tone="accent">{t('supporter')}</Badge>;
  return (
    <Badge>
      <RoleMark color={badge.role.color} />
      {badge.role.name}
    </Badge>
  );
}
