import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { Rich, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { LinkButton } from '#client/ui/link-button.tsx';
import { href } from '#shared/routes/href.ts';
import { SystemPage } from './system-page.tsx';

/** Longest address that is shown in full. */
const PATH_SHOWN = 80;

/** The screen of unknown addresses. */
export default function NotFoundScreen(): ReactNode {
  const t = useT('system');
  const { session } = useShell();
  const { pathname } = useLocation();
  const shown = pathname.length > PATH_SHOWN ? `${pathname.slice(0, PATH_SHOWN)}…` : pathname;
  return (
    <SystemPage
      scene="missing"
      code={t('notFound.code')}
      title={t('notFound.title')}
      actions={
        <LinkButton to={href(session.signedIn ? 'dashboard' : 'auth.login')} variant="primary" size="lg">
          {t(session.signedIn ? 'toDashboard' : 'toLogin')}
        </LinkButton>
      }
    >
      <p>
        <Rich t={t} k="notFound.text" vars={{ path: <code>{shown}</code> }} />
      </p>
    </SystemPage>
  );
}
