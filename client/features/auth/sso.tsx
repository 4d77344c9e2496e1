import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { href } from '#shared/routes/href.ts';
import { AuthHead } from './parts.tsx';

/** /auth/sso: the sign-in services of the host. There are none, which the page says; nothing links to it. */
export default function SsoScreen(): ReactNode {
  const t = useT('passwordReset');
  const auth = useT('auth');
  return (
    <>
      <AuthHead title={t('ssoTitle')} text={t('ssoText')} />
      <LinkButton to={href('auth.login')} variant="primary" size="lg" block>
        {auth('toLogin')}
      </LinkButton>
    </>
  );
}
