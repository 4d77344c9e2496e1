import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { lazyAction } from '#client/lib/lazy-action.ts';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { NewPasswordField } from '#client/ui/new-password-field.tsx';
import { href } from '#shared/routes/href.ts';
import { AuthHead, PASSWORD_MIN } from './parts.tsx';

/** The token of the link and whether it is valid. Opening the page does not use it up (behaviour 1). */
export async function loader(args: LoaderFunctionArgs) {
  const token = new URL(args.request.url).searchParams.get('token')?.slice(0, 200) ?? '';
  if (!token) return { token, good: false };
  const { reset_valid } = await apiOf(args).auth.options({ query: { reset_token: token } });
  return { token, good: reset_valid };
}

/** Sets the new password and goes to the login. */
export const action = lazyAction(() => import('./reset-action.ts'));

/** /auth/reset-password, opened by the link of an e-mail (behaviour 3.7). */
export default function ResetScreen(): ReactNode {
  const t = useT('passwordReset');
  const auth = useT('auth');
  const { token, good } = useLoaderData<typeof loader>();
  const answer = useActionData() as FormResult<unknown> | undefined;
  const shown = useFormProps(answer);
  if (!good || (answer && !answer.ok && answer.code === 'RESET_LINK_INVALID')) return <BadLink />;
  return (
    <>
      <AuthHead title={t('resetTitle')} text={t('resetText')} />
      <Form {...shown} labels={{ password: t('newPassword') }} noValidate>
        <input type="hidden" name="token" value={token} />
        <NewPasswordField
          size="lg"
          name="password"
          label={t('newPassword')}
          min={PASSWORD_MIN}
          max={256}
          hint={auth('passwordHint', { min: PASSWORD_MIN })}
          countText={(length) => auth('passwordCount', { length, min: PASSWORD_MIN })}
        />
        <Button type="submit" variant="primary" size="lg" icon="key" block>
          {t('setPassword')}
        </Button>
      </Form>
    </>
  );
}

function BadLink(): ReactNode {
  const t = useT('passwordReset');
  const auth = useT('auth');
  return (
    <>
      <AuthHead title={auth('verifyBadTitle')} text={t('badText')} />
      <LinkButton to={href('auth.forgot')} variant="primary" size="lg" icon="mail" block>
        {t('askNew')}
      </LinkButton>
      <LinkButton to={href('auth.login')} size="lg" block>
        {auth('toLogin')}
      </LinkButton>
    </>
  );
}
