import type { ReactNode } from 'react';
import { useLoaderData, useLocation } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useBytesText } from '#client/lib/bytes-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useRefresh } from '#client/lib/use-refresh.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Progress } from '#client/ui/progress.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { BackupComparison, BackupsPage, BackupView } from '#shared/contract/backups.ts';
import type { Api } from '#shared/contract/index.ts';
import { href } from '#shared/routes/staff-href.ts';
import { changeBackups, type BackupsAnswer } from './action.ts';
import { BackupDetails } from './details.tsx';
import { Away } from './away.tsx';
import { LockedBackup } from './locked.tsx';
import { Upload } from './upload.tsx';
import { placeOf, useHoldsText, useProof } from './texts.ts';

/** Every backup, and what is being done; beside a question whether to restore one, what that would replace. */
export async function loader(args: LoaderFunctionArgs) {
  const api = apiOf(args).adminBackups;
  const query = new URL(args.request.url).searchParams;
  const id = query.get('backup');
  const asks = id !== null && ['restore', 'sure'].includes(query.get('ask') ?? '');
  const [page, comparison] = await Promise.all([api.list({}), asks ? compare(api, id) : null]);
  return { page, comparison };
}

/** Null for whoever may not restore, and where the backup is gone: the page says so itself. */
async function compare(api: Api['adminBackups'], id: string): Promise<BackupComparison | null> {
  try {
    return await api.compare({ params: { id } });
  } catch (error) {
    if (error instanceof ApiError && ['FORBIDDEN', 'NOT_FOUND'].includes(error.code)) return null;
    throw error;
  }
}

/** Makes, verifies, deletes, fetches or restores a backup, or shows the recovery key. */
export async function action(args: ActionFunctionArgs): Promise<BackupsAnswer | Response> {
  return changeBackups(apiOf(args).adminBackups, await args.request.formData());
}

/** How often the page looks at what is being done. */
const RUNNING_MS = 1500;
const IDLE_MS = 30_000;

/** /mc-admin/backups (behaviour 8.6); `?backup=<id>` is one of them. */
export default function BackupsScreen(): ReactNode {
  const { page: data, comparison } = useLoaderData<typeof loader>();
  const query = new URLSearchParams(useLocation().search);
  useRefresh(data.running || data.remote?.asking ? RUNNING_MS : IDLE_MS, true);
  const chosen = data.backups.find(({ id }) => id === query.get('backup'));
  return chosen ? (
    <BackupDetails
      backup={chosen}
      hasRemote={data.remote !== null}
      ask={query.get('ask')}
      comparison={comparison}
      messages={<Messages running={data.running} last={data.last?.id === chosen.id ? data.last : null} />}
    />
  ) : (
    <BackupList page={data} done={query.get('done')} asksPassphrase={query.get('ask') === 'passphrase'} />
  );
}

interface ListProps {
  page: BackupsPage;
  done: string | null;
  asksPassphrase: boolean;
}

function BackupList({ page, done, asksPassphrase }: ListProps): ReactNode {
  const t = useT('backups');
  const { permissions } = useShell().session;
  const format = useFormat();
  const bytes = useBytesText();
  const owner = can(permissions, 'admin.root');
  const asks = asksPassphrase && owner;
  const create = can(permissions, 'admin.backups.create') ? (
    <>
      {owner && (
        <LinkButton to={`${href('admin.backups')}?ask=passphrase`} icon="key">
          {t('lockedAsk')}
        </LinkButton>
      )}
      <Form noSummary preventScrollReset>
        <Button type="submit" name="_intent" value="create" variant="primary" icon="archive" disabled={!!page.running}>
          {t('create')}
        </Button>
      </Form>
    </>
  ) : undefined;
  return (
    <Page>
      <PageHead
        title={t('title')}
        text={t('text')}
        crumbs={useCrumbs()}
        {...(create && !asks ? { actions: create } : {})}
      />
      {(done === 'delete' || done === 'restore') && !page.last?.fault && <Banner live>{t(`done.${done}`)}</Banner>}
      <Messages running={page.running} last={page.last} />
      {asks && <LockedBackup busy={!!page.running} />}
      <div className="sp-backups">
        <Card
          title={t('copies')}
          count={page.backups.length}
          text={
            <span className="sp-backups__path">
              {t('folder', { folder: page.folder, free: bytes(page.free_bytes) })}
            </span>
          }
          flush
        >
          <DataTable
            phone="lines"
            caption={t('copies')}
            columns={useColumns()}
            rows={page.backups}
            rowKey={({ id }) => id}
            rowName={({ made_at: at }) => format.dateTime(at)}
            state={<EmptyState as="h3" art="log" title={t('empty')} text={t('emptyText')} />}
          />
        </Card>
        <div className="sp-backups__side">
          <Plan plan={page.plan} />
          {owner && <RecoveryKey />}
          {owner && <Upload />}
          <Away remote={page.remote} keep={page.plan.keep_remote} />
        </div>
      </div>
    </Page>
  );
}

/**
 * What is being done, how the last task ended, and why a command was refused. On the page of one backup the last task
 * is one with that backup: that another one opens says nothing of it.
 */
function Messages({ running, last }: Pick<BackupsPage, 'running' | 'last'>): ReactNode {
  const t = useT('backups');
  const error = useErrorText();
  const bytes = useBytesText();
  const answer = useActionAnswer<BackupsAnswer>();
  return (
    <>
      {answer && !answer.ok && Object.keys(answer.fields).length === 0 && (
        <Banner tone="danger" live>
          {error.code(answer.code)}
        </Banner>
      )}
      {running ? (
        <Card title={t(`running.${running.task}`)} text={t('createHint')}>
          <Progress
            label={t(`step.${running.step}`, {
              done: running.done,
              all: running.all ?? 0,
              size: bytes(running.done),
              whole: bytes(running.all ?? 0),
            })}
            {...(running.all ? { value: running.done / running.all } : {})}
          />
        </Card>
      ) : (
        last && (
          <Banner tone={last.fault ? 'danger' : 'positive'} live>
            {last.fault
              ? `${t(`failed.${last.task}`, { why: t(`fault.${last.fault}`) })} ${t(`faultDo.${last.fault}`)}`
              : t(`done.${last.task}`)}
          </Banner>
        )
      )}
    </>
  );
}

function useColumns(): readonly Column<BackupView>[] {
  const t = useT('backups');
  const format = useFormat();
  const bytes = useBytesText();
  const holds = useHoldsText();
  const proof = useProof();
  const kindOf = ({ kind, lock }: BackupView) =>
    lock === 'passphrase' ? `${t(`kind.${kind}`)} · ${t('lock.passphrase')}` : t(`kind.${kind}`);
  return [
    {
      key: 'made',
      label: t('made'),
      title: true,
      name: ({ made_at: at }) => format.dateTime(at),
      cell: ({ id, made_at: at }) => (
        <TextLink to={`${href('admin.backups')}?backup=${id}`}>
          <time dateTime={at}>{format.dateTime(at)}</time>
        </TextLink>
      ),
    },
    { key: 'reason', label: t('reason'), cell: (row) => <span className="sp-muted">{kindOf(row)}</span> },
    { key: 'holds', label: t('holds'), cell: holds },
    {
      key: 'where',
      label: t('where'),
      cell: (row) => <span className="sp-muted">{t(`place.${placeOf(row)}`)}</span>,
    },
    { key: 'size', label: t('size'), align: 'end', cell: (row) => bytes(row.bytes) },
    {
      key: 'proof',
      label: t('proof'),
      phone: 'lead',
      cell: (row) => {
        const { shape, text } = proof(row);
        return <Status shape={shape}>{text}</Status>;
      },
    },
  ];
}

function Plan({ plan }: { plan: BackupsPage['plan'] }): ReactNode {
  const t = useT('backups');
  const { permissions } = useShell().session;
  return (
    <Card title={t('plan')}>
      <p>{plan.daily ? t('planOn', { hour: String(plan.hour).padStart(2, '0') }) : t('planOff')}</p>
      {plan.daily && (
        <p className="sp-muted">
          {t('planKeep', { count: plan.keep })} · {t('planZone', { zone: plan.time_zone })}
        </p>
      )}
      <p className="sp-muted">{t('planText')}</p>
      {can(permissions, 'admin.settings.view') && (
        <div className="sp-btn-row">
          <LinkButton to={`${href('admin.settings')}?q=backup_`} size="sm">
            {t('planChange')}
          </LinkButton>
        </div>
      )}
    </Card>
  );
}

/** The recovery key, shown on demand to whoever confirmed who they are. */
function RecoveryKey(): ReactNode {
  const t = useT('backups');
  const answer = useActionAnswer<BackupsAnswer>();
  const key = answer?.ok && answer.result.done === 'key' ? answer.result.key : null;
  return (
    <Card title={key ? t('keyShown') : t('key')}>
      {key ? (
        <>
          <CopyButton text={key} what={t('key')}>
            <code className="sp-backups__path">{key}</code>
          </CopyButton>
          <p className="sp-muted">{t('keyHide')}</p>
        </>
      ) : (
        <>
          <p className="sp-muted">{t('keyText')}</p>
          <Form noSummary preventScrollReset>
            <Button type="submit" name="_intent" value="key" icon="key">
              {t('keyShow')}
            </Button>
          </Form>
        </>
      )}
    </Card>
  );
}
