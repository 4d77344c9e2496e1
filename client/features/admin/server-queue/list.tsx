import type { ReactNode } from 'react';
import { redirect, useLoaderData, useLocation } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { listSearch, pageCount, readList, type ListState } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { useRefresh } from '#client/lib/use-refresh.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import type { Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar } from '#client/ui/filter-bar.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import type { MenuItem } from '#client/ui/menu.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { PagedTable } from '#client/ui/paged-table.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import type { StaffEntryView } from '#shared/contract/staff-servers.ts';
import { href } from '#shared/routes/staff-href.ts';
import { QUEUE_STATES } from '#shared/schemas/server.ts';
import { ColumnMenu, shownColumns } from '../parts/columns.tsx';
import { ExportLink } from '../parts/export-link.tsx';
import { Moment, Owner, QUEUE_SHAPES, useStepText } from '../parts/servers.tsx';
import { QUEUE_LIST, toQueueQuery } from './query.ts';

/** A page of the queue. */
export async function loader(args: LoaderFunctionArgs) {
  const { pathname, search } = new URL(args.request.url);
  const state = readList(search, QUEUE_LIST);
  const listed = await apiOf(args).adminServerQueue.list({ query: toQueueQuery(state) });
  const last = pageCount(listed.paging.total, state.size);
  if (state.page > last) throw redirect(pathname + listSearch(state, QUEUE_LIST, { page: last }));
  return listed;
}

/** How often the list is refreshed, ms: more often while something is in progress. */
const [BUSY_MS, QUIET_MS] = [3000, 15_000];

/** /mc-admin/server-queue */
export default function QueueScreen(): ReactNode {
  const t = useT('staffServers');
  const format = useFormat();
  const data = useLoaderData<typeof loader>();
  const { counts } = data;
  const list = useListState(QUEUE_LIST);
  const { search } = useLocation();
  const done = new URLSearchParams(search).get('done') === 'delete';
  const columns = useColumns();
  useRefresh(counts.queued + counts.building > 0 ? BUSY_MS : QUIET_MS, true);
  return (
    <Page>
      <PageHead
        title={t('queueTitle')}
        text={t('queueText')}
        crumbs={useCrumbs()}
        actions={
          <>
            <ColumnMenu columns={columns} state={list.state} hrefOf={list.hrefOf} />
            <Actions state={list.state} />
          </>
        }
      />
      {done && (
        <Banner tone="positive" live>
          {t('entryDeleted')}
        </Banner>
      )}
      <Card flush>
        <Stats>
          <StatTile label={t('count.entries')} value={format.number(counts.total)} />
          {(['queued', 'building', 'failed'] as const).map((each) => (
            <StatTile key={each} label={t(`queueState.${each}`)} value={format.number(counts[each])} />
          ))}
        </Stats>
        <FilterBar
          spec={QUEUE_LIST}
          {...list}
          searchLabel={t('search')}
          filters={[
            {
              name: 'state',
              label: t('anyState'),
              options: QUEUE_STATES.map((value) => ({ value, label: t(`queueState.${value}`) })),
            },
          ]}
        />
        <PagedTable
          list={list}
          paging={data.paging}
          caption={t('queueTitle')}
          columns={shownColumns(list.state, columns)}
          rows={data.rows}
          rowKey={(row) => row.id}
          rowName={(row) => row.server.name}
          rowMenu={useMenu()}
          empty={<EmptyState as="h2" title={t('queueEmpty')} text={t('queueEmptyText')} />}
        />
      </Card>
    </Page>
  );
}

function Actions({ state }: { state: ListState }): ReactNode {
  const t = useT('staffServers');
  const { permissions } = useShell().session;
  return (
    <>
      <ExportLink path="/api/admin/server-queue/export.csv" query={toQueueQuery(state)}>
        {t('export')}
      </ExportLink>
      {can(permissions, 'admin.server.queue.logs.view') && (
        <LinkButton to={href('admin.serverQueue.logs')} icon="log">
          {t('logs')}
        </LinkButton>
      )}
      {can(permissions, 'admin.server.queue.create') && (
        <LinkButton to={href('admin.serverQueue.new')} variant="primary" icon="plus">
          {t('createFor')}
        </LinkButton>
      )}
    </>
  );
}

function useMenu(): (row: StaffEntryView) => readonly MenuItem[] {
  const t = useT('staffServers');
  const { permissions } = useShell().session;
  return ({ id, state }) => [
    ...(can(permissions, 'admin.server.queue.view')
      ? [{ id: 'view', label: t('viewSteps'), icon: 'eye' as const, to: href('admin.serverQueue.view', { id }) }]
      : []),
    ...(can(permissions, 'admin.server.queue.delete') && state !== 'building'
      ? [
          {
            id: 'delete',
            label: t('deleteEntry'),
            icon: 'trash' as const,
            tone: 'danger' as const,
            to: href('admin.serverQueue.delete', { id }),
          },
        ]
      : []),
  ];
}

function useColumns(): readonly Column<StaffEntryView>[] {
  const t = useT('staffServers');
  const { permissions } = useShell().session;
  const views = can(permissions, 'admin.server.queue.view');
  const { detail } = useStepText();
  const reasonOf = ({ state, waiting, last_error: why }: StaffEntryView): string =>
    waiting !== null
      ? detail({ code: 'postponed', detail: waiting.cause })
      : why === null
        ? ''
        : detail({ code: state === 'failed' ? 'failed' : 'retry', detail: why });
  return [
    {
      key: 'server',
      label: t('server'),
      title: true,
      name: (row) => row.server.name,
      cell: (row) => (
        <>
          {views ? (
            <TextLink to={href('admin.serverQueue.view', { id: row.id })}>{row.server.name}</TextLink>
          ) : (
            row.server.name
          )}{' '}
          {row.vip && (
            <Badge tone="vip" icon="crown">
              {t('vip')}
            </Badge>
          )}
        </>
      ),
    },
    { key: 'owner', label: t('owner'), cell: (row) => <Owner owner={row.owner} /> },
    {
      key: 'state',
      phone: 'lead',
      label: t('stateLabel'),
      cell: (row) => <Status shape={QUEUE_SHAPES[row.state]}>{t(`queueState.${row.state}`)}</Status>,
    },
    { key: 'reason', label: t('reasonLabel'), cell: (row) => reasonOf(row) || '–' },
    {
      key: 'location',
      label: t('location'),
      cell: (row) => (
        <>
          {row.location.name} {row.panel !== null && <span className="sp-muted">{row.panel.name}</span>}
        </>
      ),
    },
    { key: 'created', label: t('requestedAt'), sort: 'desc', cell: (row) => <Moment at={row.created_at} /> },
    { key: 'done', label: t('endedAt'), hideOnPhone: true, cell: (row) => <Moment at={row.done_at} /> },
  ];
}
