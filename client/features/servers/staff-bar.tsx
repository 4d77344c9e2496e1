import type { ReactNode } from 'react';
import { Rich, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import type { SharedServerView } from '#shared/contract/server-views.ts';
import { href } from '#shared/routes/staff-href.ts';
import { BOLD } from './parts.tsx';

/** Whose server it is, that staff are at work on it, and the way back. Apart, because it knows the routes of staff. */
export function StaffBar({ server }: { server: SharedServerView }): ReactNode {
  const t = useT('sharing');
  return (
    <Banner
      tone="warning"
      icon="eye"
      action={
        <LinkButton to={href('admin.servers.view', { id: server.id })} size="sm">
          {t('backToStaff')}
        </LinkButton>
      }
    >
      <Rich t={t} k="asStaff" tags={BOLD} vars={{ name: server.owner }} />
    </Banner>
  );
}
