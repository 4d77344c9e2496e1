import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData, useLocation } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { listSearch, pageCount, readList } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { useRefresh } from '#client/lib/use-refresh.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import type { Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar, type Filter } from '#client/ui/filter-bar.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { PagedTable } from '#client/ui/paged-table.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import type { StaffDriftView } from '#shared/contract/staff-servers.ts';
import { href } from '#shared/routes/staff-href.ts';
import { DRIFT_KINDS, EMBEDDED_PANEL } from '#shared/schemas/staff-server.ts';
import { Moment, RefusalBanner } from '../parts/servers.tsx';
import { useDriftText } from './drift-text.ts';
import { DRIFT_LIST, toDriftQuery } from './query.ts';

/** A page of the drift list. */
export async function loader(args: LoaderFunctionArgs) {
  const { pathname, search } = new URL(args.request.url);
  const state = readList(search, DRIFT_LIST);
  const listed = await apiOf(args).adminServers.drift({ query: toDriftQuery(state) });
  const last = pageCount(listed.paging.total, state.size);
  if (state.page > last) throw redirect(pathname + listSearch(state, DRIFT_LIST, { page: last }));
  return listed;
}
type Data = Awaited<ReturnType<typeof loader>>;

/** Requests a reconcile of every panel now. */
export async function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  const form = await args.request.formData();
  try {
    await apiOf(args).adminServers.reconcile();
    return redirect(href('admin.servers.drift'));
  } catch (error) {
    return toFormFailure(error, form);
  }
}

const [RECONCILING_MS, IDLE_MS] = [1500, 30_000];

/** /mc-admin/servers/drift (behaviour 6.3) */
export default function DriftScreen(): ReactNode {
  const t = useT('staffServers');
  const format = useFormat();
  const data = useLoaderData<typeof loader>();
  const list = useListState(DRIFT_LIST);
  const { permissions } = useShell().session;
  const edits = can(permissions, 'admin.servers.edit');
  const deletes = can(permissions, 'admin.servers.delete');
  const refused = useActionData<FormFailure>();
  const { search } = useLocation();
  const orphanDeleted = new URLSearchParams(search).get('done') === 'deleteOrphan';
  useRefresh(data.reconciling ? RECONCILING_MS : IDLE_MS, true);
  return (
    <Page>
      <PageHead
        title={t('driftTitle')}
        text={t('driftLead')}
        crumbs={useCrumbs()}
        {...(edits ? { actions: <ReconcileNow busy={data.reconciling} /> } : {})}
      />
      {refused && <RefusalBanner answer={refused} />}
      {orphanDeleted && (
        <Banner tone="positive" live>
          {t('orphanDeleted')}
        </Banner>
      )}
      {data.reconciling && <Banner live>{t('comparing')}</Banner>}
      <p className="sp-muted sp-small sp-on-canvas">
        {data.reconciled_at === null ? (
          t('neverCompared')
        ) : (
          <>
            {t('comparedAt')} <Moment at={data.reconciled_at} />
          </>
        )}
      </p>
      <Card flush>
        <Stats>
          {DRIFT_KINDS.map((kind) => (
            <StatTile key={kind} label={t(`driftKind.${kind}`)} value={format.number(data.counts[kind])} />
          ))}
        </Stats>
        <FilterBar spec={DRIFT_LIST} {...list} filters={useFilters(data)} />
        <PagedTable
          phone="cards"
          list={list}
          paging={data.paging}
          caption={t('driftTitle')}
          columns={useColumns({ edits, deletes })}
          rows={data.rows}
          rowKey={({ panel, kind, ref }) => `${panel?.id ?? ''} ${kind} ${ref}`}
          rowName={(row) => row.name}
          empty={<EmptyState as="h2" title={t('driftEmpty')} text={t('driftEmptyText')} />}
        />
      </Card>
    </Page>
  );
}

function ReconcileNow({ busy }: { busy: boolean }): ReactNode {
  const t = useT('staffServers');
  return (
    <Form noSummary preventScrollReset>
      <Button type="submit" variant="primary" icon="refresh" busy={busy}>
        {t('compareNow')}
      </Button>
    </Form>
  );
}

function useFilters({ panels }: Data): readonly Filter[] {
  const t = useT('staffServers');
  return [
    {
      name: 'kind',
      label: t('anyKind'),
      options: DRIFT_KINDS.map((value) => ({ value, label: t(`driftKind.${value}`) })),
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

const SHAPES = { orphan: 'scheduled', ghost: 'failed', differs: 'expiring' } as const;

interface DriftRights {
  readonly edits: boolean;
  readonly deletes: boolean;
}

function useColumns(may: DriftRights): readonly Column<StaffDriftView>[] {
  const t = useT('staffServers');
  return [
    {
      key: 'name',
      label: t('server'),
      title: true,
      sort: 'asc',
      name: (row) => row.name,
      cell: (row) => (
        <span className="sp-user-name">
          {row.server ? (
            <TextLink to={href('admin.servers.view', { id: row.server.id })}>{row.server.name}</TextLink>
          ) : (
            row.name
          )}
          <span className="sp-muted">{row.server ? row.server.owner : t('refOf', { ref: row.ref })}</span>
        </span>
      ),
    },
    {
      key: 'kind',
      label: t('kindLabel'),
      cell: (row) => <Status shape={SHAPES[row.kind]}>{t(`driftKind.${row.kind}`)}</Status>,
    },
    { key: 'panel', label: t('panel'), cell: (row) => row.panel?.name ?? t('builtIn') },
    { key: 'what', label: t('actions'), wrap: true, cell: (row) => <DriftActions row={row} may={may} /> },
    { key: 'first', label: t('firstSeen'), sort: 'desc', cell: (row) => <Moment at={row.first_at} /> },
    { key: 'seen', label: t('lastSeen'), cell: (row) => <Moment at={row.seen_at} /> },
  ];
}

/** What a drift means, and its actions. */
function DriftActions({ row, may }: { row: StaffDriftView; may: DriftRights }): ReactNode {
  const t = useT('staffServers');
  const { differs } = useDriftText();
  if (row.kind === 'ghost') return t('ghostText');
  if (row.kind === 'differs') return t('differsText', { what: differs(row.detail) });
  if (row.panel === null || (!may.edits && !may.deletes)) return t('orphanText');
  const which = new URLSearchParams({ panel: row.panel.id, ref: row.ref }).toString();
  return (
    <div className="sp-btn-row">
      {may.edits && (
        <LinkButton
          to={`${href('admin.servers.adopt')}?${which}`}
          size="sm"
          icon="download"
          aria-label={t('adoptOf', { name: row.name })}
        >
          {t('adopt')}
        </LinkButton>
      )}
      {may.deletes && (
        <LinkButton
          to={`${href('admin.servers.deleteOrphan')}?${which}`}
          size="sm"
          variant="danger-quiet"
          icon="trash"
          aria-label={t('deleteOrphanOf', { name: row.name })}
        >
          {t('deleteOrphan')}
        </LinkButton>
      )}
    </div>
  );
}
