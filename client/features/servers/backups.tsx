import type { ReactNode } from 'react';
import { useBytesText } from '#client/lib/bytes-text.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Menu } from '#client/ui/menu.tsx';
import { endpointUrl } from '#shared/contract/client.ts';
import type { ServerBackup } from '#shared/contract/server-backups.ts';
import type { ServerView } from '#shared/contract/server-views.ts';
import { WIRE } from '#shared/contract/wire.ts';
import { SERVER_BACKUP_NAME, serverBackupName } from '#shared/schemas/server-backups.ts';
import { useBackups } from './use-backups.ts';

/** The backups of a server that runs here. */
export function ServerBackups({ server }: { server: Pick<ServerView, 'id'> }): ReactNode {
  const t = useT('live');
  const errors = useErrorText();
  const { list, refused, run } = useBackups(server.id);
  const make = async (): Promise<void> => {
    const given = await dialogs.prompt({
      title: t('backups.makeTitle'),
      text: t('backups.makeText'),
      label: t('backups.name'),
      ok: t('backups.make'),
      maxLength: SERVER_BACKUP_NAME,
    });
    if (given === null) return;
    const name = serverBackupName.safeParse(given);
    if (!name.success) return dialogs.alert({ title: t('backups.badName') });
    const params = { id: server.id, backup: crypto.randomUUID() };
    await run((api) => api.serverBackups.create({ params, body: { name: name.data } }));
  };
  const taken = list?.backups.filter(({ state }) => state !== 'failed').length ?? 0;
  return (
    <Card
      title={t('backups.title')}
      flush
      aside={
        list !== null &&
        list.limit > 0 && (
          <div className="sp-btn-row">
            <span className="sp-meta">{t('backups.used', { used: taken, limit: list.limit })}</span>
            <Button size="sm" icon="archive" disabled={taken >= list.limit} onClick={() => void make()}>
              {t('backups.make')}
            </Button>
          </div>
        )
      }
    >
      {refused !== null && (
        <Banner tone="danger" live>
          {errors.code(refused)}
        </Banner>
      )}
      {list?.backups.length === 0 && (
        <EmptyState
          art="folder"
          title={t('backups.none')}
          text={t(list.limit === 0 ? 'backups.noLimit' : 'backups.noneText')}
        />
      )}
      {list !== null && list.backups.length > 0 && (
        <List label={t('backups.title')}>
          {list.backups.map((backup) => (
            <Row key={backup.id} id={server.id} backup={backup} run={run} />
          ))}
        </List>
      )}
      <noscript>{t('backups.noScripts')}</noscript>
    </Card>
  );
}

interface RowProps {
  readonly id: string;
  readonly backup: ServerBackup;
  readonly run: ReturnType<typeof useBackups>['run'];
}

function Row({ id, backup, run }: RowProps): ReactNode {
  const t = useT('live');
  const format = useFormat();
  const bytes = useBytesText();
  const { state, locked, failure } = backup;
  const made = format.dateTime(backup.created_at);
  const name = backup.name === '' ? t('backups.unnamed', { date: made }) : backup.name;
  const facts = [
    ...(backup.name === '' ? [] : [made]),
    ...(state === 'failed' ? [] : [bytes(backup.size)]),
    ...(state === 'ready' ? [] : [t(`backups.state.${state}`)]),
    ...(locked ? [t('backups.locked')] : []),
    ...(backup.restored_at === null ? [] : [t('backups.restoredAt', { date: format.dateTime(backup.restored_at) })]),
    ...(failure === null ? [] : [t(`backups.${state === 'failed' ? 'failure' : 'restoreFailed'}.${failure}`)]),
  ];
  return (
    <ListItem
      icon={locked ? 'lock' : 'archive'}
      {...(failure === null ? {} : { tone: 'danger' as const })}
      title={<span className="sp-files__lost">{name}</span>}
      text={<span role={state === 'ready' ? undefined : 'status'}>{facts.join(' · ')}</span>}
      end={(state === 'ready' || state === 'failed') && <Actions id={id} backup={backup} name={name} run={run} />}
    />
  );
}

function Actions({ id, backup, name, run }: RowProps & { readonly name: string }): ReactNode {
  const t = useT('live');
  const params = { id, backup: backup.id };
  const restore = async (): Promise<void> => {
    const sure = await dialogs.confirm({
      title: t('backups.restoreTitle', { name }),
      text: t('backups.restoreText'),
      ok: t('backups.restore'),
      tone: 'danger',
    });
    if (sure) await run((api) => api.serverBackups.restore({ params, body: { stop: true } }));
  };
  const remove = async (): Promise<void> => {
    const sure = await dialogs.confirm({
      title: t('backups.deleteTitle', { name }),
      text: t('backups.deleteText'),
      ok: t('backups.delete'),
      tone: 'danger',
    });
    if (sure) await run((api) => api.serverBackups.remove({ params }));
  };
  const lock = () => run((api) => api.serverBackups.lock({ params, body: { locked: !backup.locked } }));
  const isReady = backup.state === 'ready';
  return (
    <>
      {isReady && (
        <a
          className="sp-btn"
          data-variant="ghost"
          data-icon-only=""
          data-size="sm"
          href={endpointUrl(WIRE.serverBackups.download, { params })}
          download
          aria-label={t('backups.download', { name })}
          title={t('backups.download', { name })}
        >
          <Icon name="download" />
        </a>
      )}
      <Menu
        size="sm"
        label={t('backups.actions', { name })}
        items={[
          ...(isReady
            ? [
                {
                  id: 'restore',
                  label: t('backups.restore'),
                  icon: 'undo' as const,
                  onSelect: () => void restore(),
                },
                {
                  id: 'lock',
                  label: t(backup.locked ? 'backups.unlock' : 'backups.lock'),
                  icon: 'lock' as const,
                  onSelect: () => void lock(),
                },
              ]
            : []),
          {
            id: 'delete',
            label: t('backups.delete'),
            icon: 'trash',
            tone: 'danger',
            disabled: backup.locked,
            onSelect: () => void remove(),
          },
        ]}
      />
    </>
  );
}
