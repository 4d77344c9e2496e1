import type { ReactNode } from 'react';
import { useFetcher } from 'react-router';
import type { FormResult } from '#client/lib/form-action.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Bar } from '#client/ui/bar.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, CardSection } from '#client/ui/card.tsx';
import { Switch } from '#client/ui/choice.tsx';
import { Countdown } from '#client/ui/countdown.tsx';
import type { ServerView } from '#shared/contract/servers.ts';
import { DAY } from '#shared/time.ts';
import { RenewBox } from './renew-box.tsx';
import type { Renewal } from './renew-box.tsx';

interface ExpiryProps {
  server: ServerView;
  renewal: Renewal;
  nowMs: number;
  answer: FormResult<unknown> | undefined;
}

/** From this share of a period down the bar warns: three days of thirty, as in the list of servers. */
const WARN_DAYS = 3;

/** How long it is paid, automatic renewal, and paying for more. */
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
  const share = left / (renewal.days * DAY);
  return (
    <Card title={t(left > 0 ? 'paidUntil' : 'ranOut', { date: format.date(expires) })} flush>
      {left > 0 ? (
        <CardSection>
          <Countdown untilMs={untilMs} nowMs={nowMs} size="xl" />
          <Bar value={share} tone={left <= WARN_DAYS * DAY ? 'warning' : 'quiet'} />
        </CardSection>
      ) : (
        server.deletes_at !== null && <Grace deletesMs={Date.parse(server.deletes_at)} nowMs={nowMs} />
      )}
      <CardSection>
        <AutoRenew server={server} cost={renewal.cost} />
      </CardSection>
      <CardSection>
        <RenewBox server={server} renewal={renewal} answer={answer} variant="secondary" />
      </CardSection>
    </Card>
  );
}

/** Time left until a server that ran out is deleted. */
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

/** The switch is sent as soon as it is moved; without scripts a button sends it. */
function AutoRenew({ server, cost }: { server: ServerView; cost: number }): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  const errors = useErrorText();
  const fetcher = useFetcher<FormResult<unknown>>();
  const sent = fetcher.formData;
  const on = sent ? sent.get('on') === 'on' : server.auto_renew;
  const date = server.expires_at === null ? '' : format.date(server.expires_at);
  const amount = format.credits(cost);
  const over = server.state === 'suspended';
  const hint = on ? t(over ? 'autoRenewRevives' : 'autoRenewOnText', { amount, date }) : t(over ? 'autoRenewStays' : 'autoRenewOffText', { date });
  const refused = fetcher.state === 'idle' && fetcher.data?.ok === false ? fetcher.data.code : null;
  return (
    <fetcher.Form method="post">
      <input type="hidden" name="_intent" value="autoRenew" />
      <Switch
        name="on"
        label={t('autoRenew')}
        hint={hint}
        checked={on}
        onChange={(event) => void fetcher.submit(event.currentTarget.form)}
      />
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
