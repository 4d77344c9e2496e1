import { useT } from '#client/lib/i18n.tsx';
import type { StatusShape } from '#client/ui/status.tsx';
import type { BackupView } from '#shared/contract/backups.ts';
import { href } from '#shared/routes/staff-href.ts';

/** The page of one backup, with a question where one is asked. */
export const pageOf = (id: string, ask?: string): string =>
  `${href('admin.backups')}?backup=${id}${ask ? `&ask=${ask}` : ''}`;

/** Where a backup lies (`backups:place.<name>`). */
export const placeOf = ({ here, remote }: BackupView): 'here' | 'remote' | 'both' =>
  here && remote ? 'both' : here ? 'here' : 'remote';

/** What a backup holds, on one line. */
export function useHoldsText(): (backup: BackupView) => string {
  const t = useT('backups');
  return ({ users, servers }) =>
    users === null || servers === null
      ? t('unknown')
      : `${t('users', { count: users })} · ${t('servers', { count: servers })}`;
}

/** What the last verification said. */
export function useProof(): (backup: BackupView) => { shape: StatusShape; text: string } {
  const t = useT('backups');
  return ({ verified }) => {
    if (!verified) return { shape: 'off', text: t('unverified') };
    return verified.fault
      ? { shape: 'failed', text: t(`fault.${verified.fault}`) }
      : { shape: 'active', text: t('verified') };
  };
}
