import { lazy, Suspense, type ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Bar, share } from '#client/ui/bar.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { meterTone } from '#client/ui/resource-meter.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import { href } from '#shared/routes/staff-href.ts';
import { sum } from '../parts/sum.ts';
import { PartBody } from './part-body.tsx';
import type { OverviewData } from './screen.tsx';

/** With what it takes to draw charts: rendered by the server as well, and loaded where this part is shown. */
const FlowFigure = lazy(async () => ({ default: (await import('../parts/flow-figure.tsx')).FlowFigure }));

type Economy = NonNullable<Awaited<OverviewData['economy']>>;

/** Credits minted and burnt today, where they came from on the days before, and what each source paid of its budget. */
export function EconomyPart({ value }: { value: NonNullable<OverviewData['economy']> }): ReactNode {
  const t = useT('admin');
  return (
    <Card
      title={t('part.economy')}
      text={t('economyText')}
      flush
      aside={
        <LinkButton to={href('admin.economy')} size="sm" variant="ghost" iconEnd="arrow-right">
          {t('openEconomy')}
        </LinkButton>
      }
    >
      <PartBody value={value} rows={4}>
        {(data) => <Figures data={data} />}
      </PartBody>
    </Card>
  );
}

function Figures({ data: { days, flows, sources } }: { data: Economy }): ReactNode {
  const t = useT('admin');
  const economy = useT('economy');
  const source = useT('sources');
  const format = useFormat();
  const byDay = (side: 'minted' | 'burnt') => days.map((_, index) => sum(flows.map((flow) => flow[side][index] ?? 0)));
  const [minted, burnt] = [byDay('minted'), byDay('burnt')];
  const net = minted.map((credits, index) => credits - (burnt[index] ?? 0));
  const tile = (label: string, values: readonly number[], variant: 'coin' | 'signed') => (
    <StatTile label={label} value={<CreditAmount value={values.at(-1) ?? 0} variant={variant} />} />
  );
  return (
    <>
      <Stats>
        {tile(t('minted'), minted, 'coin')}
        {tile(t('burnt'), burnt, 'coin')}
        {tile(t('net'), net, 'signed')}
      </Stats>
      {net.some((_, index) => minted[index] !== 0 || burnt[index] !== 0) && (
        <div className="sp-flows">
          <Suspense>
            <FlowFigure days={days} flows={flows} />
          </Suspense>
        </div>
      )}
      <ul className="sp-sources" aria-label={economy('sources')}>
        {sources.map(({ source: name, used, budget, enabled }) => (
          <li key={name}>
            <span>{source(`${name}.name`)}</span>
            <span className="sp-num">
              {enabled
                ? budget > 0
                  ? economy('ofBudget', { used: format.number(used), budget: format.number(budget) })
                  : format.number(used)
                : economy('stopped')}
            </span>
            {budget > 0 && <Bar value={share(used, budget)} tone={meterTone(used, budget)} />}
          </li>
        ))}
      </ul>
    </>
  );
}
