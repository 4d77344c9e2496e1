import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import type { Tone } from '#client/ui/badge.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { Card } from '#client/ui/card.tsx';
import { Condition, Conditions } from '#client/ui/condition.tsx';
import { SupportLinks } from '#client/ui/support-links.tsx';
import { HOUR } from '#shared/time.ts';
import type { ReferralsData } from './referrals.tsx';

type OwnReferral = NonNullable<ReferralsData['own']>;
type Terms = ReferralsData['terms'];

/** Colours of the states. */
export const STATE_TONES: Readonly<Record<OwnReferral['state'], Tone>> = {
  pending: 'neutral',
  qualified: 'info',
  paid: 'positive',
  held: 'warning',
  rejected: 'danger',
};

/** Why a referral is in its state: its reason if it has one, and where to ask if that may be wrong. */
export function Standing({ state, reason }: Pick<OwnReferral, 'state' | 'reason'>): ReactNode {
  const t = useT('referrals');
  if (reason === null) return state === 'rejected' ? t('why.review') : t(`why.${state}`);
  return (
    <>
      {t(`why.${reason}`)} {reason === 'shared' && <SupportLinks />}
    </>
  );
}

/** The conditions for a friend. */
export function TermsCard({ terms }: { terms: Terms }): ReactNode {
  const t = useT('referrals');
  const format = useFormat();
  return (
    <Card title={t('termsTitle')}>
      <p>{t('termsText')}</p>
      <Conditions>
        {terms.verification && <Condition text={t('termVerified')} />}
        {terms.min_age_hours > 0 && (
          <Condition text={t('termAge', { time: format.duration(terms.min_age_hours * HOUR) })} />
        )}
        <Condition text={t('termActive', { count: terms.afk_minutes })} />
      </Conditions>
      <p className="sp-muted">{t('termsNot')}</p>
    </Card>
  );
}

/** The visitor's own referral, and what is missing for their reward. */
export function OwnCard({ own, terms }: { own: OwnReferral; terms: Terms }): ReactNode {
  const t = useT('referrals');
  const format = useFormat();
  const { state, checks } = own;
  const credits = format.credits(own.credits);
  return (
    <Card title={t('ownTitle')} aside={<Badge tone={STATE_TONES[state]}>{t(`stateName.${state}`)}</Badge>}>
      {state === 'pending' ? (
        <>
          <p>{t('ownPending', { credits })}</p>
          <Conditions>
            {terms.verification && <Condition text={t('ownVerified')} done={checks.verified} />}
            {terms.min_age_hours > 0 && (
              <Condition text={t('ownAge', { time: format.duration(terms.min_age_hours * HOUR) })} done={checks.age} />
            )}
            <Condition text={t('ownActive', { count: terms.afk_minutes })} done={checks.active} />
          </Conditions>
        </>
      ) : (
        <p>{state === 'paid' ? t('ownPaid', { credits }) : <Standing state={state} reason={own.reason} />}</p>
      )}
    </Card>
  );
}
