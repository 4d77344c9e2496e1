import type { ReactNode } from 'react';
import { redirect, useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { listSearch, pageCount, readList } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { useRefresh } from '#client/lib/use-refresh.ts';
import { Card } from '#client/ui/card.tsx';
import type { Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar } from '#client/ui/filter-bar.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { PagedTable } from '#client/ui/paged-table.tsx';
import { can } from '#shared/can.ts';
import type { StaffStepView } from '#shared/contract/staff-servers.ts';
import { href } from '#shared/routes/staff-href.ts';
import { QUEUE_STEPS } from '#shared/server-codes.ts';
import { useStepText } from '../parts/servers.tsx';
import { LOG_LIST, toLogQuery } from './query.ts';

/** A page of the log, newest first. */
export async function loader(args: LoaderFunctionArgs) {
  const { pathname, search } = new URL(args.request.url);
  const state = readList(search, LOG_LIST);
  const listed = await apiOf(args).adminServerQueue.logs({ query: toLogQuery(state) });
  const last = pageCount(listed.paging.total, state.size);
  if (state.page > last) throw redirect(pathname + listSearch(state, LOG_LIST, { page: last }));
  return listed;
}

const REFRESH_MS = 10_000;

/** /mc-admin/server-queue/logs */
export default function QueueLogScreen(): ReactNode {
  const t = useT('staffServers');
  const { rows, paging } = useLoaderData<typeof loader>();
  const list = useListState(LOG_LIST);
  const { step } = useStepText();
  useRefresh(REFRESH_MS, list.state.page === 1);
  return (
    <Page>
      <PageHead title={t('logsTitle')} text={t('logsText')} crumbs={useCrumbs()} />
      <Card flush>
        <FilterBar
          spec={LOG_LIST}
          {...list}
          searchLabel={t('searchLog')}
          filters={[
            { name: 'code', label: t('anyStep'), options: QUEUE_STEPS.map((value) => ({ value, label: step(value) })) },
          ]}
        />
        <PagedTable
          list={list}
          paging={paging}
          caption={t('logsTitle')}
          columns={useColumns()}
          rows={rows}
          rowKey={(row) => row.id}
          rowName={(row) => row.server ?? row.server_id}
          empty={<EmptyState as="h2" title={t('logsEmpty')} text={t('queueEmptyText')} />}
        />
      </Card>
    </Page>
  );
}

function useColumns(): readonly Column<StaffStepView>[] {
  const t = useT('staffServers');
  const format = useFormat();
  const words = useStepText();
  const { permissions } = useShell().session;
  const views = can(permissions, 'admin.server.queue.view');
  return [
    {
      key: 'step',
      label: t('stepLabel'),
      title: true,
      name: (row) => words.step(row.code),
      wrap: true,
      cell: (row) => (
        <span className="sp-user-name">
          <span>{words.step(row.code)}</span>
          <span className="sp-muted">{words.detail(row)}</span>
        </span>
      ),
    },
    {
      key: 'server',
      label: t('server'),
      cell: (row) =>
        row.entry_id !== null && views ? (
          <TextLink to={href('admin.serverQueue.view', { id: row.entry_id })}>{row.server ?? row.server_id}</TextLink>
        ) : (
          (row.server ?? row.server_id)
        ),
    },
    { key: 'owner', label: t('owner'), cell: (row) => row.owner ?? '–' },
    {
      key: 'at',
      phone: 'lead',
      label: t('when'),
      cell: (row) => <time dateTime={row.at}>{format.dateTime(row.at)}</time>,
    },
  ];
}
