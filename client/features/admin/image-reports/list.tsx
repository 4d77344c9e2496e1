import { useState } from 'react';
import type { ReactNode } from 'react';
import { redirect, useLoaderData, useNavigation } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { listSearch, pageCount, readList } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Card } from '#client/ui/card.tsx';
import type { Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar } from '#client/ui/filter-bar.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { PagedTable } from '#client/ui/paged-table.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import type { ImageReportRow } from '#shared/contract/image-reports.ts';
import { REPORT_REASONS } from '#shared/image-reports.ts';
import { href } from '#shared/routes/staff-href.ts';
import { ReportsBulk } from './bulk.tsx';
import { REPORT_SHAPES, REPORTS_LIST, toReportsQuery } from './query.ts';

/** A page of reports; those that wait unless the address says otherwise. */
export async function loader(args: LoaderFunctionArgs) {
  const { pathname, search } = new URL(args.request.url);
  const state = readList(search, REPORTS_LIST);
  const listed = await apiOf(args).adminImageReports.list({ query: toReportsQuery(state) });
  const last = pageCount(listed.paging.total, state.size);
  if (state.page > last && !listed.paging.more)
    throw redirect(pathname + listSearch(state, REPORTS_LIST, { page: last }));
  return listed;
}

/** /mc-admin/image-reports (behaviour 5.5) */
export default function ImageReportsScreen(): ReactNode {
  const t = useT('staffImageReports');
  const words = useT('imageReports');
  const data = useLoaderData<typeof loader>();
  const list = useListState(REPORTS_LIST);
  const busy = useNavigation().state !== 'idle';
  useLive(['attention']);
  const [selected, change] = useState<ReadonlySet<string>>(new Set());
  const mayDecide = can(useShell().session.permissions, 'admin.image.reports.edit');
  // Only reports that wait are decided together, and what has left the page is no longer meant.
  const selection = mayDecide &&
    list.state.filters.state === undefined && {
      selected: new Set(data.rows.map(({ id }) => id).filter((id) => selected.has(id))),
      change,
    };
  const states = (['hidden', 'deleted', 'rejected'] as const).map((value) => ({ value, label: t(`state.${value}`) }));
  return (
    <Page>
      <PageHead title={t('title')} text={t('text')} crumbs={useCrumbs()} />
      <Card flush>
        <FilterBar
          spec={REPORTS_LIST}
          {...list}
          filters={[
            {
              name: 'state',
              label: t('state.open'),
              options: [...states, { value: 'all', label: t('allStates') }],
            },
            {
              name: 'reason',
              label: t('allReasons'),
              options: REPORT_REASONS.map((value) => ({ value, label: words(`reasons.${value}`) })),
            },
          ]}
        />
        <PagedTable
          list={list}
          paging={data.paging}
          {...(selection ? { selection } : {})}
          caption={t('title')}
          columns={useColumns()}
          rows={data.rows}
          rowKey={(row) => row.id}
          rowName={(row) => row.name}
          empty={<EmptyState as="h2" art="circle-check" title={t('empty')} text={t('emptyText')} />}
          noMatch={<EmptyState as="h2" art="search" title={t('noMatch')} text={t('noMatchText')} />}
          busy={busy}
        />
      </Card>
      {selection && <ReportsBulk selection={selection} />}
    </Page>
  );
}

function useColumns(): readonly Column<ImageReportRow>[] {
  const t = useT('staffImageReports');
  const words = useT('imageReports');
  const format = useFormat();
  const nowMs = useNow(60_000);
  const opens = can(useShell().session.permissions, 'admin.image.reports.view');
  return [
    {
      key: 'image',
      label: t('columnImage'),
      title: true,
      cell: ({ id, name }) =>
        opens ? (
          <TextLink to={href('admin.imageReports.edit', { id })}>{name || t('noName')}</TextLink>
        ) : (
          name || t('noName')
        ),
    },
    {
      key: 'reason',
      label: t('columnReason'),
      cell: ({ reason }) => <Badge tone="warning">{words(`reasons.${reason}`)}</Badge>,
    },
    {
      key: 'reports',
      label: t('columnReports'),
      phone: 'labelled',
      align: 'end',
      cell: ({ complaints }) => format.number(complaints),
    },
    { key: 'owner', label: t('columnOwner'), phone: 'labelled', cell: ({ owner }) => owner || t('nobody') },
    {
      key: 'when',
      label: t('columnWhen'),
      cell: ({ created_at: at }) => <time dateTime={at}>{format.when(at, nowMs)}</time>,
    },
    {
      key: 'state',
      label: t('columnState'),
      cell: ({ state }) => <Status shape={REPORT_SHAPES[state]}>{t(`state.${state}`)}</Status>,
    },
  ];
}
