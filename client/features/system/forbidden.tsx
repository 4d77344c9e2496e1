import type { ReactNode } from 'react';
import { Rich, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { LinkButton } from '#client/ui/link-button.tsx';
import { href } from '#shared/routes/href.ts';
import { SystemPage } from './system-page.tsx';
import { SupportLinks } from '#client/ui/support-links.tsx';

/** /errors/403, and every page whose permission the visitor lacks. */
export default function ForbiddenScreen(): ReactNode {
  const t = useT('system');
  const { session } = useShell();
  const { user } = session;
  return (
    <SystemPage
      scene="forbidden"
      code={t('forbidden.code')}
      title={t('forbidden.title')}
      actions={
        <>
          <LinkButton to={href(session.signedIn ? 'dashboard' : 'auth.login')} variant="primary" size="lg">
            {t(session.signedIn ? 'toDashboard' : 'toLogin')}
          </LinkButton>
          {session.signedIn && (
            <LinkButton to={href('auth.logout')} size="lg">
              {t('otherAccount')}
            </LinkButton>
          )}
        </>
      }
    >
      <p>
        {t('forbidden.text')} <SupportLinks />
      </p>
      {user && (
        <p className="sp-lead">
          <Rich t={t} k="forbidden.signedIn" vars={{ name: <b>{user.username}</b>, role: user.role }} />
        </p>
      )}
    </SystemPage>
  );
}
