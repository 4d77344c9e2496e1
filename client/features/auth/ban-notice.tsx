import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import type { BanNotice as Ban } from '#shared/errors.ts';
import { SupportLinks } from '#client/ui/support-links.tsx';

/** Why an account is banned, until when, and how to appeal (behaviour 3.9). */
export function BanNotice({ ban }: { ban: Ban }): ReactNode {
  const t = useT('auth');
  const format = useFormat();
  return (
    <Banner tone="warning">
      {ban.reason && <p>{t('banReason', { reason: ban.reason })}</p>}
      <p>{ban.until === null ? t('banForGood') : t('banUntil', { date: format.dateTime(ban.until) })}</p>
      {ban.appeal ? <p>{t('banAppeal', { appeal: ban.appeal })}</p> : <SupportLinks />}
    </Banner>
  );
}
