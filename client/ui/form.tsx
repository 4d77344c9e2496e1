import { useContext, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { ReactNode, Ref } from 'react';
import { Form as RouterForm, useFormAction, useNavigation } from 'react-router';
import type { FetcherWithComponents, FormProps as RouterFormProps } from 'react-router';
import { ActingAsContext } from '#client/lib/acting-as.ts';
import { ACTING_AS_FIELD } from '#shared/constants.ts';
import { ErrorSummary } from './error-summary.tsx';
import { FormContext } from './form-context.ts';
import type { FieldChoices, FieldErrors, FieldValues, FormState } from './form-context.ts';

export { useFormErrors } from './form-context.ts';
export type { FieldErrors, FieldValues } from './form-context.ts';

interface FormProps extends Omit<RouterFormProps, 'children' | 'className'> {
  /** Field name → error code, from the action's answer. */
  errors?: FieldErrors | undefined;
  /** Puts a code into words, usually `errors:field.<CODE>`. */
  translateError?: (code: string, field: string) => string;
  /** The text of the general error. */
  problem?: string | undefined;
  /** The values to restore, returned by the action, so that nothing is lost without JavaScript. Never passwords. */
  values?: FieldValues | undefined;
  /** Which boxes were ticked, returned by the action. */
  chosen?: FieldChoices | undefined;
  /** Labels of the fields, for the links of the summary. */
  labels?: Readonly<Record<string, string>>;
  /** Submits without navigating. */
  fetcher?: FetcherWithComponents<unknown>;
  /** No summary on top: for one-field forms whose error stands beside the field. */
  noSummary?: boolean;
  ref?: Ref<HTMLFormElement>;
  children: ReactNode;
}

const NONE: FieldErrors = {};
const asCode = (code: string): string => code;

/**
 * A form submitted by the router, or natively before the scripts have loaded. Native validation is off: errors come
 * from our schemas and stand beside the field. During a submission the controls are disabled but keep their values.
 */
export function Form(props: FormProps): ReactNode {
  const { errors = NONE, translateError = asCode, problem, values = NONE, labels, noSummary = false, ...more } = props;
  const { fetcher, chosen, children, ...rest } = more;
  const formId = useId();
  // Whose page it was when the form appeared: it runs as nobody else, without scripts either.
  const [actingAs] = useState(useContext(ActingAsContext));
  const busy = useBusy(rest.action, fetcher);
  const frame = useRef<HTMLFieldSetElement>(null);
  useRestoredFocus(frame, busy);
  // The errors of the last submission are hidden while the next one is in flight.
  const shown = busy ? NONE : errors;
  const state = useMemo<FormState>(
    () => ({ formId, errors: shown, values, chosen, busy, translate: translateError }),
    [formId, shown, values, chosen, busy, translateError],
  );
  const Element = fetcher?.Form ?? RouterForm;
  return (
    <Element method="post" noValidate {...rest} className="sp-form">
      <FormContext value={state}>
        {actingAs !== null && <input type="hidden" name={ACTING_AS_FIELD} value={actingAs} />}
        <fieldset className="sp-form__set" disabled={busy} ref={frame}>
          {noSummary ? null : <ErrorSummary problem={busy ? undefined : problem} {...(labels ? { labels } : {})} />}
          {children}
        </fieldset>
      </FormContext>
    </Element>
  );
}

/** Whether this form's submission is in flight. Other forms of the page stay usable. */
function useBusy(action: string | undefined, fetcher: FetcherWithComponents<unknown> | undefined): boolean {
  const navigation = useNavigation();
  const target = useFormAction(action);
  if (fetcher) return fetcher.state !== 'idle';
  if (navigation.state === 'idle' || !navigation.formAction) return false;
  return withoutIndex(navigation.formAction) === withoutIndex(target);
}

/** Index routes are addressed with `?index`, which does not matter here. */
function withoutIndex(action: string): string {
  return action.replace(/[?&]index(?=&|$)/, '');
}

/** Disabling a control removes its focus: restores it when the form is enabled again. */
function useRestoredFocus(frame: { current: HTMLFieldSetElement | null }, busy: boolean): void {
  const last = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const set = frame.current;
    if (!set) return;
    const note = (event: FocusEvent): void => {
      if (event.target instanceof HTMLElement) last.current = event.target;
    };
    set.addEventListener('focusin', note);
    return () => set.removeEventListener('focusin', note);
  }, [frame]);
  const was = useRef(busy);
  useEffect(() => {
    const opened = was.current && !busy;
    was.current = busy;
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (opened && lost && last.current?.isConnected) last.current.focus();
  }, [busy]);
}
