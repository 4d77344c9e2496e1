import { useId, useMemo, useState } from 'react';
import type { ReactNode, SyntheticEvent } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { FieldContext } from './field-context.ts';
import type { FieldState } from './field-context.ts';
import { useFormErrors } from './form-context.ts';
import { Icon } from './icon.tsx';

interface FieldProps {
  label: ReactNode;
  /** Name of the control; the form's error for it is shown here. */
  name?: string;
  hint?: ReactNode;
  /** An error in words; otherwise the form's own error for this name. */
  error?: string | undefined;
  optional?: boolean;
  required?: boolean;
  /** Greatest length: shows a counter. */
  counter?: number;
  /** Length of the first value, for the counter. */
  length?: number;
  /** Something at the end of the label's row, a link for instance. */
  aside?: ReactNode;
  /** Keep the label for assistive tools only. */
  hideLabel?: boolean;
  children: ReactNode;
}

/** A label with its control, hint and error; the control inside (`TextInput`, `Select` …) ties itself to it. */
export function Field(props: FieldProps): ReactNode {
  const { label, name, hint, optional = false, required = false, counter, aside, hideLabel = false, children } = props;
  const t = useT('ui');
  const own = useId();
  const form = useFormErrors();
  const id = name && form.formId ? `${form.formId}-${name}` : own;
  const code = name ? form.errors[name] : undefined;
  // The errors of the last submission are hidden while the next one is in flight.
  const error = form.busy ? undefined : (props.error ?? (code && name ? form.translate(code, name) : undefined));
  const hintId = hint ? `${id}-hint` : '';
  const errorId = error ? `${id}-error` : '';
  const [length, setLength] = useState((name && form.values[name]?.length) || props.length || 0);
  const describedBy = [errorId, hintId].filter(Boolean).join(' ') || undefined;
  const invalid = Boolean(error);
  const state = useMemo<FieldState>(
    () => ({ id, name, describedBy, invalid, required }),
    [id, name, describedBy, invalid, required],
  );
  const count = (event: SyntheticEvent<HTMLElement>): void => {
    const { target } = event;
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) setLength(target.value.length);
  };
  return (
    <div className="sp-field" {...(counter === undefined ? {} : { onInput: count })}>
      <div className={hideLabel ? 'sp-sr' : 'sp-field__top'}>
        <label className="sp-field__label" htmlFor={id}>
          {label} {optional && <span className="sp-field__opt">{t('optional')}</span>}
        </label>
        {aside}
        {counter !== undefined && (
          <span className="sp-field__count" data-over={length > counter || undefined}>
            <span aria-hidden="true">{`${length} / ${counter}`}</span>
            <span className="sp-sr">{t('counter', { used: length, max: counter })}</span>
          </span>
        )}
      </div>
      <FieldContext value={state}>{children}</FieldContext>
      {error && <FieldError id={errorId} text={error} />}
      {hint && (
        <div className="sp-field__hint" id={hintId}>
          {hint}
        </div>
      )}
    </div>
  );
}

/** The error line of a field. */
export function FieldError(props: { id: string; text: string }): ReactNode {
  return (
    <p className="sp-field__error" id={props.id}>
      <Icon name="alert" size="sm" />
      {props.text}
    </p>
  );
}

/** Several controls under one heading (radios, checkboxes): a `fieldset` with its hint and error. */
export function FieldGroup(props: {
  label: ReactNode;
  name?: string;
  hint?: ReactNode;
  error?: string;
  hideLabel?: boolean;
  children: ReactNode;
}): ReactNode {
  const { label, name, hint, hideLabel = false, children } = props;
  const own = useId();
  const form = useFormErrors();
  const id = name && form.formId ? `${form.formId}-${name}` : own;
  const code = name ? form.errors[name] : undefined;
  const error = form.busy ? undefined : (props.error ?? (code && name ? form.translate(code, name) : undefined));
  const describedBy = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined;
  const state = useMemo<FieldState>(
    () => ({ id: '', name, describedBy: undefined, invalid: Boolean(error), required: false }),
    [name, error],
  );
  return (
    <fieldset className="sp-field" id={id} tabIndex={-1} aria-describedby={describedBy}>
      <legend className={hideLabel ? 'sp-sr' : 'sp-field__label'}>{label}</legend>
      <FieldContext value={state}>{children}</FieldContext>
      {error && <FieldError id={`${id}-error`} text={error} />}
      {hint && (
        <div className="sp-field__hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
    </fieldset>
  );
}
