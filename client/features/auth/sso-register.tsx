import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { Rich, useT } from '#client/lib/i18n.tsx';
import { consumeTarget } from '#client/lib/redirect-target.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { href } from '#shared/routes/href.ts';
import { ssoRegisterInput } from '#shared/schemas/sso.ts';
import { CheckMail } from './check-mail.tsx';
import { AuthHead, ToLogin } from './parts.tsx';
import { ReferralField } from './referral-field.tsx';
import { NameFields, Terms } from './register-form.tsx';

/** Loaded once a registration was refused for want of it. */
const Challenge = lazy(async () => ({ default: (await import('#client/ui/challenge.tsx')).Challenge }));

/** What the service said, and whether there are referrals. */
export async function loader(args: LoaderFunctionArgs) {
  const api = apiOf(args);
  const [{ registration }, options] = await Promise.all([api.sso.registration(), api.auth.options()]);
  return { registration, referral: options.referral, verification: options.verification };
}
type Registration = NonNullable<Awaited<ReturnType<typeof loader>>['registration']>;

/**
 * Makes the account; goes to the page that was requested, or the dashboard, when that opened a session, else the answer
 * says where the e-mail went.
 */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, ssoRegisterInput, async (body) => {
    const { signed_in, referral } = await apiOf(args).sso.register({ body });
    return signed_in ? redirect(consumeTarget(args.request)) : { email: body.email ?? '', referral };
  });
}

type Answer = FormResult<{ email: string; referral: 'none' | 'known' | 'unknown' }> | undefined;

/** /auth/sso/register: what is missing for a new account, once a service has said who somebody is (behaviour 3.6). */
export default function SsoRegisterScreen(): ReactNode {
  const t = useT('sso');
  const { registration, referral, verification } = useLoaderData<typeof loader>();
  const answer = useActionData() as Answer;
  if (answer?.ok) return <CheckMail {...answer.result} />;
  if (!registration) {
    return (
      <>
        <AuthHead title={t('overTitle')} text={t('overText')} />
        <LinkButton to={href('auth.sso')} variant="primary" size="lg" block>
          {t('again')}
        </LinkButton>
        <ToLogin />
      </>
    );
  }
  return (
    <>
      <AuthHead title={t('registerTitle')} text={t('registerText', { provider: registration.provider })} />
      {registration.has_account ? (
        <HasAccount {...registration} />
      ) : (
        <RegistrationForm
          registration={registration}
          verification={verification}
          answer={answer}
          referral={<ReferralField state={referral} code="" />}
        />
      )}
    </>
  );
}

/** Nobody is logged in to an account because a service names its address: they log in to it and link it there. */
function HasAccount({ provider, email }: Registration): ReactNode {
  const t = useT('sso');
  const link = (text: ReactNode) => <TextLink to={href('auth.login')}>{text}</TextLink>;
  return (
    <>
      <Banner>
        <Rich t={t} k="hasAccount" vars={{ email: email ?? '', provider }} tags={{ link }} />
      </Banner>
      <ToLogin />
    </>
  );
}

interface RegistrationFormProps {
  readonly registration: Registration;
  /** An address that the service has not proven has to be confirmed. */
  readonly verification: boolean;
  readonly answer: Answer;
  readonly referral: ReactNode;
}

function RegistrationForm({ registration, verification, answer, referral }: RegistrationFormProps): ReactNode {
  const t = useT('sso');
  const auth = useT('auth');
  const { provider, email } = registration;
  const labels = {
    first_name: auth('firstName'),
    last_name: auth('lastName'),
    username: auth('username'),
    email: auth('email'),
  };
  const shown = useFormProps(answer, Object.keys(labels));
  return (
    <Form {...shown} labels={labels} noValidate>
      <NameFields start={registration} />
      {email === null ? (
        <Field label={auth('email')} name="email" required {...(verification ? { hint: auth('emailHintVerify') } : {})}>
          <TextInput
            size="lg"
            type="email"
            autoComplete="email"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={191}
          />
        </Field>
      ) : (
        <p className="sp-lead">{t('emailProven', { email, provider })}</p>
      )}
      {referral}
      <Terms given={shown.values.terms === 'on'} />
      {answer?.ok === false && answer.code.startsWith('CHALLENGE') && (
        <Suspense>
          <Challenge action="register" answer={answer} />
        </Suspense>
      )}
      <Button type="submit" variant="primary" size="lg" block>
        {auth('register')}
      </Button>
    </Form>
  );
}
