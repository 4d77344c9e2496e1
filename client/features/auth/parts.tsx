import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { href } from '#shared/routes/href.ts';

/** Least length of a new password (behaviour 3.1). */
export const PASSWORD_MIN = 10;

/** The head of a page before the login. */
export function AuthHead(props: { title: ReactNode; text?: ReactNode }): ReactNode {
  return (
    <div className="sp-auth__head">
      <h1>{props.title}</h1>
      {props.text !== undefined && <p>{props.text}</p>}
    </div>
  );
}

/** The way to the log-in. */
export function ToLogin(): ReactNode {
  const t = useT('auth');
  return (
    <LinkButton to={href('auth.login')} size="lg" block>
      {t('toLogin')}
    </LinkButton>
  );
}
