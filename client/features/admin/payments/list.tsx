import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useMoney } from '#client/lib/money.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { isFiltered, readList, writeSort, type ListState } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import type { Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar } from '#client/ui/filter-bar.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { PagedTable } from '#client/ui/paged-table.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { ORDER_STATES, PROVIDERS } from '#shared/schemas/payment.ts';
import { ExportLink } from '../parts/export-link.tsx';
import { ORDER_SHAPES } from '../parts/orders.ts';
import { PAYMENTS_LIST } from './parts.ts';
import { Problems, RetryResult, retryProblem } from './problems.tsx';

/** The orders of all users, filtered by the address, and the problems that need attention. */
export async function loader(args: LoaderFunctionArgs) {
  const state = readList(new URL(args.request.url).search, PAYMENTS_LIST);
  const api = apiOf(args).adminPayments;
  return { ...(await api.list({ query: toPaymentsQuery(state) })), ...(await api.problems()) };
}
type Data = Awaited<ReturnType<typeof loader>>;
type Row = Data['rows'][number];

export const action = (args: ActionFunctionArgs): Promise<FormResult<null>> => retryProblem(args);

const SORTS = ['created_at', '-created_at', 'amount', '-amount'] as const;

/** The API query of a list's state; invalid values (typed by hand) are left out. */
function toPaymentsQuery({ page, size, q, filters, sort }: ListState) {
  const order = writeSort(sort);
  return {
    page: String(page),
    per_page: String(size),
    q: q.slice(0, 100),
    sort: SORTS.find((known) => known === order),
    state: ORDER_STATES.find((known) => known === filters.state),
    provider: PROVIDERS.find((known) => known === filters.provider),
  };
}

/** /mc-admin/payments */
export default function PaymentsScreen(): ReactNode {
  const t = useT('payments');
  const { rows, paging, problems } = useLoaderData<typeof loader>();
  const list = useListState(PAYMENTS_LIST);
  const { permissions } = useShell().session;
  const filters = [
    {
      name: 'state',
      label: t('columnState'),
      options: ORDER_STATES.map((value) => ({ value, label: t(`state.${value}`) })),
    },
    {
      name: 'provider',
      label: t('columnProvider'),
      options: PROVIDERS.map((value) => ({ value, label: t(`provider.${value}`) })),
    },
  ];
  return (
    <Page>
      <PageHead
        title={t('adminTitle')}
        text={t('adminText')}
        crumbs={useCrumbs()}
        actions={
          <ExportLink path="/api/admin/payments/export.csv" query={toPaymentsQuery(list.state)}>
            {t('export')}
          </ExportLink>
        }
      />
      <RetryResult />
      <Problems
        problems={problems}
        may={can(permissions, 'admin.payments.edit')}
        opens={can(permissions, 'admin.payments.view')}
      />
      <Card flush>
        {(rows.length > 0 || isFiltered(list.state)) && (
          <FilterBar spec={PAYMENTS_LIST} {...list} searchLabel={t('search')} filters={filters} />
        )}
        <PagedTable
          list={list}
          paging={paging}
          caption={t('adminTitle')}
          columns={useColumns(can(permissions, 'admin.payments.view'))}
          rows={rows}
          rowKey={(row) => row.id}
          rowName={(row) => row.label ?? t('customAmount')}
          empty={<EmptyState as="h2" art="receipt" title={t('noOrders')} text={t('noOrdersText')} />}
        />
      </Card>
    </Page>
  );
}

function useColumns(opens: boolean): readonly Column<Row>[] {
  const t = useT('payments');
  const format = useFormat();
  const money = useMoney();
  const now = useNow(60_000);
  return [
    {
      key: 'what',
      label: t('columnWhat'),
      title: true,
      cell: (row) =>
        opens ? (
          <TextLink to={href('admin.payments.view', { id: row.id })}>{row.label ?? t('customAmount')}</TextLink>
        ) : (
          (row.label ?? t('customAmount'))
        ),
    },
    { key: 'code', label: t('referenceLabel'), hideOnPhone: true, cell: (row) => <code>{row.code}</code> },
    {
      key: 'user',
      label: t('columnUser'),
      cell: (row) => row.user?.username ?? <span className="sp-muted">{t('accountDeleted')}</span>,
    },
    {
      key: 'state',
      label: t('columnState'),
      cell: (row) => <Status shape={ORDER_SHAPES[row.state]}>{t(`state.${row.state}`)}</Status>,
    },
    { key: 'provider', label: t('columnProvider'), hideOnPhone: true, cell: (row) => t(`provider.${row.provider}`) },
    {
      key: 'created_at',
      label: t('columnWhen'),
      sort: 'desc',
      cell: (row) => <time dateTime={row.created_at}>{format.when(row.created_at, now)}</time>,
    },
    {
      key: 'credits',
      label: t('credits'),
      align: 'end',
      hideOnPhone: true,
      cell: (row) => <CreditAmount value={row.credits + row.bonus} />,
    },
    {
      key: 'amount',
      phone: 'lead',
      label: t('amount'),
      align: 'end',
      sort: 'desc',
      cell: (row) => <span className="sp-num">{money(row.amount, row.currency)}</span>,
    },
    {
      key: 'receipt',
      label: t('receipt'),
      hideOnPhone: true,
      cell: (row) => row.receipt ?? <span className="sp-muted">–</span>,
    },
  ];
}
