import type { ReactNode } from 'react';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useBytesText } from '#client/lib/bytes-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { PasswordInput } from '#client/ui/password-input.tsx';
import { Status } from '#client/ui/status.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { can } from '#shared/can.ts';
import type { BackupView } from '#shared/contract/backups.ts';
import { href } from '#shared/routes/staff-href.ts';
import type { BackupsAnswer } from './action.ts';
import { placeOf, useHoldsText, useProof } from './texts.ts';

interface Props {
  readonly backup: BackupView;
  /** Whether a storage elsewhere is named. */
  readonly hasRemote: boolean;
  /** The question that is asked: `delete`, `delete-remote`, `restore`, and after that `sure`. */
  readonly ask: string | null;
  /** What is being done, and how the last task ended. */
  readonly messages: ReactNode;
}

/** The page of one backup. */
export function BackupDetails({ backup, hasRemote, ask, messages }: Props): ReactNode {
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
      {ask === 'restore' && owner && <RestoreQuestion backup={backup} when={when} />}
      {ask === 'sure' && owner && <LastQuestion backup={backup} />}
      <Card>
        <Facts
          items={[
            { label: t('holds'), value: holds(backup) },
            { label: t('where'), value: t(`place.${placeOf(backup)}`) },
            { label: t('size'), value: bytes(backup.bytes) },
            { label: t('proof'), value: <Status shape={shape}>{text}</Status> },
            { label: t('id'), value: <span className="sp-backups__path">{file}</span> },
          ]}
        />
      </Card>
      {ask === null && <Actions backup={backup} hasRemote={hasRemote} />}
    </Page>
  );
}

const pageOf = (id: string, ask?: string) => `${href('admin.backups')}?backup=${id}${ask ? `&ask=${ask}` : ''}`;

function Actions({ backup, hasRemote }: Pick<Props, 'backup' | 'hasRemote'>): ReactNode {
  const t = useT('backups');
  const { permissions } = useShell().session;
  const { id, here, remote } = backup;
  return (
    <Card>
      {can(permissions, 'admin.backups.create') && (
        <>
          <Row title={t('verify')} text={t('verifyText')}>
            <Command id={id} intent="verify">
              {t('verify')}
            </Command>
          </Row>
          {isForeign(backup) && (
            <div className="sp-backups__row">
              <div>
                <OtherKey id={id} />
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

/** Whether a backup may have been made for another installation: nobody has looked into it yet. */
const isForeign = ({ kind, users }: BackupView): boolean => kind === 'upload' || users === null;

/** The field for the key of another installation. */
function KeyField(): ReactNode {
  const t = useT('backups');
  return (
    <Field label={t('otherKey')} name="recovery_key" hint={t('otherKeyHint')} optional>
      <PasswordInput autoComplete="off" maxLength={500} />
    </Field>
  );
}

/** Verifies with the key of another installation. */
function OtherKey({ id }: { id: string }): ReactNode {
  const t = useT('backups');
  return (
    <Form noSummary preventScrollReset>
      <input type="hidden" name="id" value={id} />
      <div className="sp-stack" data-gap="3">
        <KeyField />
        <div className="sp-btn-row">
          <Button type="submit" name="_intent" value="verify">
            {t('verifyOther')}
          </Button>
        </div>
      </div>
    </Form>
  );
}

function Command({ id, intent, children }: { id: string; intent: string; children: string }): ReactNode {
  return (
    <Form noSummary preventScrollReset>
      <input type="hidden" name="id" value={id} />
      <Button type="submit" name="_intent" value={intent}>
        {children}
      </Button>
    </Form>
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

/** The first question: what a restore does. */
function RestoreQuestion({ backup: { id }, when }: { backup: BackupView; when: string }): ReactNode {
  const t = useT('backups');
  return (
    <Card tone="danger" title={t('restoreAsk', { when })}>
      <ul className="sp-backups__list">
        <li>{t('restoreLose')}</li>
        <li>{t('restoreServers')}</li>
      </ul>
      <Banner>{t('restoreCopy')}</Banner>
      <div className="sp-btn-row">
        <LinkButton to={pageOf(id, 'sure')} variant="danger-quiet">
          {t('restoreContinue')}
        </LinkButton>
        <LinkButton to={pageOf(id)} variant="ghost">
          {t('cancel')}
        </LinkButton>
      </div>
    </Card>
  );
}

/** The second: the day of the backup has to be typed. */
function LastQuestion({ backup: { id, day } }: { backup: BackupView }): ReactNode {
  const t = useT('backups');
  const answer = useActionAnswer<BackupsAnswer>();
  const form = useFormProps(answer && !answer.ok ? answer : undefined);
  return (
    <Card tone="danger" title={t('restoreLast')} text={t('restorePause')}>
      <Form {...form} noSummary>
        <input type="hidden" name="id" value={id} />
        <Field label={t('restoreType', { day })} name="day" required>
          <TextInput mono autoComplete="off" spellCheck={false} maxLength={20} />
        </Field>
        <KeyField />
        <div className="sp-btn-row">
          <Button type="submit" name="_intent" value="restore" variant="danger" icon="history">
            {t('restoreNow')}
          </Button>
          <LinkButton to={pageOf(id)} variant="ghost">
            {t('cancel')}
          </LinkButton>
        </div>
      </Form>
    </Card>
  );
}
