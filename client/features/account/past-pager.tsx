import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { href } from '#shared/routes/href.ts';

/** Links to the newest and to the next older page of a tab. `older`: where that begins; null: there is none. */
export function PastPager(props: { tab: 'activity' | 'mails'; first: boolean; older: string | null }): ReactNode {
  const t = useT('ui');
  const to = `${href('account')}?tab=${props.tab}`;
  if (props.first && props.older === null) return null;
  return (
    <nav className="sp-pager" aria-label={t('pager')}>
      {!props.first && (
        <LinkButton to={to} variant="ghost" size="sm">
          {t('newest')}
        </LinkButton>
      )}
      {props.older !== null && (
        <LinkButton to={`${to}&before=${props.older}`} variant="ghost" size="sm" iconEnd="chevron-right">
          {t('older')}
        </LinkButton>
      )}
    </nav>
  );
}
