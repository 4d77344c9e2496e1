import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import type { Board } from '#shared/leaderboard.ts';

/** A score with its unit: credits with the coin, everything else as a number with a noun. */
export function Score({ board, value }: { board: Board; value: number }): ReactNode {
  const t = useT('community');
  const format = useFormat();
  if (board === 'credits' || board === 'month') return <CreditAmount value={value} />;
  return <span className="sp-num">{t(`unit.${board}`, { count: value, number: format.number(value) })}</span>;
}
