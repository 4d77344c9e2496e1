import type { ReactNode } from 'react';
import { useShell } from '#client/lib/shell-context.ts';
import { NameBadge, type BadgeData } from '#client/ui/name-badge.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { href } from '#shared/routes/href.ts';

interface Player {
  readonly id: string;
  readonly username: string;
  readonly linked: boolean;
  readonly badge: BadgeData;
}

/** A player's name with their badge; a link if the profile may be opened. */
export function PlayerName({ person }: { person: Player }): ReactNode {
  const { flags } = useShell();
  return (
    <span className="sp-person-name">
      {person.linked && flags.allow_public_profiles ? (
        <TextLink to={href('profile', { id: person.id })}>{person.username}</TextLink>
      ) : (
        person.username
      )}{' '}
      <NameBadge badge={person.badge} />
    </span>
  );
}
