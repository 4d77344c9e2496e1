import { lazy, Suspense } from 'react';
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
import { TextLink } from '#client/ui/link-button.tsx';
import { PasswordInput } from '#client/ui/password-input.tsx';
import { PasskeyButton } from '#client/ui/passkey-button.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { href } from '#shared/routes/href.ts';
import type { Api } from '#shared/contract/index.ts';
import { AuthHead } from './parts.tsx';
import { SsoButtons } from './sso-buttons.tsx';

/**
 * Whether registration is open, whether anybody has an account, and whether the visitor has just set a new password or
 * logged out.
 */
export async function loader(args: LoaderFunctionArgs) {
  const { registration, empty, providers, passkey_domain } = await apiOf(args).auth.options();
  const { searchParams } = new URL(args.request.url);
  const seen = { reset: searchParams.has('reset'), out: searchParams.has('logout') };
  return { registration, empty, providers, passkey_domain, ...seen };
}

/** Logs in and goes where the visitor wanted to go. */
export const action = lazyAction(() => import('./login-action.ts'));

/** Loaded when a log-in was refused because the challenge is missing. */
const Challenge = lazy(async () => ({ default: (await import('#client/ui/challenge.tsx')).Challenge }));

/** Asks for a passkey of whoever sits there; with `autofill` in the list of the name's field. */
const proveWith =
  (autofill: boolean) =>
  async (api: Api, { provePasskey }: typeof import('#client/lib/passkey.ts')) =>
    provePasskey((await api.passkeys.startLogin()).options, autofill);
const [BY_BUTTON, BY_LIST] = [proveWith(false), proveWith(true)];
/** Loaded when a banned user logs in. */
const BanNotice = lazy(async () => ({ default: (await import('./ban-notice.tsx')).BanNotice }));

const TO_REGISTER = { link: (text: ReactNode) => <TextLink to={href('auth.register')}>{text}</TextLink> };

/** /auth/login */
export default function LoginScreen(): ReactNode {
  const t = useT('auth');
  const passkeys = useT('passkeys');
  const { registration, empty, providers, passkey_domain, reset, out } = useLoaderData<typeof loader>();
  const result = useActionData() as FormResult<unknown> | undefined;
  const answer = useFormProps(result);
  const labels = { login: t('loginField'), password: t('password') };
  return (
    <>
      <AuthHead
        title={t('loginTitle')}
        text={registration ? <Rich t={t} k="loginNew" tags={TO_REGISTER} /> : t('loginClosed')}
      />
      {empty && <Banner>{t('loginEmpty')}</Banner>}
      {reset && !result && (
        <Banner tone="positive" live>
          {t('resetDone')}
        </Banner>
      )}
      {out && !result && (
        <Banner tone="positive" live>
          {t('loggedOut')}
        </Banner>
      )}
      {result?.ok === false && result.ban && (
        <Suspense>
          <BanNotice ban={result.ban} />
        </Suspense>
      )}
      <Form {...answer} labels={labels} noValidate>
        <Field label={t('loginField')} name="login" required>
          <TextInput
            size="lg"
            autoComplete="username webauthn"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={254}
          />
        </Field>
        <Field
          label={t('password')}
          name="password"
          aside={<TextLink to={href('auth.forgot')}>{t('forgot')}</TextLink>}
          required
        >
          <PasswordInput size="lg" autoComplete="current-password" maxLength={256} />
        </Field>
        {result?.ok === false && result.code.startsWith('CHALLENGE') && (
          <Suspense>
            <Challenge action="login" answer={result} />
          </Suspense>
        )}
        <Button type="submit" variant="primary" size="lg" block>
          {t('logIn')}
        </Button>
      </Form>
      <PasskeyButton domain={passkey_domain} intent="passkey" run={BY_BUTTON} autofill={BY_LIST} size="lg" block>
        {passkeys('use')}
      </PasskeyButton>
      <SsoButtons providers={providers} />
    </>
  );
}
