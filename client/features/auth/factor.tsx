import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { consumeTarget } from '#client/lib/redirect-target.ts';
import { Button } from '#client/ui/button.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { href } from '#shared/routes/href.ts';
import { factorCodeInput } from '#shared/schemas/account.ts';
import { AuthHead } from './parts.tsx';

/** Whether there is a log-in that waits for its second factor. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).twoFactor.waiting();
}

/** Passes the second factor and goes where the visitor wanted to go. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, factorCodeInput, async (body) => {
    await apiOf(args).twoFactor.verify({ body });
    return redirect(consumeTarget(args.request));
  });
}

/** /auth/2fa/verify: the second step of a log-in. */
export default function FactorScreen(): ReactNode {
  const t = useT('twoFactor');
  const { waiting } = useLoaderData<typeof loader>();
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
      {/* Not a link: the log-out page treats a session that waits for its second factor as a guest. */}
      <Form action={href('auth.logout')} noSummary>
        <Button type="submit" size="lg" block>
          {t('logOut')}
        </Button>
      </Form>
    </>
  );
}
