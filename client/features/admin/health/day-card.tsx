import type { ReactNode } from 'react';
import { Rich, useFormat, useT } from '#client/lib/i18n.tsx';
import type { HealthView } from '#shared/contract/health.ts';
import { useHealthTexts } from '../parts/health-texts.ts';

/** The last 24 hours: how much of them was free of failures, and a bar for each half hour with what was wrong in it. */
export function DayCard({ day, now }: { day: HealthView['day']; now: string }): ReactNode {
  const t = useT('health');
  const format = useFormat();
  const texts = useHealthTexts();
  const known = day.statuses.filter((status) => status !== null);
  const failed = known.filter((status) => status === 'critical');
  const wrong = known.filter((status) => status === 'warning' || status === 'critical');
  const namesOf = (keys: HealthView['day']['causes'][number]) =>
    keys.map((key) => texts.name({ key, subject: null })).join(', ');
  const names = namesOf([...new Set(day.causes.flat())]);
  const fromMs = Date.parse(day.from);
  const slotText = (at: number, status: (typeof day.statuses)[number]) => {
    const causes = namesOf(day.causes[at] ?? []);
    const found = t('slot', {
      from: format.time(fromMs + at * day.stretch_ms),
      until: format.time(fromMs + (at + 1) * day.stretch_ms),
      status: status === null ? t('slotNone') : t(`status.${status}`),
    });
    return causes === '' ? found : `${found} (${causes})`;
  };
  const share = format.percent(1 - failed.length / Math.max(1, known.length), 1);
  return (
    <section className="sp-card sp-health-day" aria-label={t('day')}>
      <div className="sp-health-day__line">
        <h2 className="sp-health-day__share">
          {known.length === 0 ? t('day') : <Rich t={t} k="dayShare" vars={{ share }} tags={{ b: <b /> }} />}
        </h2>
        <span className="sp-muted">
          {known.length === 0
            ? t('dayEmpty')
            : wrong.length === 0
              ? t('dayFine')
              : t('dayWrong', { time: format.duration(wrong.length * day.stretch_ms), names })}
        </span>
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
