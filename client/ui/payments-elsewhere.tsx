import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useMoney } from '#client/lib/money.ts';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { DataTable } from '#client/ui/data-table.tsx';
import type { Column } from '#client/ui/data-table.tsx';
import type { PaymentElsewhereView } from '#shared/contract/payments.ts';
import { IMPORT_PRODUCT_NAMES } from '#shared/imports.ts';

/** What a user paid at a dashboard that they were brought from; nothing where they were not. */
export function PaymentsElsewhere({ payments }: { payments: readonly PaymentElsewhereView[] }): ReactNode {
  const t = useT('payments');
  const columns = useColumns();
  if (payments.length === 0) return null;
  return (
    <Card title={t('elsewhere')} text={t('elsewhereText')} flush>
      <DataTable
        caption={t('elsewhere')}
        columns={columns}
        rows={payments}
        rowKey={({ id }) => id}
        rowName={({ reference, gateway }) => reference || gateway}
      />
    </Card>
  );
}

function useColumns(): readonly Column<PaymentElsewhereView>[] {
  const t = useT('payments');
  const format = useFormat();
  const amountOf = useAmountElsewhere();
  return [
    {
      key: 'what',
      label: t('elsewhereReference'),
      title: true,
      cell: ({ reference, gateway }) => reference || gateway || '–',
    },
    {
      key: 'where',
      label: t('elsewhereWhere'),
      cell: placeOf,
    },
    {
      key: 'at',
      label: t('columnWhen'),
      cell: ({ paid_at: at }) => (at === null ? '–' : <time dateTime={at}>{format.date(at)}</time>),
    },
    { key: 'state', label: t('columnState'), cell: ({ status }) => status || '–' },
    {
      key: 'credits',
      label: t('credits'),
      align: 'end',
      cell: ({ credits }) => (credits === null ? '–' : <CreditAmount value={credits} />),
    },
    {
      key: 'amount',
      label: t('amount'),
      align: 'end',
      cell: (row) => <span className="sp-num">{amountOf(row)}</span>,
    },
  ];
}

/** Where it was paid: the dashboard, and its gateway. */
export const placeOf = ({ product, gateway }: PaymentElsewhereView): string =>
  [IMPORT_PRODUCT_NAMES[product], gateway].filter(Boolean).join(' · ');

/** Its money in words; a dash where it is not known. */
export function useAmountElsewhere(): (payment: PaymentElsewhereView) => string {
  const format = useFormat();
  const money = useMoney();
  return ({ amount, currency }) => {
    if (amount === null) return '–';
    return /^[A-Z]{3}$/.test(currency) ? money(amount, currency) : `${format.number(amount / 100)} ${currency}`;
  };
}
