import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import type { SettingReach } from '#shared/contract/settings.ts';

interface ReachNoteProps {
  readonly reach: SettingReach;
  /** The new address of the installation; null where it stays. */
  readonly url: string | null;
  /** Whether the trusted proxies change. */
  readonly proxies: boolean;
}

/** What a change of the address or of the trusted proxies means for the browser that is in front of it. */
export function ReachNote({ reach: { now, after }, url, proxies }: ReachNoteProps): ReactNode {
  const t = useT('staffSettings');
  const origin = URL.parse(url ?? '')?.origin;
  return (
    <>
      {origin !== undefined && origin !== now.origin && (
        <Banner tone="warning">
          {t('reach.elsewhere', { origin: now.origin })}{' '}
          <a href={origin} target="_blank" rel="noreferrer">
            {origin}
          </a>
        </Banner>
      )}
      {origin === now.origin && <Banner tone="positive">{t('reach.here')}</Banner>}
      {proxies && after.blocked && <Banner tone="danger">{t('reach.blocked', { origin: after.origin })}</Banner>}
      {proxies && !after.blocked && (
        <Banner tone={after.address === now.address ? 'info' : 'warning'}>
          {t(after.address === now.address ? 'reach.same' : 'reach.address', {
            now: now.address,
            after: after.address,
          })}
        </Banner>
      )}
    </>
  );
}
