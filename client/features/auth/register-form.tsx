import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { Rich, useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { Field, FieldGroup } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { NewPasswordField } from '#client/ui/new-password-field.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { href } from '#shared/routes/href.ts';
import { PASSWORD_MIN } from './parts.tsx';

/** Loaded when a registration was refused because the challenge is missing. */
const Challenge = lazy(async () => ({ default: (await import('#client/ui/challenge.tsx')).Challenge }));

interface RegisterFormProps {
  answer: FormResult<unknown> | undefined;
  /** Token of the set-up link, or ''. */
  setup: string;
  /** The address will have to be confirmed by e-mail. */
  verification: boolean;
  /** Field of the referral code; none for the first owner. */
  referral?: ReactNode;
}

/** The fields of a new account. */
export function RegisterForm({ answer, setup, verification, referral }: RegisterFormProps): ReactNode {
  const t = useT('auth');
  const labels = {
    first_name: t('firstName'),
    last_name: t('lastName'),
    username: t('username'),
    email: t('email'),
    password: t('password'),
  };
  const shown = useFormProps(answer, Object.keys(labels));
  return (
    <Form {...shown} labels={labels} noValidate>
      {setup && <input type="hidden" name="setup" value={setup} />}
      <NameFields />
      <Field label={t('email')} name="email" required {...(verification ? { hint: t('emailHintVerify') } : {})}>
        <TextInput
          size="lg"
          type="email"
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={191}
        />
      </Field>
      <NewPasswordField
        size="lg"
        name="password"
        label={t('password')}
        min={PASSWORD_MIN}
        max={256}
        hint={t('passwordHint', { min: PASSWORD_MIN })}
        countText={(length) => t('passwordCount', { length, min: PASSWORD_MIN })}
      />
      {referral}
      <Terms given={shown.values.terms === 'on'} />
      {answer?.ok === false && answer.code.startsWith('CHALLENGE') && (
        <Suspense>
          <Challenge action="register" answer={answer} />
        </Suspense>
      )}
      <Button type="submit" variant="primary" size="lg" block>
        {t(setup ? 'registerOwner' : 'register')}
      </Button>
    </Form>
  );
}

/** What a form of a new account begins with. */
interface NameStart {
  readonly username?: string;
  readonly first_name?: string;
  readonly last_name?: string;
}

/** How a new account is called. */
export function NameFields({ start = {} }: { start?: NameStart }): ReactNode {
  const t = useT('auth');
  return (
    <>
      <div className="sp-fields" data-columns="2">
        <Field label={t('firstName')} name="first_name" required>
          <TextInput size="lg" autoComplete="given-name" maxLength={64} defaultValue={start.first_name} />
        </Field>
        <Field label={t('lastName')} name="last_name" required>
          <TextInput size="lg" autoComplete="family-name" maxLength={64} defaultValue={start.last_name} />
        </Field>
      </div>
      <Field label={t('username')} name="username" hint={t('usernameHint')} required>
        <TextInput
          size="lg"
          autoComplete="username"
          defaultValue={start.username}
          autoCapitalize="none"
          spellCheck={false}
          minLength={3}
          maxLength={32}
        />
      </Field>
    </>
  );
}

/** Consent to the legal pages, which open in a new tab so that nothing typed is lost. */
export function Terms({ given }: { given: boolean }): ReactNode {
  const t = useT('auth');
  const page = (to: string) => (text: ReactNode) => (
    <Link className="sp-link" to={to} target="_blank">
      {text}
      <span className="sp-sr"> {t('newTab')}</span>
    </Link>
  );
  return (
    <FieldGroup label={t('terms')} name="terms" hideLabel>
      <Checkbox name="terms" defaultChecked={given} required>
        <Rich t={t} k="termsAgree" tags={{ terms: page(href('terms')), privacy: page(href('privacy')) }} />
      </Checkbox>
    </FieldGroup>
  );
}
