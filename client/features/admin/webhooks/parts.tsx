import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card, CardSection } from '#client/ui/card.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Status } from '#client/ui/status.tsx';
import type { DeliveryRow, WebhookRow } from '#shared/contract/webhooks.ts';
import { href } from '#shared/routes/staff-href.ts';
import type { EndpointKind } from '#shared/webhooks.ts';

/** How an endpoint does. */
export function WebhookStatus({
  webhook,
}: {
  webhook: Pick<WebhookRow, 'enabled' | 'disabled_cause' | 'failing_since'>;
}): ReactNode {
  const t = useT('webhooks');
  if (!webhook.enabled) {
    const byItself = webhook.disabled_cause !== null && webhook.disabled_cause !== 'staff';
    return <Status shape={byItself ? 'failed' : 'off'}>{t(byItself ? 'state.disabled' : 'state.off')}</Status>;
  }
  return webhook.failing_since === null ? (
    <Status shape="active">{t('state.on')}</Status>
  ) : (
    <Status shape="paused">{t('state.failing')}</Status>
  );
}

const DELIVERY_SHAPES = { waiting: 'queued', delivered: 'active', failed: 'failed' } as const;

/** Where a delivery stands. */
export function DeliveryStatus({ delivery: { state, tries } }: { delivery: DeliveryRow }): ReactNode {
  const t = useT('webhooks');
  return (
    <Status shape={DELIVERY_SHAPES[state]}>
      {t(state === 'waiting' && tries > 0 ? 'delivery.again' : `delivery.${state}`)}
    </Status>
  );
}

/** Says that nothing is sent while the plugin of a kind is off. */
export function PluginOff({ kind }: { kind: EndpointKind }): ReactNode {
  const t = useT('webhooks');
  return (
    <Banner tone="warning" action={<LinkButton to={href('admin.plugins.list')}>{t('toPlugins')}</LinkButton>}>
      {t(kind === 'discord' ? 'discordOff' : 'pluginOff')}
    </Banner>
  );
}

/** A secret, shown this once. */
export function FreshSecret({ secret, text }: { secret: string; text: string }): ReactNode {
  const t = useT('webhooks');
  return (
    <Card title={t('secret')} text={t('secretOnce')}>
      <CardSection>
        <Banner tone="positive" live>
          {text}
        </Banner>
        <p className="sp-hooks__secret">
          <CopyButton text={secret} what={t('secret')}>
            <code>{secret}</code>
          </CopyButton>
        </p>
      </CardSection>
    </Card>
  );
}
