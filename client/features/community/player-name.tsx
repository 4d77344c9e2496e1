import type { ReactNode } from 'react';
import { useShell } from '#client/lib/shell-context.ts';
import { TextLink } from '#client/ui/link-button.tsx';
import { href } from '#shared/routes/href.ts';

/** A player's name; a link if the profile may be opened. */
export function PlayerName({ person }: { person: { id: string; username: string; linked: boolean } }): ReactNode {
  const { flags } = useShell();
  if (!person.linked || !flags.allow_public_profiles) return <span className="sp-person-name">{person.username}</span>;
  return (
    <span className="sp-person-name">
      <TextLink to={href('profile', { id: person.id })}>{person.username}</TextLink>
    </span>
  );
}
