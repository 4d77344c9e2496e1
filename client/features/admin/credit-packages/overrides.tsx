import type { ReactNode } from 'react';
import { useMoney } from '#client/lib/money.ts';
import type { OverridesOf } from '#client/resource/area.ts';
import type { creditPackages } from '#shared/resources/credit-packages.ts';

/** The price with its currency. */
function PriceCell({ row }: { row: { price_minor: number; currency: string } }): ReactNode {
  const money = useMoney();
  return <span className="sp-num">{money(row.price_minor, row.currency)}</span>;
}

/** What is special about packages of credits. */
export const overrides: OverridesOf<typeof creditPackages> = { cells: { price_minor: PriceCell } };
