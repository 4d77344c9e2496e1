import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { redirect, useActionData, useSubmit } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { href } from '#shared/routes/href.ts';
import { AuthHead } from './parts.tsx';

/** Ends the session and goes to the login, which says so. */
export async function action(args: ActionFunctionArgs) {
  try {
    await apiOf(args).auth.logout();
  } catch (error) {
    return toFormFailure(error, new FormData());
  }
  return redirect(`${href('auth.login')}?logout=done`);
}

/**
 * /auth/logout. Opening the page changes nothing by itself (behaviour 1): it holds a form, which scripts send at once
 * and people without scripts send by its button.
 */
export default function LogoutScreen(): ReactNode {
  const t = useT('auth');
  const { session } = useShell();
  if (!session.signedIn) {
    return (
      <>
        <AuthHead title={t('loggedOutTitle')} text={t('loggedOutText')} />
        <LinkButton to={href('auth.login')} variant="primary" size="lg" block>
          {t('toLogin')}
        </LinkButton>
      </>
    );
  }
  return <LogoutForm name={session.user?.username ?? ''} />;
}

function LogoutForm({ name }: { name: string }): ReactNode {
  const t = useT('auth');
  const answer = useFormProps(useActionData() as FormResult<unknown> | undefined);
  const submit = useSubmit();
  const sent = useRef(false);
  // An effect: it follows from the page being shown, not from anything the visitor does on it.
  useEffect(() => {
    if (sent.current) return;
    sent.current = true;
    void submit(null, { method: 'post', action: href('auth.logout') });
  }, [submit]);
  return (
    <>
      <AuthHead title={t('logoutTitle')} text={t('logoutText', { name })} />
      <Form {...answer} action={href('auth.logout')}>
        <Button type="submit" variant="primary" size="lg" icon="log-out" block>
          {t('logOut')}
        </Button>
        <LinkButton to={href('dashboard')} size="lg" block>
          {t('stay')}
        </LinkButton>
      </Form>
    </>
  );
}
