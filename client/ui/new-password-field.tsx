import { useState } from 'react';
import type { ReactNode } from 'react';
import { Field } from './field.tsx';
import { PasswordInput } from './password-input.tsx';

interface NewPasswordFieldProps {
  label: ReactNode;
  name: string;
  /** Minimum length: the counter turns green there. */
  min: number;
  max: number;
  hint: ReactNode;
  /** The counter in words: `3 of at least 10 characters`. */
  countText: (length: number) => string;
  size?: 'lg';
}

/** A field for a new password, with a counter towards its minimum length. */
export function NewPasswordField({ label, name, min, max, hint, countText, size }: NewPasswordFieldProps): ReactNode {
  const [length, setLength] = useState(0);
  const count = (
    <span className="sp-field__count" data-enough={length >= min || undefined}>
      <span aria-hidden="true">{`${length} / ${min}`}</span>
      <span className="sp-sr">{countText(length)}</span>
    </span>
  );
  return (
    <Field label={label} name={name} hint={hint} aside={count} required>
      <PasswordInput
        autoComplete="new-password"
        minLength={min}
        maxLength={max}
        onInput={(event) => setLength(event.currentTarget.value.length)}
        {...(size ? { size } : {})}
      />
    </Field>
  );
}
