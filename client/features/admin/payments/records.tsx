import type { ReactNode } from 'react';
import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useMoney } from '#client/lib/money.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Card } from '#client/ui/card.tsx';
import { Disclosure } from '#client/ui/disclosure.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { useFailureText } from './failure.ts';
import type { PaymentData } from './view.tsx';

/** The gateway's events of the order, oldest first, with their outcomes. */
export function Events({ events }: { events: PaymentData['events'] }): ReactNode {
  const t = useT('payments');
  const loose = useLooseT('payments');
  const format = useFormat();
  const failure = useFailureText();
  const now = useNow(60_000);
  if (events.length === 0) {
    return (
      <Card title={t('events')}>
        <p className="sp-lead">{t('noEvents')}</p>
      </Card>
    );
  }
  return (
    <Card title={t('events')} flush>
      <List>
        {events.map((event) => (
          <ListItem
            key={event.id}
            title={<code>{event.type}</code>}
            text={
              <>
                <time dateTime={event.at}>{format.when(event.at, now)}</time>
                {event.reason !== null && <> · {failure(event.reason)}</>}
                <Disclosure label={t('payload')}>
                  <pre className="sp-pay__payload">{event.payload}</pre>
                </Disclosure>
              </>
            }
            end={
              <Badge tone={event.outcome === 'mismatch' ? 'danger' : 'neutral'}>
                {loose(`outcome.${event.outcome}`)}
              </Badge>
            }
          />
        ))}
      </List>
    </Card>
  );
}

/** Refunds, requested and done. */
export function Refunds({ refunds, currency }: { refunds: PaymentData['refunds']; currency: string }): ReactNode {
  const t = useT('payments');
  const money = useMoney();
  const failure = useFailureText();
  return (
    <Card title={t('refunds')} flush>
      <List>
        {refunds.map((refund) => (
          <ListItem
            key={refund.id}
            title={money(refund.amount, currency)}
            text={[
              t('refundBy', { reason: refund.reason, name: refund.by ?? t('accountDeleted') }),
              ...(refund.failure === null ? [] : [failure(refund.failure)]),
            ].join(' · ')}
            end={
              <Badge tone={refund.state === 'failed' ? 'danger' : 'neutral'}>{t(`refundState.${refund.state}`)}</Badge>
            }
          />
        ))}
      </List>
    </Card>
  );
}

/** Disputes of the payment at its bank. */
export function Disputes({ disputes, currency }: { disputes: PaymentData['disputes']; currency: string }): ReactNode {
  const t = useT('payments');
  const loose = useLooseT('payments');
  const money = useMoney();
  const format = useFormat();
  return (
    <Card title={t('disputes')} flush>
      <List>
        {disputes.map((dispute) => (
          <ListItem
            key={dispute.id}
            title={money(dispute.amount, currency)}
            text={`${dispute.id} · ${format.date(dispute.at)}`}
            end={<Badge>{loose(`disputeState.${dispute.state}`)}</Badge>}
          />
        ))}
      </List>
    </Card>
  );
}
