import type { ReactNode } from 'react';
import { useFormat, useLocale, useT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { Disclosure } from '#client/ui/disclosure.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { axisText } from '#client/ui/axis.ts';
import { LineChart } from '#client/ui/chart.tsx';
import { FlowFigure, InOut, useAccountText, useDayText } from '../parts/flow-figure.tsx';
import { sum } from '../parts/sum.ts';
import { toDayRows, type DayRow } from './day-rows.ts';
import type { EconomyData } from './screen.tsx';

/** Both charts with their tables. */
export function Charts({ data }: { data: EconomyData }): ReactNode {
  const t = useT('economy');
  const format = useFormat();
  const dayText = useDayText();
  const minted = sum(data.flows.flatMap((flow) => flow.minted));
  const burnt = sum(data.flows.flatMap((flow) => flow.burnt));
  const axis = { days: data.days, text: axisText(useLocale()), stepLabel: t('step') };
  const dayOf = (index: number): string => dayText(data.days[index] ?? '');
  if (minted === 0 && burnt === 0) {
    return (
      <Card title={t('flowTitle')}>
        <EmptyState art="log" title={t('quiet')} text={t('quietText')} />
      </Card>
    );
  }
  const [first = 0] = data.circulation;
  return (
    <>
      <Card title={t('flowTitle')} text={t('flowText')}>
        <FlowFigure {...data} />
        <FlowTable data={data} />
      </Card>
      <Card title={t('circulationTitle')} text={t('circulationText')}>
        <LineChart
          {...axis}
          values={data.circulation}
          read={(index) =>
            t('readCirculation', { day: dayOf(index), credits: format.credits(data.circulation[index] ?? 0) })
          }
          label={t('circulationLabel', {
            first: format.credits(first),
            last: format.credits(data.circulation.at(-1) ?? 0),
          })}
        />
        <CirculationTable data={data} />
      </Card>
    </>
  );
}

/** The columns of a day: everything together, then each account by itself. */
function useFlowColumns(flows: EconomyData['flows']): Column<DayRow>[] {
  const t = useT('economy');
  const dayText = useDayText();
  const accountText = useAccountText();
  return [
    { key: 'day', label: t('day'), title: true, cell: ({ day }) => dayText(day) },
    { key: 'minted', label: t('minted'), align: 'end', cell: ({ minted }) => signed(minted) },
    { key: 'burnt', label: t('burnt'), align: 'end', cell: ({ burnt }) => signed(-burnt) },
    { key: 'net', label: t('net'), align: 'end', cell: ({ minted, burnt }) => signed(minted - burnt) },
    ...flows.map(({ account }, index): Column<DayRow> => ({
      key: account,
      label: accountText(account),
      align: 'end',
      cell: ({ parts }) => inOut(parts[index]),
    })),
  ];
}

const signed = (value: number): ReactNode => <CreditAmount value={value} variant="signed" />;
const inOut = (part: DayRow['parts'][number] | undefined): ReactNode => (
  <InOut minted={part?.minted ?? 0} burnt={part?.burnt ?? 0} />
);
const plain = (value: number): ReactNode => <CreditAmount value={value} variant="plain" />;

function FlowTable({ data }: { data: EconomyData }): ReactNode {
  const t = useT('economy');
  const dayText = useDayText();
  const columns = useFlowColumns(data.flows);
  return (
    <Disclosure label={t('asTable')}>
      <DataTable
        caption={t('flowTitle')}
        rows={toDayRows(data)}
        rowKey={(row) => row.day}
        rowName={(row) => dayText(row.day)}
        columns={columns}
      />
    </Disclosure>
  );
}

function CirculationTable({ data }: { data: EconomyData }): ReactNode {
  const t = useT('economy');
  const dayText = useDayText();
  const columns: Column<DayRow>[] = [
    { key: 'day', label: t('day'), title: true, cell: ({ day }) => dayText(day) },
    { key: 'circulation', label: t('circulation'), align: 'end', cell: ({ circulation }) => plain(circulation) },
  ];
  return (
    <Disclosure label={t('asTable')}>
      <DataTable
        caption={t('circulationTitle')}
        rows={toDayRows(data)}
        rowKey={(row) => row.day}
        rowName={(row) => dayText(row.day)}
        columns={columns}
      />
    </Disclosure>
  );
}
