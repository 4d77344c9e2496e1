import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import type { SettingReach } from '#shared/contract/settings.ts';

interface ReachNoteProps {
  readonly reach: SettingReach;
  /** The new address of the installation; null where it stays. */
  readonly url: string | null;
}

/** What a change of the address or of the trusted proxies means for the browser that is in front of it. */
export function ReachNote({ reach: { now, then }, url }: ReachNoteProps): ReactNode {
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
      {then.blocked ? (
        <Banner tone="danger">{t('reach.blocked', { origin: then.origin })}</Banner>
      ) : (
        then.address !== now.address && (
          <Banner tone="warning">{t('reach.address', { now: now.address, then: then.address })}</Banner>
        )
      )}
    </>
  );
}
