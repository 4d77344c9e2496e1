import type { ReactNode } from 'react';
import { redirect, useLoaderData, useLocation } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { listSearch, pageCount, readList } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { useRefresh } from '#client/lib/use-refresh.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import type { Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar, type Filter } from '#client/ui/filter-bar.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { PagedTable } from '#client/ui/paged-table.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import { Status } from '#client/ui/status.tsx';
import type { StaffServerView } from '#shared/contract/staff-servers.ts';
import { href } from '#shared/routes/staff-href.ts';
import { EMBEDDED_PANEL, STAFF_SERVER_STATES } from '#shared/schemas/staff-server.ts';
import { ColumnMenu, shownColumns } from '../parts/columns.tsx';
import { ExportLink } from '../parts/export-link.tsx';
import { Owner, SERVER_SHAPES } from '../parts/servers.tsx';
import { SERVER_LIST, toServerQuery } from './query.ts';

/** A page of the servers. */
export async function loader(args: LoaderFunctionArgs) {
  const { pathname, search } = new URL(args.request.url);
  const state = readList(search, SERVER_LIST);
  const listed = await apiOf(args).adminServers.list({ query: toServerQuery(state) });
  const last = pageCount(listed.paging.total, state.size);
  if (state.page > last) throw redirect(pathname + listSearch(state, SERVER_LIST, { page: last }));
  return listed;
}
type Data = Awaited<ReturnType<typeof loader>>;

/** How often the list is refreshed, in ms: states change by themselves. */
const REFRESH_MS = 15_000;

/** /mc-admin/servers */
export default function ServersScreen(): ReactNode {
  const t = useT('staffServers');
  const data = useLoaderData<typeof loader>();
  const list = useListState(SERVER_LIST);
  const { search } = useLocation();
  useRefresh(REFRESH_MS, true);
  const columns = useColumns(list.hrefOf);
  const actions = (
    <>
      <ColumnMenu columns={columns} state={list.state} hrefOf={list.hrefOf} />
      <ExportLink path="/api/admin/servers/export.csv" query={toServerQuery(list.state)}>
        {t('export')}
      </ExportLink>
      <DriftLink count={data.drift} />
    </>
  );
  return (
    <Page>
      <PageHead title={t('title')} text={t('text')} crumbs={useCrumbs()} actions={actions} />
      {new URLSearchParams(search).get('done') === 'delete' && (
        <Banner tone="positive" live>
          {t('deletionStarted')}
        </Banner>
      )}
      <Card flush>
        <Counts counts={data.counts} />
        <FilterBar spec={SERVER_LIST} {...list} searchLabel={t('search')} filters={useFilters(data)} />
        <PagedTable
          list={list}
          paging={data.paging}
          caption={t('title')}
          columns={shownColumns(list.state, columns)}
          rows={data.rows}
          rowKey={(row) => row.id}
          rowName={(row) => row.name}
          empty={<EmptyState as="h2" title={t('empty')} text={t('emptyText')} />}
        />
      </Card>
    </Page>
  );
}

function DriftLink({ count }: { count: number }): ReactNode {
  const t = useT('staffServers');
  return (
    <LinkButton to={href('admin.servers.drift')} icon={count > 0 ? 'alert' : 'check'}>
      {count > 0 ? t('driftCount', { count }) : t('driftNone')}
    </LinkButton>
  );
}

function Counts({ counts }: { counts: Data['counts'] }): ReactNode {
  const t = useT('staffServers');
  const format = useFormat();
  return (
    <Stats>
      <StatTile label={t('count.total')} value={format.number(counts.total)} />
      {(['active', 'suspended', 'failed'] as const).map((state) => (
        <StatTile key={state} label={t(`state.${state}`)} value={format.number(counts[state])} />
      ))}
    </Stats>
  );
}

function useFilters({ locations, panels }: Data): readonly Filter[] {
  const t = useT('staffServers');
  return [
    {
      name: 'state',
      label: t('anyState'),
      options: STAFF_SERVER_STATES.map((value) => ({ value, label: t(`state.${value}`) })),
    },
    {
      name: 'location',
      label: t('anyLocation'),
      options: locations.map(({ id, name }) => ({ value: id, label: name })),
    },
    {
      name: 'panel',
      label: t('anyPanel'),
      options: [
        { value: EMBEDDED_PANEL, label: t('builtIn') },
        ...panels.map(({ id, name }) => ({ value: id, label: name })),
      ],
    },
  ];
}

function useColumns(hrefOf: ReturnType<typeof useListState>['hrefOf']): readonly Column<StaffServerView>[] {
  const t = useT('staffServers');
  const format = useFormat();
  return [
    {
      key: 'name',
      label: t('server'),
      title: true,
      sort: 'asc',
      name: (row) => row.name,
      cell: (row) => (
        <span className="sp-user-name">
          <TextLink to={href('admin.servers.view', { id: row.id })}>{row.name}</TextLink>
          <span className="sp-muted">{row.address ?? t('noAddress')}</span>
        </span>
      ),
    },
    {
      key: 'owner',
      label: t('owner'),
      sort: 'asc',
      cell: (row) => <Owner owner={row.owner} />,
    },
    {
      key: 'state',
      phone: 'lead',
      label: t('stateLabel'),
      cell: (row) => (
        <>
          <Status shape={SERVER_SHAPES[row.state]}>{t(`state.${row.state}`)}</Status>
          {row.suspend_reason !== null && <span className="sp-muted"> {t(`reason.${row.suspend_reason}`)}</span>}{' '}
          {row.pending && <Badge tone="info">{t('pendingBadge')}</Badge>}
        </>
      ),
    },
    {
      key: 'location',
      label: t('location'),
      cell: (row) => (
        <>
          <TextLink to={hrefOf({ filters: { location: row.location.id } })} preventScrollReset>
            {row.location.name}
          </TextLink>{' '}
          {row.panel !== null && <span className="sp-muted">{row.panel.name}</span>}
        </>
      ),
    },
    {
      key: 'expires',
      phone: 'labelled',
      label: t('expires'),
      sort: 'asc',
      cell: (row) =>
        row.expires_at === null ? (
          <span className="sp-muted">{t('never')}</span>
        ) : (
          <time dateTime={row.expires_at}>{format.date(row.expires_at)}</time>
        ),
    },
    {
      key: 'created',
      label: t('created'),
      sort: 'desc',
      hideOnPhone: true,
      cell: (row) => <time dateTime={row.created_at}>{format.date(row.created_at)}</time>,
    },
  ];
}
