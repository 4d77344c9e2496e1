import type { ReactNode } from 'react';
import { Rich, useFormat, useT } from '#client/lib/i18n.tsx';
import { useNow } from '#client/lib/use-now.ts';
import { Button } from '#client/ui/button.tsx';
import { Facts } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { ResourceMeter } from '#client/ui/resource-meter.tsx';
import type { CarriedDebtView } from '#shared/contract/server-views.ts';
import { DAY } from '#shared/time.ts';
import type { Choice, Draft, Location } from './create-form.ts';
import { BOLD, EggBlock, SERVER_KINDS, amountText, formatEstimate } from './parts.tsx';
import type { Meters } from './parts.tsx';
import { MissingCredits } from './renew-box.tsx';

interface SummaryProps {
  draft: Draft;
  choice: Choice | null;
  location: Location | null;
  meters: Meters;
  renew: { readonly enabled: boolean; readonly cost: number; readonly days: number };
  /** The debt or expiry carried over from a deleted server. */
  carriedDebt: CarriedDebtView | null;
  balance: number;
  queue: { readonly length: number; readonly estimate_s: number };
  panel: string;
  /** The server is blocked by something that this form cannot change. */
  blocked: boolean;
}

/** Beside the form: a summary, the resources it takes, the price, and the button. */
export function Summary(props: SummaryProps): ReactNode {
  const { draft, choice, location, meters, renew, queue, panel, blocked } = props;
  const t = useT('servers');
  const format = useFormat();
  const owed = props.carriedDebt?.owed ?? 0;
  const wait = formatEstimate(queue.estimate_s, format);
  const facts = SERVER_KINDS.filter((kind) => draft.amounts[kind] > 0);
  return (
    <section className="sp-card sp-sum sp-sticky" aria-labelledby="sum-title">
      <div className="sp-sum__head">
        <EggBlock egg={choice?.egg ?? { shape: 'cube', hue: 0 }} size="lg" off={choice === null} />
        <div className="sp-sum__text">
          <h2 id="sum-title">{draft.name.trim() || t('unnamed')}</h2>
          <p>{[choice?.egg.name, location?.name].filter(Boolean).join(' · ')}</p>
        </div>
      </div>
      <div className="sp-card__sec">
        <Facts
          items={facts.map((kind) => ({
            label: t(`kind.${kind}`),
            value: amountText(kind, draft.amounts[kind], format),
          }))}
        />
      </div>
      <div className="sp-card__sec">
        <h3 className="sp-card__h3">{t('limitsAfter')}</h3>
        {(['memory', 'disk', 'cpu'] as const).map((kind) => (
          <ResourceMeter
            key={kind}
            label={t(`kind.${kind}`)}
            used={meters[kind].used}
            added={draft.amounts[kind]}
            total={meters[kind].limit}
            format={(amount) => amountText(kind, amount, format)}
          />
        ))}
        <ResourceMeter
          label={t('kind.slots')}
          used={meters.slots.used}
          added={1}
          total={meters.slots.limit}
          format={format.number}
          counted
        />
      </div>
      <div className="sp-card__sec">
        <Price renew={renew} carriedDebt={props.carriedDebt} balance={props.balance} />
      </div>
      <div className="sp-sum__act">
        <p className="sp-sum__mini">
          {owed > 0 ? (
            <>
              {t('dueNow')} <CreditAmount value={owed} />
            </>
          ) : renew.enabled ? (
            <Rich t={t} k="barPrice" vars={{ count: renew.days, cost: <CreditAmount value={renew.cost} /> }} />
          ) : (
            t('costsNothing')
          )}
        </p>
        <Button type="submit" variant="primary" size="lg" block disabled={blocked || owed > props.balance}>
          {t('create')}
        </Button>
      </div>
      <div className="sp-sum__notes">
        <p className="sp-sum__note">
          <Icon name="list" size="sm" />
          {queue.length > 0 ? t('queueLength', { count: queue.length, time: wait }) : t('queueNone', { time: wait })}
        </p>
        {(location ? location.embedded : panel === 'embedded') && choice?.egg.simulated !== false && (
          <p className="sp-sum__note">
            <Icon name="info" size="sm" />
            {t('embeddedShort')}
          </p>
        )}
      </div>
    </section>
  );
}

/** The price due now, nothing unless a deleted server left a debt; then the price of a period, and its start. */
function Price({ renew, carriedDebt, balance }: Pick<SummaryProps, 'renew' | 'carriedDebt' | 'balance'>): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  const now = useNow(60_000);
  if (!renew.enabled) return <p className="sp-lead">{t('costsNothing')}</p>;
  const owed = carriedDebt?.owed ?? 0;
  const fullMs = now + renew.days * DAY;
  const endMs = carriedDebt !== null && owed === 0 ? Math.min(fullMs, Date.parse(carriedDebt.ended_at)) : fullMs;
  return (
    <>
      <dl className="sp-price">
        <div>
          <dt>{t('dueNow')}</dt>
          <dd>{owed > 0 ? <CreditAmount value={owed} /> : t('dueNothing')}</dd>
        </div>
        <div>
          <dt>{t('everyDays', { count: renew.days, date: format.date(endMs) })}</dt>
          <dd>
            <CreditAmount value={renew.cost} />
          </dd>
        </div>
      </dl>
      {carriedDebt !== null && <CarriedDebtNote carriedDebt={carriedDebt} />}
      {owed > balance && <MissingCredits amount={owed - balance} />}
    </>
  );
}

/** The debt or expiry carried over from a deleted server. */
function CarriedDebtNote({ carriedDebt }: { carriedDebt: CarriedDebtView }): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  const { server, ended_at: ended, until, owed } = carriedDebt;
  const vars = { server, date: format.date(ended), until: format.date(until) };
  return (
    <p className="sp-meta">
      <Rich t={t} k={owed > 0 ? 'startOwes' : 'startEnds'} tags={BOLD} vars={vars} />
    </p>
  );
}
