import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import type { Api } from '#shared/contract/index.ts';
import type { PluginSummary } from '#shared/contract/plugins.ts';
import { GrantList, Isolation } from './requests.tsx';

type Details = NonNullable<Awaited<ReturnType<Api['adminPlugins']['get']>>['details']>;
type Stopped = NonNullable<NonNullable<PluginSummary['installed']>['stopped']>;

/** Why it was turned off by itself. */
export function StoppedBanner({ stopped: { cause, text, at } }: { stopped: Stopped }): ReactNode {
  const t = useT('plugins');
  const format = useFormat();
  return (
    <Banner tone="danger">
      {t(`stoppedBy.${cause}`, { date: format.dateTime(at) })}
      {text !== '' && <code className="sp-plugins__said">{text}</code>}
    </Banner>
  );
}

/** What it wrote, the latest first. The page follows it, and how it does. */
export function LogCard({ lines }: Pick<Details, 'lines'>): ReactNode {
  useLive(['plugins']);
  const t = useT('plugins');
  const format = useFormat();
  return (
    <Card title={t('log')} text={t('logText')}>
      {lines.length === 0 && <p className="sp-muted">{t('logNone')}</p>}
      {lines.length > 0 && (
        <ol className="sp-plugins__log">
          {lines.toReversed().map(({ at, text }, index) => (
            // Lines have nothing of their own to go by.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={`${at} ${index}`}>
              <time dateTime={at} className="sp-muted">
                {format.dateTime(at)}
              </time>
              <code>{text}</code>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

/** Whose it is, what it may do, and what keeps it apart. */
export function DetailCards({
  data: { plugin, details },
}: {
  data: { readonly plugin: PluginSummary; readonly details: Details };
}): ReactNode {
  const t = useT('plugins');
  const format = useFormat();
  const { granted, granted_at: grantedAt, granted_by: grantor, installed_at: installedAt, signer } = details;
  const date = format.date(grantedAt);
  return (
    <div className="sp-stack">
      <Card
        title={t('mayDo')}
        text={grantor === null ? t('mayDoText', { date }) : t('mayDoTextBy', { date, name: grantor })}
      >
        <GrantList requests={granted} identifier={plugin.identifier} />
      </Card>
      <Card title={t('about')}>
        <Facts
          items={[
            { label: t('author'), value: plugin.installed?.author || t('unknownAuthor') },
            { label: t('version'), value: `${plugin.identifier} ${plugin.version}` },
            { label: t('installedAt'), value: format.dateTime(installedAt) },
            ...(signer === null
              ? []
              : [{ label: t('key'), value: <code className="sp-plugins__code">{signer}</code> }]),
          ]}
        />
      </Card>
      <Card title={t('apartTitle')}>
        <Isolation />
      </Card>
    </div>
  );
}
