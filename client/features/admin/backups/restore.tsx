import type { ReactNode } from 'react';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { useBytesText } from '#client/lib/bytes-text.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import type { BackupComparison, BackupFigures, BackupView } from '#shared/contract/backups.ts';
import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import type { BackupsAnswer } from './action.ts';
import { Command } from './command.tsx';
import { KeyField, takesKey, VerifyWithKey } from './key-field.tsx';
import { pageOf } from './texts.ts';

interface Props {
  backup: BackupView;
  /** Null while it could not be asked for. */
  comparison: BackupComparison | null;
}

/** The first question: what a restore does, and what is lost by it. */
export function RestoreQuestion({ backup, comparison }: Props): ReactNode {
  const t = useT('backups');
  const format = useFormat();
  const { id } = backup;
  const isKnown = !!comparison?.backup;
  return (
    <Card
      tone="danger"
      title={t('restoreAsk', { when: format.dateTime(comparison?.backup?.made_at ?? backup.made_at) })}
    >
      {comparison?.backup ? (
        <Comparison backup={comparison.backup} now={comparison.now} />
      ) : (
        <VerifyFirst backup={backup} />
      )}
      <ul className="sp-backups__list">
        <li>{t('restoreLose')}</li>
        <li>{t('restoreServers')}</li>
      </ul>
      <Banner>{t('restoreCopy')}</Banner>
      <div className="sp-btn-row">
        {isKnown && (
          <LinkButton to={pageOf(id, 'sure')} variant="danger-quiet">
            {t('restoreContinue')}
          </LinkButton>
        )}
        <LinkButton to={pageOf(id)} variant="ghost">
          {t('cancel')}
        </LinkButton>
      </div>
    </Card>
  );
}

/** What nobody has looked into cannot be compared: it is verified before anybody goes on. */
function VerifyFirst({ backup }: { backup: BackupView }): ReactNode {
  const t = useT('backups');
  return (
    <div className="sp-stack" data-gap="3">
      <Banner tone="warning">{t('verifyFirst')}</Banner>
      {takesKey(backup) ? (
        <VerifyWithKey backup={backup} />
      ) : (
        <Command id={backup.id} intent="verify">
          {t('verify')}
        </Command>
      )}
    </div>
  );
}

/** The second: the day of the backup has to be typed. */
export function LastQuestion({ backup, comparison }: Props): ReactNode {
  const t = useT('backups');
  const answer = useActionAnswer<BackupsAnswer>();
  const form = useFormProps(answer && !answer.ok ? answer : undefined);
  const { id, day } = backup;
  return (
    <Card tone="danger" title={t('restoreLast')} text={t('restorePause')}>
      {comparison?.backup ? (
        <Comparison backup={comparison.backup} now={comparison.now} />
      ) : (
        <Banner tone="warning">{t('verifyFirst')}</Banner>
      )}
      <Form {...form} noSummary>
        <input type="hidden" name="id" value={id} />
        <Field label={t('restoreType', { day })} name="day" required>
          <TextInput mono autoComplete="off" spellCheck={false} maxLength={20} />
        </Field>
        {takesKey(backup) && <KeyField backup={backup} />}
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

/** A line of the comparison. `change`: by how much there is more or less afterwards; null: nothing that is counted. */
interface Line {
  readonly key: string;
  readonly label: string;
  readonly after: string;
  readonly now: string | null;
  readonly change: string | null;
}

/** What a restore replaces, and by what. */
function Comparison({ backup, now }: { backup: BackupFigures; now: BackupFigures | null }): ReactNode {
  const t = useT('backups');
  const columns: readonly Column<Line>[] = [
    { key: 'label', label: t('holds'), title: true, cell: ({ label }) => label },
    { key: 'after', label: t('compareBackup'), align: 'end', phone: 'labelled', cell: ({ after }) => after },
    { key: 'now', label: t('compareNow'), align: 'end', phone: 'labelled', cell: (line) => line.now ?? '–' },
    {
      key: 'change',
      label: t('compareChange'),
      align: 'end',
      phone: 'lead',
      cell: (line) => line.change ?? '–',
    },
  ];
  const lost = useLost()(backup, now);
  return (
    <>
      {lost !== '' && <Banner tone="danger">{t('compareLost', { what: lost })}</Banner>}
      <DataTable
        phone="lines"
        caption={t('compare')}
        columns={columns}
        rows={useLines()(backup, now)}
        rowKey={({ key }) => key}
        rowName={({ label }) => label}
      />
    </>
  );
}

/** What there is less of afterwards, as a list in words: `3 d 4 h, 12 users, and 1 server`; '' where nothing is. */
function useLost(): (backup: BackupFigures, now: BackupFigures | null) => string {
  const t = useT('backups');
  const format = useFormat();
  return (backup, now) => {
    if (!now) return '';
    const ms = Date.parse(now.made_at) - Date.parse(backup.made_at);
    const users = now.users - backup.users;
    const servers = now.servers - backup.servers;
    const lost = [
      ...(ms > 0 ? [format.duration(ms)] : []),
      ...(users > 0 ? [t('users', { count: users })] : []),
      ...(servers > 0 ? [t('servers', { count: servers })] : []),
    ];
    return new Intl.ListFormat(LOCALE_INFO[format.locale].bcp47).format(lost);
  };
}

function useLines(): (backup: BackupFigures, now: BackupFigures | null) => readonly Line[] {
  const t = useT('backups');
  const format = useFormat();
  const bytes = useBytesText();
  const texts = {
    made: ({ made_at: at }: BackupFigures) => format.dateTime(at),
    version: ({ version }: BackupFigures) => version,
    dialect: ({ dialect }: BackupFigures) => t(`dialect.${dialect}`),
    users: ({ users }: BackupFigures) => format.number(users),
    servers: ({ servers }: BackupFigures) => format.number(servers),
    credits: ({ credits }: BackupFigures) => format.number(credits),
    files: ({ files, file_bytes: size }: BackupFigures) =>
      files === 0 ? format.number(0) : `${format.number(files)} (${bytes(size)})`,
  };
  const changeOf = (difference: number) =>
    difference === 0 ? null : `${difference < 0 ? '−' : '+'}${format.number(Math.abs(difference))}`;
  return (backup, now) =>
    (Object.keys(texts) as (keyof typeof texts)[]).map((key) => ({
      key,
      label: t(`compareOf.${key}`),
      after: texts[key](backup),
      now: now && texts[key](now),
      change: now && isCounted(key) ? changeOf(backup[key] - now[key]) : null,
    }));
}

const COUNTED = ['users', 'servers', 'credits', 'files'] as const;
const isCounted = (key: string): key is (typeof COUNTED)[number] => COUNTED.some((each) => each === key);
