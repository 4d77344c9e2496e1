import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useStatementText } from '#client/lib/statement-text.ts';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { statementHref } from './balance-card.tsx';
import type { DashboardData } from './screen.tsx';

/** The latest movements of the visitor's credits. */
export function LedgerCard({ data }: { data: DashboardData }): ReactNode {
  const t = useT('dashboard');
  const text = useStatementText();
  const format = useFormat();
  const nowMs = Date.parse(data.now);
  if (data.statement.length === 0) {
    return (
      <Card title={t('latest')} flush>
        <EmptyState art="receipt" title={t('noMovements')} text={t('noMovementsText')} />
      </Card>
    );
  }
  return (
    <Card
      title={t('latest')}
      flush
      aside={
        <LinkButton to={statementHref()} variant="ghost" size="sm" iconEnd="chevron-right">
          {t('fullStatement')}
        </LinkButton>
      }
    >
      <table className="sp-ledger">
        <caption className="sp-sr">{t('latestCaption')}</caption>
        <thead className="sp-sr">
          <tr>
            <th scope="col">{t('whatFor')}</th>
            <th scope="col">{t('when')}</th>
            <th scope="col">{t('amount')}</th>
            <th scope="col">{t('balanceAfterwards')}</th>
          </tr>
        </thead>
        <tbody>
          {data.statement.map((row) => (
            <tr key={`${row.id}${row.counterpart}`}>
              <th scope="row">
                {text.row(row)} <span>{text.subject(row)}</span>
              </th>
              <td>{format.when(row.at, nowMs)}</td>
              <td>
                <CreditAmount value={row.amount} variant="signed" />
              </td>
              <td>{format.number(row.balance_after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
