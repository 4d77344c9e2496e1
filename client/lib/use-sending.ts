import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { FormEvent, RefObject } from 'react';
import { useRevalidator } from 'react-router';
import { ApiError } from '#shared/contract/client.ts';
import type { Draft } from './draft.ts';
import { toFormFailure, type FormFailure } from './form-action.ts';
import { retryDelayS } from './reconnect.ts';

interface Sending {
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  readonly isSending: boolean;
  /** The server could not be reached: it is sent again after growing pauses, and as soon as the device is online. */
  readonly isUnsent: boolean;
  /** Why the server refused it. */
  readonly refused: FormFailure | undefined;
}

/**
 * Whether nobody knows if a request arrived: nothing answered, or a proxy in the server's place. The server numbers
 * each of its own answers.
 */
export const isUnanswered = (error: unknown): boolean =>
  !(error instanceof ApiError) || (error.status >= 502 && error.requestId === null);

/**
 * Sends the text of a form without leaving the page, so that a lost connection takes neither page nor text: what could
 * not be sent stays, and is sent once when it can, under the draft's key; a text that was changed since waits for its
 * writer. In: the form, its draft, and what sends it (null before the page is ready: then the form goes its own way).
 */
export function useSending(
  form: RefObject<HTMLFormElement | null>,
  draft: Draft,
  send: ((values: FormData, key: string) => Promise<unknown>) | null,
): Sending {
  const [state, setState] = useState<'idle' | 'sending' | 'unsent' | FormFailure>('idle');
  const revalidator = useRevalidator();
  const tried = useRef({ text: '', times: 0 });
  const submit = async (values: FormData): Promise<void> => {
    if (send === null || state === 'sending') return;
    setState('sending');
    tried.current = { text: draft.text, times: tried.current.times + 1 };
    try {
      await send(values, draft.key);
    } catch (error) {
      if (isUnanswered(error)) {
        // It may have arrived, so the key stays.
        setState('unsent');
        return;
      }
      tried.current.times = 0;
      if (error instanceof ApiError && error.code === 'IDEMPOTENCY_MISMATCH') draft.renewKey();
      setState(toFormFailure(error, values));
      await revalidator.revalidate();
      return;
    }
    draft.clear();
    tried.current.times = 0;
    setState('idle');
    await revalidator.revalidate();
  };
  const sendAgain = useEffectEvent(() => {
    if (form.current && draft.text === tried.current.text) void submit(new FormData(form.current));
  });
  const isUnsent = state === 'unsent';
  useEffect(() => {
    if (!isUnsent) return undefined;
    const again = (): void => sendAgain();
    addEventListener('online', again);
    const timer = setTimeout(again, retryDelayS(tried.current.times - 1) * 1000);
    return () => {
      removeEventListener('online', again);
      clearTimeout(timer);
    };
  }, [isUnsent]);
  return {
    onSubmit: (event) => {
      if (send === null) return;
      event.preventDefault();
      void submit(new FormData(event.currentTarget));
    },
    isSending: state === 'sending',
    isUnsent,
    refused: typeof state === 'object' ? state : undefined,
  };
}
