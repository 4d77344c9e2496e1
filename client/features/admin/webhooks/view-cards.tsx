import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, CardSection, Facts } from '#client/ui/card.tsx';
import { ConfirmButton } from '#client/ui/confirm-button.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { Select } from '#client/ui/select.tsx';
import type { WebhookRow } from '#shared/contract/webhooks.ts';

/** Sends a test event. */
export function TestButton(): ReactNode {
  const t = useT('webhooks');
  return (
    <Form noSummary preventScrollReset>
      <input type="hidden" name="intent" value="test" />
      <Button type="submit" icon="send">
        {t('test')}
      </Button>
    </Form>
  );
}

/** Where it is, what it hears of, and how it does. */
export function FactsCard({ webhook }: { webhook: WebhookRow }): ReactNode {
  const t = useT('webhooks');
  const format = useFormat();
  return (
    <Card title={t('about')}>
      <Facts
        items={[
          { label: t('url'), value: <code className="sp-hooks__code">{webhook.url}</code> },
          {
            label: t('events'),
            value: <code className="sp-hooks__code">{webhook.events.join(', ')}</code>,
          },
          ...(webhook.kind === 'discord'
            ? []
            : [{ label: t('order'), value: t(webhook.ordered ? 'orderObject' : 'orderNone') }]),
          { label: t('waiting'), value: format.number(webhook.waiting) },
          { label: t('failed'), value: format.number(webhook.failed) },
          {
            label: t('lastDelivered'),
            value: webhook.delivered_at === null ? '–' : format.dateTime(webhook.delivered_at),
          },
        ]}
      />
    </Card>
  );
}

const SPANS = [1, 24, 72, 720] as const;

/** Sends what failed once more. */
export function ResendCard(): ReactNode {
  const t = useT('webhooks');
  const spans = SPANS.map((hours) => ({
    value: String(hours),
    label: hours < 24 ? t('lastHours', { count: hours }) : t('lastDays', { count: hours / 24 }),
  }));
  return (
    <Card title={t('resendTitle')} text={t('resendText')}>
      <CardSection>
        <Form noSummary preventScrollReset>
          <input type="hidden" name="intent" value="resend" />
          <Field label={t('since')} name="hours">
            <Select options={spans} defaultValue="24" />
          </Field>
          <Button type="submit" icon="refresh">
            {t('resendAll')}
          </Button>
        </Form>
      </CardSection>
    </Card>
  );
}

/** Since when the secret is what it is, and a new one. */
export function SecretCard({ webhook: { secret_set_at: at, old_secret_until: until } }: { webhook: WebhookRow }) {
  const t = useT('webhooks');
  const format = useFormat();
  return (
    <Card title={t('secret')} text={t('secretSince', { date: format.date(at) })}>
      <CardSection>
        {until !== null && <p className="sp-meta">{t('oldSecret', { date: format.dateTime(until) })}</p>}
        <Form noSummary preventScrollReset>
          <input type="hidden" name="intent" value="rotate" />
          <ConfirmButton
            icon="key"
            sure={t('rotateSure')}
            ask={{ title: t('rotateAsk'), text: t('rotateText'), ok: t('rotateSure') }}
          >
            {t('rotate')}
          </ConfirmButton>
        </Form>
      </CardSection>
    </Card>
  );
}
