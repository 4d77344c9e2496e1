import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { Rich, useT } from '#client/lib/i18n.tsx';
import { lazyAction } from '#client/lib/lazy-action.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { href } from '#shared/routes/href.ts';
import { AuthHead } from './parts.tsx';
import { SupportLinks } from '#client/ui/support-links.tsx';

/** Whether the host sends e-mail. */
export async function loader(args: LoaderFunctionArgs) {
  const { sends_mail } = await apiOf(args).auth.options();
  return { sends_mail };
}

/** Requests the e-mail. The result does not depend on whether the account exists. */
export const action = lazyAction(() => import('./forgot-action.ts'));

/** /auth/forgot-password (behaviour 3.7). */
export default function ForgotScreen(): ReactNode {
  const t = useT('passwordReset');
  const auth = useT('auth');
  const { sends_mail } = useLoaderData<typeof loader>();
  const answer = useActionData() as FormResult<{ login: string }> | undefined;
  const shown = useFormProps(answer);
  if (answer?.ok) return <ResetLinkSent login={answer.result.login} mail={sends_mail} />;
  return (
    <>
      <AuthHead title={t('forgotTitle')} text={t('forgotText')} />
      {!sends_mail && <NoMail />}
      <Form {...shown} labels={{ login: auth('loginField') }} noValidate>
        <Field label={auth('loginField')} name="login" required>
          <TextInput size="lg" autoComplete="username" autoCapitalize="none" spellCheck={false} maxLength={254} />
        </Field>
        <Button type="submit" variant="primary" size="lg" icon="mail" block>
          {t('forgotSend')}
        </Button>
        <LinkButton to={href('auth.login')} size="lg" block>
          {auth('toLogin')}
        </LinkButton>
      </Form>
    </>
  );
}

/** What happens next, whether or not the account exists; without a mail server the owner has to be asked. */
function ResetLinkSent({ login, mail }: { login: string; mail: boolean }): ReactNode {
  const t = useT('passwordReset');
  const auth = useT('auth');
  return (
    <>
      <AuthHead
        title={mail ? auth('mailTitle') : t('keptTitle')}
        text={<Rich t={t} k={mail ? 'sentText' : 'keptText'} vars={{ login: <b key="login">{login}</b> }} />}
      />
      {mail ? <p className="sp-lead">{t('sentSpam')}</p> : <NoMail />}
      <LinkButton to={href('auth.login')} variant="primary" size="lg" block>
        {auth('toLogin')}
      </LinkButton>
      <LinkButton to={href('auth.forgot')} size="lg" block>
        {t('again')}
      </LinkButton>
    </>
  );
}

/** Links cannot be sent: whoever wants one has to ask. */
function NoMail(): ReactNode {
  const t = useT('passwordReset');
  return (
    <Banner icon="mail">
      {t('noMail')} <SupportLinks />
    </Banner>
  );
}
