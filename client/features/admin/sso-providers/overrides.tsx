import type { ReactNode } from 'react';
import { useFormat } from '#client/lib/i18n.tsx';
import { useAreaTexts, type CustomFieldProps, type OverridesOf } from '#client/resource/area.ts';
import { Field } from '#client/ui/field.tsx';
import { PasswordInput } from '#client/ui/password-input.tsx';
import { TestCard } from './test-card.tsx';
import type { ssoProviders } from '#shared/resources/sso-providers.ts';

/** The secret: written only. Empty keeps the one that is set, and its hint says since when there is one. */
function SecretField({ name, label, hint, row }: CustomFieldProps): ReactNode {
  const texts = useAreaTexts('ssoProviders');
  const format = useFormat();
  const set = typeof row.secret_set_at === 'string' ? row.secret_set_at : null;
  return (
    <Field label={label} name={name} optional hint={set ? texts.text('secretSet', { date: format.date(set) }) : hint}>
      <PasswordInput autoComplete="off" maxLength={500} />
    </Field>
  );
}

/** What is special about services that people sign in with. */
export const overrides: OverridesOf<typeof ssoProviders> = {
  fields: { client_secret: SecretField },
  beside: TestCard,
  read: (form) => ({ client_secret: String(form.get('client_secret') ?? '') }),
};
