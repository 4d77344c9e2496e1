import type { FormEvent, ReactNode } from 'react';
import { useSubmit } from 'react-router';
import { useErrorText } from '#client/lib/error-text.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useNow } from '#client/lib/use-now.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { Form } from '#client/ui/form.tsx';
import type { UserData } from './edit.tsx';
import { resourceText } from './parts.tsx';

type Purchase = UserData['purchases'][number];
interface PurchasesProps {
  user: UserData;
  /** Why the last one was refused. */
  refused: string | undefined;
}

/** The user's purchases in the store; each can be refunded once. */
export function PurchasesCard({ user, refused }: PurchasesProps): ReactNode {
  const t = useT('users');
  const errors = useErrorText();
  const columns = useColumns(user);
  if (user.purchases.length === 0) {
    return (
      <Card title={t('purchases')}>
        <p className="sp-lead">{t('noPurchases')}</p>
      </Card>
    );
  }
  return (
    <>
      {refused && (
        <Banner tone="danger" live>
          {errors.code(refused)}
        </Banner>
      )}
      <Card title={t('purchases')} flush>
        <DataTable
          caption={t('purchases')}
          rows={user.purchases}
          rowKey={(row) => row.id}
          rowName={(row) => t(`resource.${row.kind}`)}
          columns={columns}
        />
      </Card>
    </>
  );
}

function useColumns(user: UserData): readonly Column<Purchase>[] {
  const t = useT('users');
  const format = useFormat();
  const now = useNow(60_000);
  return [
    {
      key: 'what',
      label: t('what'),
      title: true,
      cell: ({ kind, quantity }) => `${t(`resource.${kind}`)} +${resourceText(kind, quantity, format)}`,
    },
    { key: 'at', label: t('when'), cell: ({ at }) => <time dateTime={at}>{format.when(at, now)}</time> },
    {
      key: 'total',
      label: t('paid'),
      align: 'end',
      cell: ({ total }) => <CreditAmount value={total} variant="plain" />,
    },
    { key: 'refund', label: t('refund'), align: 'end', cell: (row) => <Refund user={user} purchase={row} /> },
  ];
}

/** Refunds a purchase; with scripts it asks first. */
function Refund({ user, purchase }: { user: UserData; purchase: Purchase }): ReactNode {
  const t = useT('users');
  const format = useFormat();
  const submit = useSubmit();
  const what = `${t(`resource.${purchase.kind}`)} +${resourceText(purchase.kind, purchase.quantity, format)}`;
  if (purchase.refunded_at !== null)
    return <span className="sp-muted">{t('refundedOn', { date: format.date(purchase.refunded_at) })}</span>;
  const ask = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const text = t('refundText', { name: user.username, credits: format.credits(purchase.total) });
    if (await dialogs.confirm({ title: t('refundAsk', { what }), text, ok: t('refund'), tone: 'danger' }))
      await submit(form, { preventScrollReset: true });
  };
  return (
    <Form noSummary onSubmit={(event) => void ask(event)} preventScrollReset>
      <FormKey />
      <input type="hidden" name="_intent" value="refund" />
      <input type="hidden" name="purchase" value={purchase.id} />
      <Button type="submit" size="sm" aria-label={t('refundOf', { what })}>
        {t('refund')}
      </Button>
    </Form>
  );
}
