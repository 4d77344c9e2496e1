import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { PriceLines } from '#client/ui/credit-amount.tsx';
import { amountText } from './amounts.ts';
import type { StoreItem } from './screen.tsx';

/** A preview of a purchase: the new limit, the price, the resulting balance. */
export function PurchasePreview({
  item,
  units,
  balance,
}: {
  item: StoreItem;
  units: number;
  balance: number;
}): ReactNode {
  const t = useT('store');
  const format = useFormat();
  const total = item.price * units;
  const after = item.current + item.quantity * units;
  return (
    <div className="sp-purchase">
      <p>{t('confirmText')}</p>
      <dl className="sp-kv">
        <div>
          <dt>{t('yourLimit')}</dt>
          <dd>{`${amountText(item.kind, item.current, format)} → ${amountText(item.kind, after, format)}`}</dd>
        </div>
      </dl>
      <PriceLines
        lines={[
          { label: t('price'), value: total },
          { label: t('balanceNow'), value: balance },
        ]}
        sum={{ label: t('balanceAfter'), value: balance - total }}
      />
    </div>
  );
}
