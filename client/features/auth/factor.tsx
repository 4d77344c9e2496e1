import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import type { PasskeyProof } from '#client/lib/passkey.ts';
import { submitPasskey } from '#client/lib/passkey-form.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { consumeTarget } from '#client/lib/redirect-target.ts';
import { Button } from '#client/ui/button.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { PasskeyButton } from '#client/ui/passkey-button.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import type { Api } from '#shared/contract/index.ts';
import { href } from '#shared/routes/href.ts';
import { factorCodeInput } from '#shared/schemas/account.ts';
import { AuthHead } from './parts.tsx';

/** Whether there is a log-in that waits for its second factor. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).twoFactor.waiting();
}

/** Passes the second factor, by a code or a passkey, and goes where the visitor wanted to go. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.clone().formData();
  if (form.get('_intent') === 'passkey') {
    return submitPasskey(form, async (body: PasskeyProof) => {
      await apiOf(args).passkeys.passFactor({ body });
      return redirect(consumeTarget(args.request));
    });
  }
  return submitForm(args.request, factorCodeInput, async (body) => {
    await apiOf(args).twoFactor.verify({ body });
    return redirect(consumeTarget(args.request));
  });
}

/** Asks for a passkey of whose log-in waits. */
const prove = async (api: Api, { provePasskey }: typeof import('#client/lib/passkey.ts')) =>
  provePasskey((await api.passkeys.startFactor()).options);

/** /auth/2fa/verify: the second step of a log-in. */
export default function FactorScreen(): ReactNode {
  const t = useT('twoFactor');
  const passkeys = useT('passkeys');
  const { waiting, passkey_domain } = useLoaderData<typeof loader>();
  const answer = useFormProps(useActionData() as FormResult<unknown> | undefined);
  if (!waiting) {
    return (
      <>
        <AuthHead title={t('verifyTitle')} text={t('nothingWaits')} />
        <LinkButton to={href('auth.login')} variant="primary" size="lg" block>
          {t('toLogin')}
        </LinkButton>
      </>
    );
  }
  return (
    <>
      <AuthHead title={t('verifyTitle')} text={t('verifyText')} />
      <Form {...answer} labels={{ code: t('code') }} noValidate>
        <Field label={t('code')} name="code" hint={t('codeHint')} required>
          <TextInput
            size="lg"
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={40}
          />
        </Field>
        <Button type="submit" variant="primary" size="lg" block>
          {t('verify')}
        </Button>
      </Form>
      <PasskeyButton domain={passkey_domain} intent="passkey" run={prove} size="lg" block>
        {passkeys('use')}
      </PasskeyButton>
      {/* Not a link: the log-out page treats a session that waits for its second factor as a guest. */}
      <Form action={href('auth.logout')} noSummary>
        <Button type="submit" size="lg" block>
          {t('logOut')}
        </Button>
      </Form>
    </>
  );
}
