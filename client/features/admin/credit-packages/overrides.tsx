import type { ReactNode } from 'react';
import { useMoney } from '#client/lib/money.ts';
import type { OverridesOf } from '#client/resource/area.ts';
import { parsePrice, PriceField } from './price-field.tsx';
import type { creditPackages } from '#shared/resources/credit-packages.ts';

/** The price with its currency. */
function PriceCell({ row }: { row: { price_minor: number; currency: string } }): ReactNode {
  const money = useMoney();
  return <span className="sp-num">{money(row.price_minor, row.currency)}</span>;
}

/** Overrides of credit packages. */
export const overrides: OverridesOf<typeof creditPackages> = {
  cells: { price_minor: PriceCell },
  fields: { price_minor: PriceField },
  read: (form) => {
    const typed = String(form.get('price_minor') ?? '');
    // An invalid amount stays as it is, and the schema rejects it.
    return { price_minor: parsePrice(typed, String(form.get('currency') ?? '')) ?? typed };
  },
};
