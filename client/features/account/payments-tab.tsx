import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useMoney } from '#client/lib/money.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { DataTable } from '#client/ui/data-table.tsx';
import type { Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Pager } from '#client/ui/pager.tsx';
import { PaymentsElsewhere } from '#client/ui/payments-elsewhere.tsx';
import { Status, type StatusShape } from '#client/ui/status.tsx';
import type { OrderView, PaymentElsewhereView } from '#shared/contract/payments.ts';
import type { Paging } from '#shared/schemas/primitives.ts';
import { href } from '#shared/routes/href.ts';

/** Shapes of the states that differ from waiting and done. */
const SHAPES: Partial<Record<OrderView['state'], StatusShape>> = {
  created: 'failed',
  pending: 'queued',
  disputed: 'suspended',
  failed: 'failed',
  refunded: 'off',
  expired: 'off',
  cancelled: 'off',
};

/** The visitor's payments for credits, with receipts (behaviour 3.8, 5.3). */
export function PaymentsTab({
  payments,
}: {
  payments: { rows: readonly OrderView[]; paging: Paging; elsewhere: readonly PaymentElsewhereView[] };
}): ReactNode {
  const t = useT('payments');
  const { flags } = useShell();
  const { rows, paging, elsewhere } = payments;
  const add = flags.credits_recharge_enabled && (
    <LinkButton to={href('store.addCredits')} icon="plus">
      {t('title')}
    </LinkButton>
  );
  return (
    <div className="sp-stack">
      <Card title={t('adminTitle')} flush {...(rows.length > 0 && add ? { aside: add } : {})}>
        <DataTable
          caption={t('adminTitle')}
          columns={useColumns()}
          rows={rows}
          rowKey={(row) => row.id}
          rowName={(row) => row.label ?? t('customAmount')}
          state={
            <EmptyState
              art="receipt"
              title={t('noPayments')}
              text={t('noPaymentsText')}
              {...(add ? { action: add } : {})}
            />
          }
        />
        {paging.total > 0 && (
          <Pager
            page={paging.page}
            size={paging.per_page}
            total={paging.total}
            hrefOf={(page) => `${href('account')}?tab=payments&page=${page}`}
          />
        )}
      </Card>
      <PaymentsElsewhere payments={elsewhere} />
    </div>
  );
}

function useColumns(): readonly Column<OrderView>[] {
  const t = useT('payments');
  const format = useFormat();
  const money = useMoney();
  const now = useNow(60_000);
  return [
    {
      key: 'what',
      label: t('columnWhat'),
      title: true,
      cell: (row) => <TextLink to={href('store.order', { id: row.id })}>{row.label ?? t('customAmount')}</TextLink>,
    },
    {
      key: 'at',
      label: t('columnWhen'),
      cell: (row) => <time dateTime={row.created_at}>{format.when(row.created_at, now)}</time>,
    },
    {
      key: 'state',
      label: t('columnState'),
      cell: (row) => <Status shape={SHAPES[row.state] ?? 'active'}>{t(`state.${row.state}`)}</Status>,
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
      label: t('amount'),
      align: 'end',
      cell: (row) => <span className="sp-num">{money(row.amount, row.currency)}</span>,
    },
    {
      key: 'receipt',
      label: t('receipt'),
      align: 'end',
      cell: (row) =>
        row.receipt === null ? (
          <span className="sp-muted">–</span>
        ) : (
          <TextLink to={href('store.receipt', { id: row.id })}>{row.receipt}</TextLink>
        ),
    },
  ];
}
