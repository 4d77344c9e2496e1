import { useEffect, useId, useMemo, useRef } from 'react';
import type { ReactNode, Ref } from 'react';
import { Form as RouterForm, useFormAction, useNavigation } from 'react-router';
import type { FetcherWithComponents, FormProps as RouterFormProps } from 'react-router';
import { ErrorSummary } from './error-summary.tsx';
import { FormContext } from './form-context.ts';
import type { FieldErrors, FieldValues, FormState } from './form-context.ts';

export { useFormErrors } from './form-context.ts';
export type { FieldErrors, FieldValues } from './form-context.ts';

interface FormProps extends Omit<RouterFormProps, 'children' | 'className'> {
  /** Field name → error code, from the action's answer. */
  errors?: FieldErrors | undefined;
  /** Puts a code into words, usually `errors:field.<CODE>`. */
  translateError?: (code: string, field: string) => string;
  /** What was refused as a whole, in words. */
  problem?: string | undefined;
  /** What was typed, given back by the action so that nothing is lost without JavaScript. Never passwords. */
  values?: FieldValues | undefined;
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
 * A form that is sent by the router, or by the browser itself before the scripts have arrived. The browser's own checks
 * are off: their words are not ours, and the server's answer stands beside the field. While it is under way its
 * controls are locked but keep what was typed.
 */
export function Form(props: FormProps): ReactNode {
  const { errors = NONE, translateError = asCode, problem, values = NONE, labels, noSummary = false, ...more } = props;
  const { fetcher, children, ...rest } = more;
  const formId = useId();
  const busy = useBusy(rest.action, fetcher);
  const frame = useRef<HTMLFieldSetElement>(null);
  useRestoredFocus(frame, busy);
  // What was wrong with the last try says nothing of the one that is under way.
  const shown = busy ? NONE : errors;
  const state = useMemo<FormState>(
    () => ({ formId, errors: shown, values, busy, translate: translateError }),
    [formId, shown, values, busy, translateError],
  );
  const Element = fetcher?.Form ?? RouterForm;
  return (
    <Element method="post" noValidate {...rest} className="sp-form">
      <FormContext value={state}>
        <fieldset className="sp-form__set" disabled={busy} ref={frame}>
          {noSummary ? null : <ErrorSummary problem={busy ? undefined : problem} {...(labels ? { labels } : {})} />}
          {children}
        </fieldset>
      </FormContext>
    </Element>
  );
}

/** Is this form's submission under way? Other forms of the page stay usable. */
function useBusy(action: string | undefined, fetcher: FetcherWithComponents<unknown> | undefined): boolean {
  const navigation = useNavigation();
  const target = useFormAction(action);
  if (fetcher) return fetcher.state !== 'idle';
  if (navigation.state === 'idle' || !navigation.formAction) return false;
  return withoutIndex(navigation.formAction) === withoutIndex(target);
}

/** Index routes are addressed with `?index`, which says nothing here. */
function withoutIndex(action: string): string {
  return action.replace(/[?&]index(?=&|$)/, '');
}

/** Locking a control takes the focus from it: give it back when the form opens again. */
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
