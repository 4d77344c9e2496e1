import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useMoney } from '#client/lib/money.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { isFiltered, readList, writeSort, type ListState, type Sort } from '#client/lib/url-state.ts';
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
import { placeOf, useAmountElsewhere } from '#client/ui/payments-elsewhere.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import { minorDigits } from '#shared/money.ts';
import { href } from '#shared/routes/staff-href.ts';
import { ORDER_STATES, PROVIDERS } from '#shared/schemas/payment.ts';
import { ColumnMenu, shownColumns } from '../parts/columns.tsx';
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
type Elsewhere = Data['elsewhere'][number];
/** A payment of either kind: an order, or what was paid at another dashboard. */
type Row = { readonly id: string; readonly user: Elsewhere['user'] } & (
  | { readonly order: Data['rows'][number]; readonly elsewhere: null }
  | { readonly order: null; readonly elsewhere: Elsewhere }
);

/** The number of whole units that is read as an amount; 0 where it is not known. */
const sizeOf = ({ amount, currency }: { readonly amount: number | null; readonly currency: string }): number =>
  (amount ?? 0) / 10 ** minorDigits(currency);

/** Orders and what was paid elsewhere, each in the order of the page, as one list. */
function mergeRows({ rows, elsewhere }: Pick<Data, 'rows' | 'elsewhere'>, { key, dir }: Sort): Row[] {
  const valueOf = ({ order, elsewhere: other }: Row): number => {
    if (key === 'amount') return sizeOf(order ?? other);
    return Date.parse(order?.created_at ?? other?.paid_at ?? '1970-01-01T00:00:00.000Z');
  };
  const all: Row[] = [
    ...rows.map((order) => ({ id: order.id, user: order.user, order, elsewhere: null })),
    ...elsewhere.map((other) => ({ id: other.id, user: other.user, order: null, elsewhere: other })),
  ];
  return all.toSorted((a, b) => (valueOf(a) - valueOf(b)) * (dir === 'asc' ? 1 : -1));
}

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
    provider: [...PROVIDERS, 'imported' as const].find((known) => known === filters.provider),
  };
}

/** /mc-admin/payments */
export default function PaymentsScreen(): ReactNode {
  const t = useT('payments');
  const { problems, paging, ...found } = useLoaderData<typeof loader>();
  const list = useListState(PAYMENTS_LIST);
  const rows = mergeRows(found, list.state.sort);
  const { permissions } = useShell().session;
  const columns = useColumns(can(permissions, 'admin.payments.view'));
  const filters = [
    {
      name: 'state',
      label: t('columnState'),
      options: ORDER_STATES.map((value) => ({ value, label: t(`state.${value}`) })),
    },
    {
      name: 'provider',
      label: t('columnProvider'),
      options: [
        ...PROVIDERS.map((value) => ({ value, label: t(`provider.${value}`) })),
        { value: 'imported', label: t('imported') },
      ],
    },
  ];
  return (
    <Page>
      <PageHead
        title={t('adminTitle')}
        text={t('adminText')}
        crumbs={useCrumbs()}
        actions={
          <>
            <ColumnMenu columns={columns} state={list.state} hrefOf={list.hrefOf} />
            <ExportLink path="/api/admin/payments/export.csv" query={toPaymentsQuery(list.state)}>
              {t('export')}
            </ExportLink>
          </>
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
          columns={shownColumns(list.state, columns)}
          rows={rows}
          rowKey={(row) => row.id}
          rowName={(row) => nameOf(row) ?? t('customAmount')}
          empty={<EmptyState as="h2" art="receipt" title={t('noOrders')} text={t('noOrdersText')} />}
        />
      </Card>
    </Page>
  );
}

/** What a row is called; null: an order of a free amount. */
const nameOf = ({ order, elsewhere }: Row): string | null =>
  order ? order.label : elsewhere.reference || placeOf(elsewhere);

function useColumns(opens: boolean): readonly Column<Row>[] {
  const t = useT('payments');
  const format = useFormat();
  const money = useMoney();
  const amountElsewhere = useAmountElsewhere();
  const now = useNow(60_000);
  const none = <span className="sp-muted">–</span>;
  return [
    {
      key: 'what',
      label: t('columnWhat'),
      title: true,
      cell: (row) =>
        row.order && opens ? (
          <TextLink to={href('admin.payments.view', { id: row.id })}>{nameOf(row) ?? t('customAmount')}</TextLink>
        ) : (
          (nameOf(row) ?? t('customAmount'))
        ),
    },
    {
      key: 'code',
      label: t('referenceLabel'),
      hideOnPhone: true,
      cell: ({ order }) => (order ? <code>{order.code}</code> : none),
    },
    {
      key: 'user',
      label: t('columnUser'),
      cell: (row) => row.user?.username ?? <span className="sp-muted">{t('accountDeleted')}</span>,
    },
    {
      key: 'state',
      label: t('columnState'),
      cell: ({ order, elsewhere }) =>
        order ? (
          <Status shape={ORDER_SHAPES[order.state]}>{t(`state.${order.state}`)}</Status>
        ) : (
          <Status shape="off">{[t('imported'), elsewhere.status].filter(Boolean).join(' · ')}</Status>
        ),
    },
    {
      key: 'provider',
      label: t('columnProvider'),
      hideOnPhone: true,
      cell: ({ order, elsewhere }) => (order ? t(`provider.${order.provider}`) : placeOf(elsewhere)),
    },
    {
      key: 'created_at',
      label: t('columnWhen'),
      sort: 'desc',
      cell: ({ order, elsewhere }) => {
        const at = order ? order.created_at : elsewhere.paid_at;
        return at === null ? none : <time dateTime={at}>{format.when(at, now)}</time>;
      },
    },
    {
      key: 'credits',
      label: t('credits'),
      align: 'end',
      hideOnPhone: true,
      cell: ({ order, elsewhere }) => {
        const credits = order ? order.credits + order.bonus : elsewhere.credits;
        return credits === null ? none : <CreditAmount value={credits} />;
      },
    },
    {
      key: 'amount',
      phone: 'lead',
      label: t('amount'),
      align: 'end',
      sort: 'desc',
      cell: ({ order, elsewhere }) => (
        <span className="sp-num">{order ? money(order.amount, order.currency) : amountElsewhere(elsewhere)}</span>
      ),
    },
    {
      key: 'receipt',
      label: t('receipt'),
      hideOnPhone: true,
      cell: ({ order }) => order?.receipt ?? none,
    },
  ];
}
