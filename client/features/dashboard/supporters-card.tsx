import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { Card } from '#client/ui/card.tsx';
import { Condition, Conditions } from '#client/ui/condition.tsx';
import { HOUR } from '#shared/time.ts';
import type { DashboardData } from './screen.tsx';

/** What is said of a reward that waits, by its reason. */
const WAITS = {
  budget: 'early_supporters.waits.budget',
  cap: 'early_supporters.waits.cap',
  unverified: 'early_supporters.waits.unverified',
} as const;

/** The places of early supporters (behaviour 4.7): what is missing for one, or what the visitor's reward waits for. */
export function SupportersCard({ places }: { places: DashboardData['early_supporters'] }): ReactNode {
  const t = useT('sources');
  const format = useFormat();
  if (!places) return null;
  const { left, count, state, reason, terms, checks } = places;
  const credits = format.credits(places.credits);
  if (state === 'qualified' || state === 'held') {
    const waiting = reason ? t(WAITS[reason]) : t('early_supporters.qualified', { credits });
    return (
      <Card title={t('early_supporters.name')}>
        <p>{state === 'held' ? t('early_supporters.held', { credits }) : waiting}</p>
      </Card>
    );
  }
  if (checks === null || left === 0) return null;
  return (
    <Card
      title={t('early_supporters.name')}
      aside={<Badge tone="accent">{t('early_supporters.left', { count: left, number: format.number(left) })}</Badge>}
    >
      <p>{t('early_supporters.terms', { count, number: format.number(count), credits })}</p>
      <Conditions>
        {terms.verification && <Condition text={t('early_supporters.verified')} done={checks.verified} />}
        {terms.min_age_hours > 0 && (
          <Condition
            text={t('early_supporters.age', { time: format.duration(terms.min_age_hours * HOUR) })}
            done={checks.age}
          />
        )}
        <Condition text={t('early_supporters.active', { count: terms.afk_minutes })} done={checks.active} />
      </Conditions>
    </Card>
  );
}
