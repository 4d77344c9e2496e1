import type { ReactNode } from 'react';
import { useFetcher } from 'react-router';
import type { FormResult } from '#client/lib/form-action.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import type { Format } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Bar } from '#client/ui/bar.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, CardSection } from '#client/ui/card.tsx';
import { Switch } from '#client/ui/choice.tsx';
import { Countdown } from '#client/ui/countdown.tsx';
import { Field } from '#client/ui/field.tsx';
import { Select } from '#client/ui/select.tsx';
import type { ServerView } from '#shared/contract/server-views.ts';
import type { TFn } from '#shared/i18n/types.ts';
import { RENEW_PRIORITIES } from '#shared/schemas/server.ts';
import { DAY } from '#shared/time.ts';
import { RenewBox } from './renew-box.tsx';
import type { Renewal } from './renew-box.tsx';

interface ExpiryProps {
  server: ServerView;
  renewal: Renewal;
  nowMs: number;
  answer: FormResult<unknown> | undefined;
}

/** From this many days left the bar warns, as in the list of servers. */
const WARN_DAYS = 3;

/** The expiry, automatic renewal, and the renewal form. */
export function ExpiryCard({ server, renewal, nowMs, answer }: ExpiryProps): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  const { expires_at: expires } = server;
  if (expires === null) {
    return (
      <Card title={t('noExpiry')}>
        <p className="sp-lead">{t('noExpiryText')}</p>
      </Card>
    );
  }
  const untilMs = Date.parse(expires);
  const left = untilMs - nowMs;
  const title = t(left > 0 ? 'paidUntil' : 'expiredOn', { date: format.date(expires) });
  // A server suspended for another reason than expiry does not expire, and paying does not resume it.
  if (server.state === 'suspended' && server.suspend_reason !== 'expired') {
    return (
      <Card title={title}>
        <p className="sp-lead">
          {t(server.suspend_reason === 'ban' ? 'haltedBan' : 'haltedAdmin')}
          {left <= 0 && ` ${t('haltedOver')}`}
        </p>
      </Card>
    );
  }
  return (
    <Card title={title} flush>
      {left > 0 ? (
        <CardSection>
          <Countdown untilMs={untilMs} nowMs={nowMs} size="xl" />
          <Bar value={left / (renewal.days * DAY)} tone={left <= WARN_DAYS * DAY ? 'warning' : 'quiet'} />
        </CardSection>
      ) : (
        <Overdue server={server} nowMs={nowMs} />
      )}
      <CardSection>
        <AutoRenew server={server} cost={renewal.cost} nowMs={nowMs} />
      </CardSection>
      <CardSection>
        <RenewBox server={server} renewal={renewal} answer={answer} variant="secondary" />
      </CardSection>
    </Card>
  );
}

/** Time left after the expiry: until the suspension, or once it is suspended, until the deletion. */
function Overdue({ server, nowMs }: { server: ServerView; nowMs: number }): ReactNode {
  const t = useT('servers');
  const { suspends_at: suspends, deletes_at: deletes } = server;
  if (deletes !== null) return <Grace deletesMs={Date.parse(deletes)} nowMs={nowMs} />;
  if (suspends === null) return null;
  const untilMs = Date.parse(suspends);
  return (
    <CardSection>
      <div className="sp-row">
        <Countdown untilMs={untilMs} nowMs={nowMs} size="xl" />
        <span className="sp-meta">{t('untilSuspended')}</span>
      </div>
      <Bar value={(untilMs - nowMs) / DAY} tone="warning" />
    </CardSection>
  );
}

/** Time left until an expired server is deleted. */
function Grace({ deletesMs, nowMs }: { deletesMs: number; nowMs: number }): ReactNode {
  const t = useT('servers');
  const days = Math.max(1, Number(useShell().settings.renew_grace_days));
  return (
    <CardSection>
      <div className="sp-row">
        <Countdown untilMs={deletesMs} nowMs={nowMs} size="xl" />
        <span className="sp-meta">{t('untilDeleted')}</span>
      </div>
      <Bar value={(deletesMs - nowMs) / (days * DAY)} tone="danger" />
    </CardSection>
  );
}

/** The hint of automatic renewal in this state; its date is never past. */
function renewHint(
  server: ServerView,
  { on, nowMs, amount }: { on: boolean; nowMs: number; amount: string },
  t: TFn<'servers'>,
  format: Format,
): string {
  if (server.state === 'suspended') return on ? t('autoRenewRevives', { amount }) : t('autoRenewStays');
  const over = server.expires_at !== null && Date.parse(server.expires_at) <= nowMs;
  if (over && on) return t('autoRenewDue', { amount });
  const at = over ? server.suspends_at : server.expires_at;
  const date = at === null ? '' : format.date(at);
  return on ? t('autoRenewOnText', { amount, date }) : t('autoRenewOffText', { date });
}

/** The switch of automatic renewal: submitted when toggled; without scripts by a button. */
function AutoRenew({ server, cost, nowMs }: { server: ServerView; cost: number; nowMs: number }): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  const errors = useErrorText();
  const fetcher = useFetcher<FormResult<unknown>>();
  const sent = fetcher.formData;
  const on = sent ? sent.get('on') === 'on' : server.auto_renew;
  const hint = renewHint(server, { on, nowMs, amount: format.credits(cost) }, t, format);
  const refused = fetcher.state === 'idle' && fetcher.data?.ok === false ? fetcher.data.code : null;
  return (
    <fetcher.Form method="post" className="sp-stack">
      <input type="hidden" name="_intent" value="autoRenew" />
      <Switch
        name="on"
        label={t('autoRenew')}
        hint={hint}
        checked={on}
        onChange={(event) => void fetcher.submit(event.currentTarget.form)}
      />
      {on && (
        <Field label={t('renewPriority')} hint={t('renewPriorityHint')}>
          <Select
            name="priority"
            options={RENEW_PRIORITIES.map((value) => ({ value, label: t(`renewPriorities.${value}`) }))}
            value={String(sent?.get('priority') ?? server.renew_priority)}
            onChange={(event) => void fetcher.submit(event.currentTarget.form)}
          />
        </Field>
      )}
      {refused !== null && (
        <p className="sp-field__error" role="alert">
          {errors.code(refused)}
        </p>
      )}
      <noscript>
        <Button type="submit" size="sm">
          {t('save')}
        </Button>
      </noscript>
    </fetcher.Form>
  );
}
