import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure } from '#client/lib/form-action.ts';
import type { FormFailure, FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { href } from '#shared/routes/href.ts';
import { AuthHead } from './parts.tsx';

/**
 * The form that was sent: the token of a link, or a request for another e-mail, by a user (`resend`) or for an account
 * that waits for its link (`again`).
 */
type Intent = 'verify' | 'resend' | 'again';
interface Answer {
  intent: Intent;
  result: FormResult<{ email: string } | null>;
}

/** The token of the link, if the page was opened by one. Nothing is confirmed by opening it (behaviour 1). */
export function loader({ request }: LoaderFunctionArgs) {
  return { token: new URL(request.url).searchParams.get('token')?.slice(0, 200) ?? '' };
}

/** Confirms the address, or has another e-mail sent to it. */
export async function action(args: ActionFunctionArgs): Promise<Answer> {
  const api = apiOf(args);
  const form = await args.request.formData();
  const sent = form.get('_intent');
  const intent: Intent = sent === 'resend' || sent === 'again' ? sent : 'verify';
  try {
    if (intent === 'again') {
      const email = String(form.get('email') ?? '').trim();
      await api.auth.requestVerification({ body: { email } });
      return { intent, result: { ok: true, result: { email }, at: '' } };
    }
    if (intent === 'resend') await api.auth.resend();
    else await api.auth.verify({ body: { token: String(form.get('token') ?? '') } });
    return { intent, result: { ok: true, result: null, at: '' } };
  } catch (error) {
    const refused: FormFailure = toFormFailure(error, form);
    if (intent === 'again') return { intent, result: refused };
    // An empty or overlong token is no more than a link that does not work.
    const code = refused.code === 'VALIDATION_FAILED' ? 'VERIFY_LINK_INVALID' : refused.code;
    return { intent, result: { ...refused, fields: {}, code } };
  }
}

/** /auth/verify: with a token the button that confirms, without one a form that requests another e-mail. */
export default function VerifyScreen(): ReactNode {
  const t = useT('auth');
  const { token } = useLoaderData<typeof loader>();
  const answer = useActionData() as Answer | undefined;
  const { session } = useShell();
  const result = answer?.intent === 'verify' ? answer.result : undefined;
  const shown = useFormProps(result);
  if (result?.ok) return <Confirmed signedIn={session.signedIn} />;
  if (session.user?.verified && (!token || result))
    return session.user.confirmation === 'not_asked' ? <NotAsked /> : <Confirmed signedIn />;
  const refused = result && !result.ok && result.code === 'VERIFY_LINK_INVALID';
  if (!token || refused || (answer && answer.intent !== 'verify')) {
    return <ResendVerification bad={Boolean(token)} answer={answer} />;
  }
  return (
    <>
      <AuthHead title={t('verifyTitle')} text={t('verifyText')} />
      <Form {...shown}>
        <input type="hidden" name="_intent" value="verify" />
        <input type="hidden" name="token" value={token} />
        <Button type="submit" variant="primary" size="lg" icon="check" block>
          {t('verify')}
        </Button>
      </Form>
    </>
  );
}

function Confirmed({ signedIn }: { signedIn: boolean }): ReactNode {
  const t = useT('auth');
  return (
    <>
      <AuthHead title={t('verifiedTitle')} text={t('verifiedText')} />
      <LinkButton to={href(signedIn ? 'dashboard' : 'auth.login')} variant="primary" size="lg" block>
        {t(signedIn ? 'toDashboard' : 'toLogin')}
      </LinkButton>
    </>
  );
}

/** Nothing was confirmed, and confirmation is not required. */
function NotAsked(): ReactNode {
  const t = useT('auth');
  return (
    <>
      <AuthHead title={t('notAskedTitle')} text={t('notAskedText')} />
      <LinkButton to={href('dashboard')} variant="primary" size="lg" block>
        {t('toDashboard')}
      </LinkButton>
    </>
  );
}

/**
 * Another e-mail for an account that waits for its link: nobody can log in to it yet. The text does not depend on
 * whether it exists.
 */
function RequestVerification({
  title,
  bad,
  answer,
}: {
  title: string;
  bad: boolean;
  answer: Answer | undefined;
}): ReactNode {
  const t = useT('auth');
  const result = answer?.intent === 'again' ? answer.result : undefined;
  const shown = useFormProps(result);
  return (
    <>
      <AuthHead title={title} text={bad ? `${t('verifyBadText')} ${t('verifyGuest')}` : t('verifyGuest')} />
      {result?.ok && (
        <Banner tone="positive" live>
          {t('resendRequested', { email: result.result?.email ?? '' })}
        </Banner>
      )}
      <Form {...shown} labels={{ email: t('email') }} noValidate>
        <input type="hidden" name="_intent" value="again" />
        <Field label={t('email')} name="email" required>
          <TextInput
            size="lg"
            type="email"
            autoComplete="email"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={191}
          />
        </Field>
        <Button type="submit" variant="primary" size="lg" icon="mail" block>
          {t('resend')}
        </Button>
        <LinkButton to={href('auth.login')} size="lg" block>
          {t('toLogin')}
        </LinkButton>
      </Form>
    </>
  );
}

/** Another e-mail: to the user's address, or to the one that is typed in. `bad`: the link did not work. */
function ResendVerification({ bad, answer }: { bad: boolean; answer: Answer | undefined }): ReactNode {
  const t = useT('auth');
  const { session } = useShell();
  const result = answer?.intent === 'resend' ? answer.result : undefined;
  const shown = useFormProps(result);
  const email = session.user?.email ?? '';
  const title = t(bad ? 'verifyBadTitle' : 'resendTitle');
  if (!session.user) return <RequestVerification title={title} bad={bad} answer={answer} />;
  return (
    <>
      <AuthHead title={title} text={bad ? t('verifyBadText') : t('resendText', { email })} />
      {result?.ok && (
        <Banner tone="positive" live>
          {t('resent', { email })}
        </Banner>
      )}
      <Form {...shown}>
        <input type="hidden" name="_intent" value="resend" />
        <Button type="submit" variant="primary" size="lg" icon="mail" block>
          {t('resend')}
        </Button>
        <LinkButton to={href('dashboard')} size="lg" block>
          {t('toDashboard')}
        </LinkButton>
      </Form>
    </>
  );
}
