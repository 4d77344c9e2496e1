import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useNow } from '#client/lib/use-now.ts';
import { hueOf } from '#client/lib/hue.ts';
import { Pips } from '#client/ui/bar.tsx';
import { Block } from '#client/ui/block.tsx';
import { Button } from '#client/ui/button.tsx';
import { Countdown } from '#client/ui/countdown.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { Form } from '#client/ui/form.tsx';
import { MINUTE, SECOND } from '#shared/time.ts';
import type { LinksAnswer, LinksData } from './links.tsx';

/** Loaded when a start was refused because the challenge is missing. */
const Challenge = lazy(async () => ({ default: (await import('#client/ui/challenge.tsx')).Challenge }));

/** With more, single pieces cannot be distinguished. */
const MAX_PIPS = 10;

type Offer = LinksData['providers'][number];

interface SponsorCardProps {
  offer: Offer;
  /** Nothing more is paid today. */
  blocked: boolean;
  /** The refusal of this sponsor's start. */
  answer: LinksAnswer;
}

/** A sponsor: what it pays, how often, and the button that starts a link. */
export function SponsorCard({ offer, blocked, answer }: SponsorCardProps): ReactNode {
  const t = useT('links');
  const format = useFormat();
  const { id, name, used, daily, open, wait } = offer;
  const count = format.number(used);
  const titleId = `sponsor-${id}`;
  return (
    <section className="sp-card sp-sponsor" aria-labelledby={titleId}>
      <header className="sp-sponsor__head">
        <Block shape="cube" hue={hueOf(id)} size="lg" off={wait !== null || (blocked && open === null)} />
        <div>
          <h2 id={titleId}>{name}</h2>
          <p>
            {daily > 0 ? t('usedOf', { used: count, daily: format.number(daily) }) : t('usedOpen', { used: count })}
          </p>
        </div>
        <CreditAmount value={offer.credits} />
      </header>
      <div className="sp-sponsor__mid">
        {daily > 0 && daily <= MAX_PIPS && <Pips used={used} total={daily} tone="accent" />}
        <OfferTiming offer={offer} />
      </div>
      <Form {...useFormProps(answer)}>
        <FormKey />
        <input type="hidden" name="provider" value={id} />
        {answer?.ok === false && answer.code.startsWith('CHALLENGE') && (
          <Suspense>
            <Challenge action="link" answer={answer} />
          </Suspense>
        )}
        <Button
          type="submit"
          variant={wait === null ? 'primary' : 'secondary'}
          {...(wait === null ? { iconEnd: 'external' } : {})}
          block
          disabled={wait !== null || (blocked && open === null)}
          aria-label={wait === null ? t(open ? 'continueWith' : 'startOf', { name }) : undefined}
        >
          {wait === null ? t(open ? 'continue' : 'start') : t(wait.reason === 'daily' ? 'tomorrow' : 'waiting')}
        </Button>
      </Form>
    </section>
  );
}

/** The time left, when the next link is possible, or how long one takes. */
function OfferTiming({
  offer: { open, wait, min_seconds: min, max_minutes: max, proves },
}: {
  offer: Offer;
}): ReactNode {
  const t = useT('links');
  const format = useFormat();
  const now = useNow();
  if (open) {
    return (
      <p>
        <Countdown untilMs={Date.parse(open.expires_at)} nowMs={now} /> {t('left')}
      </p>
    );
  }
  if (wait) return <p>{t(wait.reason === 'daily' ? 'daily' : 'cooldown', { time: format.time(wait.until) })}</p>;
  return (
    <>
      <p>{t('takes', { min: format.duration(min * SECOND), max: format.duration(max * MINUTE) })}</p>
      {!proves && <p>{t('noProof')}</p>}
    </>
  );
}
