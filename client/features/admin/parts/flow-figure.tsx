import type { ReactNode } from 'react';
import { createFormat } from '#client/lib/format.ts';
import { useFormat, useI18n, useLocale, useLooseT, useT } from '#client/lib/i18n.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { axisText } from '#client/ui/axis.ts';
import { FlowChart } from '#client/ui/chart.tsx';
import { sum } from './sum.ts';

/** Number of colours; further accounts share the last. */
const COLOURS = 9;
const colourOf = (index: number): number => Math.min(index, COLOURS - 1);
/** Credits minted and burnt by day (`YYYY-MM-DD`), each account by itself. */
export interface Flows {
  readonly days: readonly string[];
  readonly flows: readonly {
    readonly account: string;
    readonly minted: readonly number[];
    readonly burnt: readonly number[];
  }[];
}

/** Formats a day (`YYYY-MM-DD`), independent of the page's zone. */
export function useDayText(): (day: string) => string {
  const { translator } = useI18n();
  const format = createFormat(translator, 'UTC');
  return (day) => format.date(`${day}T12:00:00Z`);
}

/** What a system account is called. */
export function useAccountText(): (account: string) => string {
  const t = useLooseT('economy');
  const sources = useLooseT('sources');
  return (account) =>
    sources(`${account.replace(/^reward\./, '')}.name`) ||
    t([`account.${account.replaceAll('.', '_')}`, 'account.other']);
}

/** Bars by day, minted above the line and burnt below it, with what each colour is and its sum. */
export function FlowFigure({ days, flows }: Flows): ReactNode {
  const t = useT('economy');
  const format = useFormat();
  const dayText = useDayText();
  const total = (side: 'minted' | 'burnt') => format.credits(sum(flows.flatMap((flow) => flow[side])));
  const read = (index: number): string => {
    const on = (side: 'minted' | 'burnt') => format.number(sum(flows.map((flow) => flow[side][index] ?? 0)));
    return t('readFlow', { day: dayText(days[index] ?? ''), minted: on('minted'), burnt: on('burnt') });
  };
  return (
    <>
      <FlowChart
        days={days}
        text={axisText(useLocale())}
        stepLabel={t('step')}
        series={flows.map(({ account, ...flow }, index) => ({ key: account, n: colourOf(index), ...flow }))}
        read={read}
        label={t('flowLabel', { minted: total('minted'), burnt: total('burnt') })}
      />
      <Legend flows={flows} />
    </>
  );
}

/** The colours of the accounts, with their sums over all days. */
function Legend({ flows }: Pick<Flows, 'flows'>): ReactNode {
  const t = useT('economy');
  const accountText = useAccountText();
  return (
    <ul className="sp-legend" aria-label={t('totalOf')}>
      {flows.map(({ account, minted, burnt }, index) => (
        <li key={account}>
          <i data-n={colourOf(index)} aria-hidden="true" />
          {accountText(account)} <InOut minted={sum(minted)} burnt={sum(burnt)} />
        </li>
      ))}
    </ul>
  );
}

/** Minted and burnt side by side; zeros are left out. */
export function InOut({ minted, burnt }: { minted: number; burnt: number }): ReactNode {
  return (
    <span className="sp-inout">
      {minted > 0 && <CreditAmount value={minted} variant="signed" />}{' '}
      {burnt > 0 && <CreditAmount value={-burnt} variant="signed" />}
    </span>
  );
}
