import type { ReactNode } from 'react';
import { useBytesText } from '#client/lib/bytes-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import type { BackupComparison, BackupView } from '#shared/contract/backups.ts';
import { href } from '#shared/routes/staff-href.ts';
import { Command } from './command.tsx';
import { takesKey, VerifyWithKey } from './key-field.tsx';
import { LastQuestion, RestoreQuestion } from './restore.tsx';
import { pageOf, placeOf, useHoldsText, useProof } from './texts.ts';

interface Props {
  readonly backup: BackupView;
  /** Whether a storage elsewhere is named. */
  readonly hasRemote: boolean;
  /** The question that is asked: `delete`, `delete-remote`, `restore`, and after that `sure`. */
  readonly ask: string | null;
  /** What a restore would replace; null where that is not asked. */
  readonly comparison: BackupComparison | null;
  /** What is being done, and how the last task ended. */
  readonly messages: ReactNode;
}

/** The page of one backup. */
export function BackupDetails({ backup, hasRemote, ask, comparison, messages }: Props): ReactNode {
  const t = useT('backups');
  const format = useFormat();
  const bytes = useBytesText();
  const holds = useHoldsText();
  const { shape, text } = useProof()(backup);
  const { permissions } = useShell().session;
  const when = format.dateTime(backup.made_at);
  const file = `${backup.id}.age`;
  const owner = can(permissions, 'admin.root');
  return (
    <Page narrow>
      <PageHead
        title={when}
        text={t(`kind.${backup.kind}`)}
        crumbs={useCrumbs()}
        actions={<LinkButton to={href('admin.backups')}>{t('back')}</LinkButton>}
      />
      {messages}
      {(ask === 'delete' || ask === 'delete-remote') && can(permissions, 'admin.backups.delete') && (
        <DeleteQuestion backup={backup} remote={ask === 'delete-remote'} />
      )}
      {ask === 'restore' && owner && <RestoreQuestion backup={backup} comparison={comparison} />}
      {ask === 'sure' && owner && <LastQuestion backup={backup} comparison={comparison} />}
      <Card>
        <Facts
          items={[
            { label: t('holds'), value: holds(backup) },
            { label: t('where'), value: t(`place.${placeOf(backup)}`) },
            { label: t('size'), value: bytes(backup.bytes) },
            ...(backup.lock ? [{ label: t('opensWith'), value: t(`lock.${backup.lock}`) }] : []),
            { label: t('proof'), value: <Status shape={shape}>{text}</Status> },
            { label: t('id'), value: <span className="sp-backups__path">{file}</span> },
          ]}
        />
      </Card>
      {ask === null && <Actions backup={backup} hasRemote={hasRemote} />}
    </Page>
  );
}

function Actions({ backup, hasRemote }: Pick<Props, 'backup' | 'hasRemote'>): ReactNode {
  const t = useT('backups');
  const { permissions } = useShell().session;
  const { id, here, remote } = backup;
  return (
    <Card>
      {can(permissions, 'admin.backups.create') && (
        <>
          <Row title={t('verify')} text={t('verifyText')}>
            {backup.lock !== 'passphrase' && (
              <Command id={id} intent="verify">
                {t('verify')}
              </Command>
            )}
          </Row>
          {takesKey(backup) && (
            <div className="sp-backups__row">
              <div>
                <VerifyWithKey backup={backup} />
              </div>
            </div>
          )}
          {here ? (
            <Row title={t('download')} text={t('downloadText')}>
              <Command id={id} intent="download">
                {t('download')}
              </Command>
            </Row>
          ) : (
            <Row title={t('fetch')} text={t('fetchText')}>
              <Command id={id} intent="fetch">
                {t('fetch')}
              </Command>
            </Row>
          )}
          {here && hasRemote && !remote && (
            <Row title={t('send')} text={t('sendText')}>
              <Command id={id} intent="send">
                {t('send')}
              </Command>
            </Row>
          )}
        </>
      )}
      <Row title={t('restore')} text={can(permissions, 'admin.root') ? t('restoreText') : t('restoreOwner')}>
        {can(permissions, 'admin.root') && (
          <LinkButton to={pageOf(id, 'restore')} variant="danger-quiet">
            {t('restore')}
          </LinkButton>
        )}
      </Row>
      {here && can(permissions, 'admin.backups.delete') && (
        <Row title={t('delete')} text={t('deleteText')}>
          <LinkButton to={pageOf(id, 'delete')} variant="danger-quiet">
            {t('delete')}
          </LinkButton>
        </Row>
      )}
      {remote && can(permissions, 'admin.backups.delete') && (
        <Row title={t('deleteRemote')} text={t('deleteText')}>
          <LinkButton to={pageOf(id, 'delete-remote')} variant="danger-quiet">
            {t('deleteRemote')}
          </LinkButton>
        </Row>
      )}
    </Card>
  );
}

function Row({ title, text, children }: { title: string; text: string; children: ReactNode }): ReactNode {
  return (
    <div className="sp-backups__row">
      <div>
        <h2 className="sp-card__h3">{title}</h2>
        <p>{text}</p>
      </div>
      {children}
    </div>
  );
}

function DeleteQuestion({ backup: { id }, remote }: { backup: BackupView; remote: boolean }): ReactNode {
  const t = useT('backups');
  return (
    <Card tone="danger" title={t(remote ? 'deleteRemoteSure' : 'deleteSure')} text={t('deleteText')}>
      <Form noSummary>
        <input type="hidden" name="id" value={id} />
        <div className="sp-btn-row">
          <Button type="submit" name="_intent" value={remote ? 'removeRemote' : 'delete'} variant="danger" icon="trash">
            {t(remote ? 'deleteRemote' : 'delete')}
          </Button>
          <LinkButton to={pageOf(id)} variant="ghost">
            {t('cancel')}
          </LinkButton>
        </div>
      </Form>
    </Card>
  );
}
