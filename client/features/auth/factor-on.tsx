import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { PasskeyButton } from '#client/ui/passkey-button.tsx';
import { PasswordInput } from '#client/ui/password-input.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import type { Api } from '#shared/contract/index.ts';
import { href } from '#shared/routes/href.ts';
import type { FactorAnswer, FactorData } from './factor-setup.tsx';
import { AuthHead } from './parts.tsx';

/**
 * An enabled factor: turning it off, and new recovery codes. Both need password and code, or a passkey before (attacks
 * T31).
 */
export function EnabledFactor({ data, answer }: { data: FactorData; answer: FactorAnswer | undefined }): ReactNode {
  const passkeys = useT('passkeys');
  const { problem } = useFormProps(answer?.intent === 'confirmPasskey' ? answer.result : undefined);
  const t = useT('twoFactor');
  return (
    <>
      <AuthHead title={t('onTitle')} text={t('onText', { count: data.recovery_left })} />
      {problem && (
        <Banner tone="danger" live>
          {problem}
        </Banner>
      )}
      {!data.confirmed && data.passkey_domain !== null && (
        <>
          <p className="sp-lead">{passkeys('instead')}</p>
          <PasskeyButton domain={data.passkey_domain} intent="confirmPasskey" run={prove} block>
            {passkeys('use')}
          </PasskeyButton>
        </>
      )}
      <Proof
        intent="renew"
        confirmed={data.confirmed}
        hasPassword={data.has_password}
        title={t('renewTitle')}
        button={t('renew')}
        answer={answer?.intent === 'renew' ? answer.result : undefined}
      />
      <Proof
        intent="disable"
        confirmed={data.confirmed}
        hasPassword={data.has_password}
        title={t('disableTitle')}
        button={t('disable')}
        danger
        answer={answer?.intent === 'disable' ? answer.result : undefined}
      />
      <LinkButton to={`${href('account')}?tab=security`} size="lg" block>
        {t('toAccount')}
      </LinkButton>
    </>
  );
}

interface ProofProps {
  readonly intent: 'renew' | 'disable';
  readonly title: string;
  readonly button: string;
  /** The session was just confirmed: nothing more is asked for. */
  readonly confirmed: boolean;
  readonly danger?: boolean;
  readonly hasPassword: boolean;
  readonly answer: FormResult<unknown> | undefined;
}

/** Asks the user for one of their passkeys. */
const prove = async (api: Api, { provePasskey }: typeof import('#client/lib/passkey.ts')) =>
  provePasskey((await api.passkeys.startConfirm()).options);

function Proof({ intent, title, button, confirmed, danger = false, hasPassword, answer }: ProofProps): ReactNode {
  const t = useT('twoFactor');
  const shown = useFormProps(answer);
  return (
    <section className="sp-factor__part" aria-label={title}>
      <h2>{title}</h2>
      <Form {...shown} labels={{ password: t('password'), code: t('code') }} noValidate>
        <input type="hidden" name="_intent" value={intent} />
        {!confirmed && hasPassword && (
          <Field label={t('password')} name="password" required>
            <PasswordInput autoComplete="current-password" maxLength={256} />
          </Field>
        )}
        {!confirmed && (
          <Field label={t('code')} name="code" required>
            <TextInput autoComplete="one-time-code" autoCapitalize="characters" spellCheck={false} maxLength={40} />
          </Field>
        )}
        <div className="sp-btn-row">
          <Button type="submit" variant={danger ? 'danger' : 'secondary'}>
            {button}
          </Button>
        </div>
      </Form>
    </section>
  );
}
