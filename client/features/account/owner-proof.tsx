import type { ReactNode } from 'react';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Field } from '#client/ui/field.tsx';
import { PasskeyButton } from '#client/ui/passkey-button.tsx';
import { PasswordInput } from '#client/ui/password-input.tsx';
import type { Api } from '#shared/contract/index.ts';
import type { PasskeysAnswer } from './passkeys-action.ts';
import type { AccountData } from './screen.tsx';

/**
 * What the page knows of who sits there: their passkeys, whether they have just confirmed, whether they have a
 * password.
 */
export interface Owner {
  readonly hasPassword: boolean;
  readonly passkeys: NonNullable<AccountData['passkeys']>;
  /** The outcome of a passkey that was used here. */
  readonly answer: PasskeysAnswer | undefined;
}

/**
 * The password of the owner, for a form. Nothing for who has just confirmed otherwise, nor for who has no password: a
 * log-in of a moment ago stands in for it.
 */
export function OwnerPassword(props: { owner: Owner; label: string; hint: string }): ReactNode {
  const { owner, label, hint } = props;
  const t = useT('passkeys');
  if (owner.passkeys.confirmed)
    return owner.answer?.result.ok ? (
      <Banner tone="positive" live>
        {t('confirmed')}
      </Banner>
    ) : null;
  if (!owner.hasPassword) return null;
  return (
    <Field label={label} name="password" hint={hint} required>
      <PasswordInput autoComplete="current-password" maxLength={256} />
    </Field>
  );
}

/** A passkey in the place of the password; stands below the form. */
export function OwnerPasskey({ owner }: { owner: Owner }): ReactNode {
  const t = useT('passkeys');
  const { passkeys, answer } = owner;
  const { problem } = useFormProps(answer?.result);
  if (passkeys.confirmed || passkeys.passkeys.length === 0) return null;
  return (
    <>
      <PasskeyButton domain={passkeys.domain} intent="confirmPasskey" run={provePasskeyOf}>
        {t('use')}
      </PasskeyButton>
      {problem && (
        <Banner tone="danger" live>
          {problem}
        </Banner>
      )}
    </>
  );
}

/** Asks the browser for a passkey of whoever sits there. */
export const provePasskeyOf = async (api: Api, { provePasskey }: typeof import('#client/lib/passkey.ts')) =>
  provePasskey((await api.passkeys.startConfirm()).options);
