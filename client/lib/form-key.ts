import { createElement, useId, useState } from 'react';
import type { ReactNode } from 'react';
import { useActionData } from 'react-router';
import type { FormResult } from './form-action.ts';
import { useShell } from './shell-context.ts';

/**
 * The hidden field `_key` of a form whose command moves credits or creates things (behaviour 1): the same key however
 * often the form is sent, a new one after success. It derives from the page's request id, so that server and browser
 * agree on it and a form sent without scripts has one too. Without a request id there is no field, and the client makes
 * a key itself.
 */
export function FormKey(): ReactNode {
  const { requestId } = useShell();
  const id = useId();
  const [submitted, setSubmitted] = useState<{ count: number; answer: unknown }>({ count: 0, answer: undefined });
  const answer = useActionData() as FormResult<unknown> | undefined;
  if (requestId === null) return null;
  const key = `${requestId}${id}${submitted.count}`.replaceAll(/[^\w-]/g, '-');
  if (answer && answer !== submitted.answer && isKeySpent(answer, key))
    setSubmitted({ count: submitted.count + 1, answer });
  return createElement('input', { type: 'hidden', name: '_key', value: key });
}

/** Whether a key is used up: its command succeeded, or the key was already used for other input (after a lost response). */
function isKeySpent(answer: FormResult<unknown>, key: string): boolean {
  return answer.ok ? answer.at === key : answer.code === 'IDEMPOTENCY_MISMATCH';
}
