import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useMoney } from '#client/lib/money.ts';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { CopyButton } from '#client/ui/copy-button.tsx';
import type { OrderView } from '#shared/contract/payments.ts';
import { formatDecimal } from '#shared/money.ts';

/**
 * The steps of a manual payment: amount, account, reference, then the host's instructions, one per line. Everything
 * that a banking app asks for can be copied with one press.
 */
export function Steps({ order, instructions }: { order: OrderView; instructions: string }): ReactNode {
  const t = useT('payments');
  const money = useMoney();
  const own = instructions
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  return (
    <section className="sp-pay__steps" aria-label={t('howToPay')}>
      <h2 className="sp-card__h3">{t('howToPay')}</h2>
      <ol>
        <li>
          {t('step.send')}
          <CopyableValue
            label={t('amount')}
            text={formatDecimal({ minor: order.amount, currency: order.currency })}
            shown={money(order.amount, order.currency)}
          />
        </li>
        {order.account !== null && (
          <li>
            {t('step.account')}
            <CopyableValue label={t('account')} text={order.account} shown={order.account} />
          </li>
        )}
        <li>
          {t('step.reference')}
          <CopyableValue label={t('referenceLabel')} text={order.code} shown={order.code} />
        </li>
        {own.map((line, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a line of the host has no name but its place
          <li key={index} className="sp-pay__words">
            {line}
          </li>
        ))}
        <li>{t('step.wait')}</li>
      </ol>
    </section>
  );
}

/** A value with a copy button; without scripts the value alone. */
function CopyableValue({ label, text, shown }: { label: string; text: string; shown: string }): ReactNode {
  const hydrated = useHydrated();
  const value = <b className="sp-pay__value">{shown}</b>;
  return (
    <span className="sp-pay__copy">
      {hydrated ? (
        <CopyButton text={text} what={label}>
          {value}
        </CopyButton>
      ) : (
        value
      )}
    </span>
  );
}
