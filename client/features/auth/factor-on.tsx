import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { PasswordInput } from '#client/ui/password-input.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { href } from '#shared/routes/href.ts';
import type { FactorAnswer } from './factor-setup.tsx';
import { AuthHead } from './parts.tsx';

/** An enabled factor: turning it off, and new recovery codes. Both need password and code (attacks T31). */
export function EnabledFactor({
  recoveryLeft,
  hasPassword,
  answer,
}: {
  recoveryLeft: number;
  hasPassword: boolean;
  answer: FactorAnswer | undefined;
}): ReactNode {
  const t = useT('twoFactor');
  return (
    <>
      <AuthHead title={t('onTitle')} text={t('onText', { count: recoveryLeft })} />
      <Proof
        intent="renew"
        hasPassword={hasPassword}
        title={t('renewTitle')}
        button={t('renew')}
        answer={answer?.intent === 'renew' ? answer.result : undefined}
      />
      <Proof
        intent="disable"
        hasPassword={hasPassword}
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
  readonly danger?: boolean;
  readonly hasPassword: boolean;
  readonly answer: FormResult<unknown> | undefined;
}

function Proof({ intent, title, button, danger = false, hasPassword, answer }: ProofProps): ReactNode {
  const t = useT('twoFactor');
  const shown = useFormProps(answer);
  return (
    <section className="sp-factor__part" aria-label={title}>
      <h2>{title}</h2>
      <Form {...shown} labels={{ password: t('password'), code: t('code') }} noValidate>
        <input type="hidden" name="_intent" value={intent} />
        {hasPassword && (
          <Field label={t('password')} name="password" required>
            <PasswordInput autoComplete="current-password" maxLength={256} />
          </Field>
        )}
        <Field label={t('code')} name="code" required>
          <TextInput autoComplete="one-time-code" autoCapitalize="characters" spellCheck={false} maxLength={40} />
        </Field>
        <div className="sp-btn-row">
          <Button type="submit" variant={danger ? 'danger' : 'secondary'}>
            {button}
          </Button>
        </div>
      </Form>
    </section>
  );
}
