import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { Rich, useT } from '#client/lib/i18n.tsx';
import { lazyAction } from '#client/lib/lazy-action.ts';
import { Banner } from '#client/ui/banner.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { href } from '#shared/routes/href.ts';
import { CheckMail } from './check-mail.tsx';
import { AuthHead, ToLogin } from './parts.tsx';
import { ReferralField } from './referral-field.tsx';
import { RegisterForm } from './register-form.tsx';
import { SsoButtons } from './sso-buttons.tsx';

/** The token of a set-up link and its validity. */
export async function loader(args: LoaderFunctionArgs) {
  const setup = new URL(args.request.url).searchParams.get('setup')?.slice(0, 200) ?? '';
  const ref = new URL(args.request.url).searchParams.get('ref')?.slice(0, 200) ?? '';
  const options = await apiOf(args).auth.options(
    setup || ref ? { query: { ...(setup ? { setup } : {}), ...(ref ? { ref } : {}) } } : {},
  );
  return { setup, ref, ...options };
}

/** Creates the account; goes to the dashboard if that opened a session, else the page says where the e-mail was sent. */
export const action = lazyAction(() => import('./register-action.ts'));

type Answer = FormResult<{ email: string; referral: 'none' | 'known' | 'unknown' }> | undefined;

const TO_LOGIN = { link: (text: ReactNode) => <TextLink to={href('auth.login')}>{text}</TextLink> };

/** /auth/register, also for the first owner with `?setup=TOKEN` (behaviour 3.2). */
export default function RegisterScreen(): ReactNode {
  const t = useT('auth');
  const data = useLoaderData<typeof loader>();
  const answer = useActionData() as Answer;
  if (answer?.ok) return <CheckMail {...answer.result} />;
  if (data.setup && !data.setup_valid) return <BadLink used={!data.empty} registration={data.registration} />;
  const owner = data.setup !== '';
  if (data.empty && !owner) return <WaitingForOwner />;
  if (!data.registration && !owner) return <Closed />;
  return (
    <>
      <AuthHead
        title={t(owner ? 'setupTitle' : 'registerTitle')}
        {...(owner ? {} : { text: <Rich t={t} k="registerKnown" tags={TO_LOGIN} /> })}
      />
      {owner && (
        <Banner tone="accent" icon="key">
          {t('setupText')}
        </Banner>
      )}
      <RegisterForm
        answer={answer}
        setup={data.setup}
        verification={data.verification && !owner}
        {...(owner ? {} : { referral: <ReferralField state={data.referral} code={data.ref} /> })}
      />
      {!owner && <SsoButtons providers={data.providers} />}
    </>
  );
}

function BadLink({ used, registration }: { used: boolean; registration: boolean }): ReactNode {
  const t = useT('auth');
  return (
    <>
      <AuthHead title={t('linkTitle')} text={t(used ? 'linkUsedText' : 'linkInvalidText')} />
      {used && registration && (
        <LinkButton to={href('auth.register')} variant="primary" size="lg" block>
          {t('toRegister')}
        </LinkButton>
      )}
      <ToLogin />
    </>
  );
}

function WaitingForOwner(): ReactNode {
  const t = useT('auth');
  return (
    <>
      <AuthHead title={t('emptyTitle')} text={t('emptyText')} />
      <p className="sp-lead">{t('emptyCli')}</p>
      <pre className="sp-auth__code">
        <code>spawnpoint user create --role owner</code>
      </pre>
    </>
  );
}

function Closed(): ReactNode {
  const t = useT('auth');
  return (
    <>
      <AuthHead title={t('closedTitle')} text={t('closedText')} />
      <ToLogin />
    </>
  );
}
