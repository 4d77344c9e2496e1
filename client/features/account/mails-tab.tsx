import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { Card } from '#client/ui/card.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { PastPager } from './past-pager.tsx';
import type { AccountData } from './screen.tsx';

type Mails = NonNullable<AccountData['mails']>;
const TONES = {
  queued: 'info',
  sending: 'info',
  sent: 'positive',
  unknown: 'warning',
  failed: 'danger',
  cancelled: 'neutral',
  kept: 'warning',
} as const;

/** The e-mails that were sent to the visitor, to be read again (behaviour 3.8). */
export function MailsTab({ mails, first }: { mails: Mails; first: boolean }): ReactNode {
  const t = useT('activity');
  return (
    <Card title={t('mailsTitle')} text={t('mailsText')} flush>
      {mails.rows.length === 0 ? (
        <EmptyState as="h3" title={t('mailsEmpty')} text={t('mailsEmptyText')} />
      ) : (
        <ul className="sp-mails" aria-label={t('mailsTitle')}>
          {mails.rows.map((mail) => (
            <Mail key={mail.id} mail={mail} />
          ))}
        </ul>
      )}
      <PastPager tab="mails" first={first} older={mails.older} />
    </Card>
  );
}

function Mail({ mail }: { mail: Mails['rows'][number] }): ReactNode {
  const t = useT('activity');
  const format = useFormat();
  return (
    <li>
      <details className="sp-mail">
        <summary>
          <Icon name="chevron-right" size="sm" />
          <span className="sp-mail__subject">{mail.subject ?? t('code')}</span>
          <Badge tone={TONES[mail.state]}>{t(`state.${mail.state}`)}</Badge>
          <span className="sp-mail__facts">
            {mail.address} · <time dateTime={mail.at}>{format.dateTime(mail.at)}</time>
          </span>
        </summary>
        <p className="sp-mail__text">{mail.text ?? t('codeText')}</p>
      </details>
    </li>
  );
}
