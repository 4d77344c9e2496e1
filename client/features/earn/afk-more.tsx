import type { ReactNode } from 'react';
import { useFormat, useLocale, useT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Bar, share } from '#client/ui/bar.tsx';
import { SlabStack } from '#client/ui/slab-stack.tsx';
import type { AfkState } from '#shared/contract/earn.ts';
import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { slabPlan } from './afk-dial.tsx';

/** What happens with each way of leaving. */
export function ExitRulesCard(): ReactNode {
  const t = useT('earn');
  return (
    <Card title={t('leaveTitle')} flush>
      <List>
        <ListItem icon="x" title={t('leaveClose')} text={t('leaveCloseText')} />
        <ListItem icon="moon" title={t('leaveSleep')} text={t('leaveSleepText')} />
        <ListItem icon="copy" title={t('leaveElsewhere')} text={t('leaveElsewhereText')} />
        <ListItem icon="layers" title={t('leaveTab')} text={t('leaveTabText')} />
      </List>
    </Card>
  );
}

/** The installation's daily budget; nothing if there is none. */
export function BudgetCard({ state }: { state: AfkState }): ReactNode {
  const t = useT('earn');
  const format = useFormat();
  if (state.budget === 0) return null;
  const spent = state.budget_used >= state.budget;
  const time = format.time(state.resets_at);
  return (
    <Card title={t('budgetTitle')}>
      <div className="sp-meter">
        <div className="sp-meter__top">
          <span className="sp-meter__label">{t('budgetLabel')}</span>
          <span className="sp-meter__val">
            {format.number(state.budget_used)} <span>/ {format.number(state.budget)}</span>
          </span>
        </div>
        <Bar value={share(state.budget_used, state.budget)} tone="credit" />
        <p className="sp-meta">{t(spent ? 'budgetSpent' : 'budgetText', { time })}</p>
      </div>
    </Card>
  );
}

const weekdays = new Map<Locale, Intl.DateTimeFormat>();

/** `Mon`: the weekday of a calendar day (YYYY-MM-DD), whatever zone the reader is in. */
function weekday(day: string, locale: Locale): string {
  let format = weekdays.get(locale);
  if (!format) {
    format = new Intl.DateTimeFormat(LOCALE_INFO[locale].bcp47, { weekday: 'short', timeZone: 'UTC' });
    weekdays.set(locale, format);
  }
  return format.format(Date.parse(`${day}T00:00:00Z`));
}

/** The last seven days, each as a stack of slabs; today's is the one the clock fills. */
export function WeekCard({ state, earnedToday }: { state: AfkState; earnedToday: number }): ReactNode {
  const t = useT('earn');
  const format = useFormat();
  const locale = useLocale();
  const { slabs, each } = slabPlan(state.cap, state.per_minute);
  const last = state.week.length - 1;
  const days = state.week.map((day, index) =>
    index === last ? { ...day, credits: Math.max(day.credits, earnedToday) } : day,
  );
  const sum = days.reduce((total, day) => total + day.credits, 0);
  return (
    <Card title={t('weekTitle')} aside={<CreditAmount value={sum} />}>
      <ol className="sp-afk-week" aria-label={t('weekLabel')}>
        {days.map((day, index) => (
          <li key={day.day} aria-current={index === last ? 'date' : undefined}>
            <SlabStack value={day.credits} cap={slabs * each} slabs={slabs} size="sm" />
            <b>{format.number(day.credits)}</b>
            <span>{index === last ? t('weekToday') : weekday(day.day, locale)}</span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
