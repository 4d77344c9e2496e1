import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import type { HealthView } from '#shared/contract/health.ts';
import { worstHealth } from '#shared/health.ts';

/** The last 24 hours: a bar for each half hour, as bad as the worst that was found in it. */
export function DayCard({ day, now }: { day: HealthView['day']; now: string }): ReactNode {
  const t = useT('health');
  const format = useFormat();
  const known = day.statuses.filter((status) => status !== null);
  const wrong = known.filter((status) => status === 'warning' || status === 'critical');
  const worst = worstHealth(wrong);
  const summary =
    known.length === 0
      ? t('dayEmpty')
      : worst === 'critical'
        ? t('dayCritical')
        : worst === 'warning'
          ? t('dayWarning')
          : t('dayFine');
  const fromMs = Date.parse(day.from);
  const slotText = (at: number, status: (typeof day.statuses)[number]) =>
    t('slot', {
      from: format.time(fromMs + at * day.stretch_ms),
      until: format.time(fromMs + (at + 1) * day.stretch_ms),
      status: status === null ? t('slotNone') : t(`status.${status}`),
    });
  return (
    <section className="sp-card sp-health-day" aria-label={t('day')}>
      <div className="sp-health-day__line">
        <h2 className="sp-card__title">{t('day')}</h2>
        <span className="sp-muted">{summary}</span>
      </div>
      <span className="sp-sr">{t('dayLabel', { count: wrong.length, all: day.statuses.length })}</span>
      <div className="sp-health-day__bars" aria-hidden>
        {day.statuses.map((status, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a bar is its place
          <i key={at} data-status={status ?? 'none'} title={slotText(at, status)} />
        ))}
      </div>
      <div className="sp-health-day__line sp-muted">
        <span>{format.when(day.from, Date.parse(now))}</span>
        <span>{t('now')}</span>
      </div>
    </section>
  );
}
