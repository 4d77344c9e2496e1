import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import type { PasskeyProof } from '#client/lib/passkey.ts';
import { submitPasskey } from '#client/lib/passkey-form.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { PasswordInput } from '#client/ui/password-input.tsx';
import { QrCode } from '#client/ui/qr-code.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { href } from '#shared/routes/href.ts';
import { factorCodeInput, factorPasswordInput, factorProofInput } from '#shared/schemas/account.ts';
import { EnabledFactor } from './factor-on.tsx';
import { AuthHead } from './parts.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

/** The state of the second factor. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).twoFactor.get();
}
export type FactorData = Awaited<ReturnType<typeof loader>>;

/** Which form was sent, and its outcome. Recovery codes are shown only once. */
export type FactorAnswer =
  | { readonly intent: 'begin' | 'disable' | 'confirmPasskey'; readonly result: FormResult<null> }
  | { readonly intent: 'confirm' | 'renew'; readonly result: FormResult<{ readonly recovery_codes: string[] }> };

/** Starts or confirms the set-up, turns the factor off, or creates new recovery codes. */
export async function action(args: ActionFunctionArgs): Promise<FactorAnswer | Response> {
  const { twoFactor, passkeys } = apiOf(args);
  const form = await args.request.clone().formData();
  const answered = <A extends FactorAnswer>(intent: A['intent'], result: A['result'] | Response) =>
    result instanceof Response ? result : ({ intent, result } as A);
  switch (form.get('_intent')) {
    case 'confirmPasskey':
      return answered(
        'confirmPasskey',
        await submitPasskey(form, async (body: PasskeyProof) => (await passkeys.confirmByPasskey({ body }), null)),
      );
    case 'confirm':
      return answered(
        'confirm',
        await submitForm(args.request, factorCodeInput, async (body) => twoFactor.confirm({ body })),
      );
    case 'disable':
      return answered(
        'disable',
        await submitForm(args.request, factorProofInput, async (body) => (await twoFactor.disable({ body }), null)),
      );
    case 'renew':
      return answered(
        'renew',
        await submitForm(args.request, factorProofInput, async (body) => twoFactor.renewCodes({ body })),
      );
    default:
      return answered(
        'begin',
        await submitForm(
          args.request,
          factorPasswordInput,
          async (body) => (await twoFactor.startSetup({ body }), null),
        ),
      );
  }
}

/** /auth/2fa/setup */
export default function FactorSetupScreen(): ReactNode {
  const data = useLoaderData<typeof loader>();
  const answer = useActionData() as FactorAnswer | undefined;
  if ((answer?.intent === 'confirm' || answer?.intent === 'renew') && answer.result.ok)
    return <RecoveryCodes codes={answer.result.result.recovery_codes} fresh={answer.intent === 'confirm'} />;
  if (data.enabled) return <EnabledFactor data={data} answer={answer} />;
  if (data.pending)
    return <Confirm pending={data.pending} answer={answer?.intent === 'confirm' ? answer.result : undefined} />;
  return <Begin answer={answer} hasPassword={data.has_password} />;
}

/** Asks for the password first, so that nobody else can lock the owner out of the account. */
function Begin({ answer, hasPassword }: { answer: FactorAnswer | undefined; hasPassword: boolean }): ReactNode {
  const t = useT('twoFactor');
  const { session } = useShell();
  const required = session.user?.second_factor === 'required';
  const shown = useFormProps(answer?.intent === 'begin' || answer?.intent === 'confirm' ? answer.result : undefined);
  return (
    <>
      <AuthHead title={t('setupTitle')} text={t('setupText')} />
      {required && <Banner>{t('required')}</Banner>}
      {session.user?.verified === false && (
        <Banner tone="warning" icon="mail">
          {t('addressFirst')} <TextLink to={href('auth.verify')}>{t('confirmAddress')}</TextLink>
        </Banner>
      )}
      {answer?.intent === 'disable' && answer.result.ok && (
        <Banner tone="positive" live>
          {t('disabled')}
        </Banner>
      )}
      <Form {...shown} labels={{ password: t('password') }} noValidate>
        <input type="hidden" name="_intent" value="begin" />
        {hasPassword && (
          <Field label={t('password')} name="password" required>
            <PasswordInput size="lg" autoComplete="current-password" maxLength={256} />
          </Field>
        )}
        <Button type="submit" variant="primary" size="lg" block>
          {t('begin')}
        </Button>
        {/* Where it is required the account is shut, and the only other way is out. */}
        <LinkButton to={required ? href('auth.logout') : `${href('account')}?tab=security`} size="lg" block>
          {t(required ? 'logOut' : 'toAccount')}
        </LinkButton>
      </Form>
    </>
  );
}

/** The secret for the app, and a code as proof that the app has it. */
function Confirm({
  pending,
  answer,
}: {
  pending: NonNullable<FactorData['pending']>;
  answer: FormResult<unknown> | undefined;
}): ReactNode {
  const t = useT('twoFactor');
  const shown = useFormProps(answer);
  return (
    <>
      <AuthHead title={t('setupTitle')} text={t('scan')} />
      <div className="sp-factor__qr">
        <QrCode text={pending.uri} label={t('qr')} />
      </div>
      <p className="sp-factor__secret">
        <span className="sp-meta">{t('bySecret')}</span>
        <CopyButton text={pending.secret} what={t('secret')}>
          <code>{pending.secret.match(/.{1,4}/g)?.join(' ')}</code>
        </CopyButton>
      </p>
      <Form {...shown} labels={{ code: t('appCode') }} noValidate>
        <input type="hidden" name="_intent" value="confirm" />
        <Field label={t('appCode')} name="code" required>
          <TextInput size="lg" autoComplete="one-time-code" inputMode="numeric" spellCheck={false} maxLength={40} />
        </Field>
        <Button type="submit" variant="primary" size="lg" block>
          {t('confirm')}
        </Button>
        <LinkButton to={href('auth.factorCancel')} size="lg" block>
          {t('cancel')}
        </LinkButton>
      </Form>
    </>
  );
}
