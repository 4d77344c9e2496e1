import { useState } from 'react';
import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { NewPasswordField } from '#client/ui/new-password-field.tsx';
import { PasswordInput } from '#client/ui/password-input.tsx';
import { href } from '#shared/routes/href.ts';

/** Least length of a new password (behaviour 3.1). */
const PASSWORD_MIN = 10;

/**
 * Changes the password, with the current one as proof; sets a first one soon after a log-in with a service. Shows what
 * else keeps the account safe.
 */
export function PasswordTab({
  answer,
  hasPassword,
  children,
}: {
  answer: FormResult<null> | undefined;
  hasPassword: boolean;
  children?: ReactNode;
}): ReactNode {
  const t = useT('account');
  const shown = useFormProps(answer);
  const submitCount = useSubmitCount(answer);
  return (
    <div className="sp-account__narrow">
      <Card
        title={t(hasPassword ? 'passwordTitle' : 'firstPasswordTitle')}
        text={t(hasPassword ? 'passwordText' : 'firstPasswordText')}
      >
        <Form
          key={submitCount}
          {...shown}
          labels={{ current: t('currentPassword'), password: t('newPassword') }}
          noValidate
        >
          <input type="hidden" name="_intent" value="password" />
          {answer?.ok && (
            <Banner tone="positive" live>
              {t('passwordChanged')}
            </Banner>
          )}
          {hasPassword && (
            <Field label={t('currentPassword')} name="current" required>
              <PasswordInput autoComplete="current-password" maxLength={256} />
            </Field>
          )}
          <NewPasswordField
            name="password"
            label={t('newPassword')}
            min={PASSWORD_MIN}
            max={256}
            hint={t('passwordHint', { min: PASSWORD_MIN })}
            countText={(length) => t('passwordCount', { length, min: PASSWORD_MIN })}
          />
          <div className="sp-btn-row">
            <Button type="submit" variant="primary">
              {t(hasPassword ? 'changePassword' : 'setPassword')}
            </Button>
          </div>
        </Form>
      </Card>
      <FactorCard />
      {children}
    </div>
  );
}

/** The state of the second factor, with a link to its page. */
function FactorCard(): ReactNode {
  const t = useT('account');
  const { session } = useShell();
  const on = session.user?.second_factor === 'on';
  return (
    <Card title={t('factorTitle')} text={t(on ? 'factorOn' : 'factorOff')}>
      <div className="sp-btn-row">
        <LinkButton to={href('auth.factorSetup')} icon="shield-check">
          {t(on ? 'factorManage' : 'factorSetUp')}
        </LinkButton>
      </div>
    </Card>
  );
}

/** Counts successes, so that the form starts empty after each. */
function useSubmitCount(answer: FormResult<null> | undefined): number {
  const [state, setState] = useState({ answer, submitCount: 0 });
  if (answer === state.answer) return state.submitCount;
  const submitCount = answer?.ok ? state.submitCount + 1 : state.submitCount;
  setState({ answer, submitCount });
  return submitCount;
}
