import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Card } from '#client/ui/card.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import type { BackupsPage } from '#shared/contract/backups.ts';
import { href } from '#shared/routes/staff-href.ts';

/** The storage elsewhere: where it is and whether it answers, or why there should be one. */
export function Away({ remote, keep }: { remote: BackupsPage['remote']; keep: number }): ReactNode {
  const t = useT('backups');
  const { permissions } = useShell().session;
  return (
    <Card title={t('away')}>
      {remote ? (
        <>
          <p className="sp-backups__path">{remote.place}</p>
          <RemoteStatus remote={remote} />
          <p className="sp-muted">{t('awayOn')}</p>
          <p className="sp-muted">{t('awayKeep', { count: keep })}</p>
        </>
      ) : (
        <p className="sp-muted">{t('awayText')}</p>
      )}
      {can(permissions, 'admin.settings.view') && (
        <div className="sp-btn-row">
          <LinkButton to={`${href('admin.settings')}?q=backup_s3`} size="sm">
            {t(remote ? 'planChange' : 'awaySet')}
          </LinkButton>
        </div>
      )}
    </Card>
  );
}

function RemoteStatus({ remote }: { remote: NonNullable<BackupsPage['remote']> }): ReactNode {
  const t = useT('backups');
  if (remote.fault)
    return (
      <>
        <Status shape="failed">{t(`fault.${remote.fault}`)}</Status>
        <p className="sp-muted">{t(`faultDo.${remote.fault}`)}</p>
      </>
    );
  if (remote.asked_at === null) return <Status shape="off">{t('awayAsking')}</Status>;
  return <Status shape="active">{t('awayOk')}</Status>;
}
