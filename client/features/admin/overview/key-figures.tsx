import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { Sparkline } from '#client/ui/sparkline.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import type { OverviewData } from './screen.tsx';

/** Users, servers, queue and credits, each with its trend, and what the days chosen brought. */
export function KeyFigures({ data }: { data: OverviewData['overview'] }): ReactNode {
  const t = useT('admin');
  const format = useFormat();
  const texts = useT('overview');
  const { servers, servers_suspended, users, queue, circulation, period, trends } = data;
  const line = (name: keyof NonNullable<typeof trends>, tone: 'quiet' | 'credit' = 'quiet') =>
    trends === null ? {} : { spark: <Sparkline values={trends[name]} tone={tone} /> };
  if (servers === null || users === null || queue === null || circulation === null || period === null) return null;
  const isToday = period.days === 1;
  /** How much more or less it was than in the days before; the note where that says nothing. */
  const change = (name: 'minted' | 'burnt', note: string): string => {
    const [now, before] = [period.now[name], period.before[name]];
    // A day that is not over says nothing beside a whole one.
    if (isToday || before === 0) return note;
    const share = now / before - 1;
    const percent = `${share < 0 ? '−' : '+'}${format.percent(Math.abs(share))}`;
    return texts(period.days === 7 ? 'period.on7' : 'period.on30', { change: percent });
  };
  return (
    <section className="sp-card sp-glance" aria-label={t('glance')}>
      <Stats>
        <StatTile
          label={t('servers')}
          value={format.number(servers)}
          note={t('suspended', { count: servers_suspended ?? 0 })}
          {...line('servers')}
        />
        <StatTile
          label={t('users')}
          value={format.number(users)}
          note={
            isToday ? t('usersToday', { count: period.now.users }) : texts('period.users', { count: period.now.users })
          }
          {...line('users')}
        />
        <StatTile label={t('queue')} value={format.number(queue)} note={t('queueNote')} />
        <StatTile
          label={t('circulation')}
          value={<CreditAmount value={circulation} />}
          note={t('circulationNote')}
          {...line('circulation', 'credit')}
        />
        <StatTile
          label={isToday ? t('minted') : texts('period.minted')}
          value={<CreditAmount value={period.now.minted} />}
          note={change('minted', t('mintedNote'))}
          {...line('minted', 'credit')}
        />
        <StatTile
          label={isToday ? t('burnt') : texts('period.burnt')}
          value={<CreditAmount value={period.now.burnt} />}
          note={change('burnt', t('burntNote'))}
          {...line('burnt', 'credit')}
        />
      </Stats>
    </section>
  );
}
