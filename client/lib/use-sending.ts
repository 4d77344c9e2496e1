import { useEffect, useEffectEvent, useState } from 'react';
import type { FormEvent, RefObject } from 'react';
import { useRevalidator } from 'react-router';
import { ApiError } from '#shared/contract/client.ts';
import type { Draft } from './draft.ts';
import { toFormFailure, type FormFailure } from './form-action.ts';

interface Sending {
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  readonly isSending: boolean;
  /** The server could not be reached: it is sent as soon as the device is online. */
  readonly isUnsent: boolean;
  /** Why the server refused it. */
  readonly refused: FormFailure | undefined;
}

/**
 * Sends the text of a form without leaving the page, so that a lost connection takes neither page nor text: what could
 * not be sent stays, and is sent once when it can, under the draft's key. In: the form, its draft, and what sends it
 * (null before the page is ready: then the form goes its own way).
 */
export function useSending(
  form: RefObject<HTMLFormElement | null>,
  draft: Draft,
  send: ((values: FormData, key: string) => Promise<unknown>) | null,
): Sending {
  const [state, setState] = useState<'idle' | 'sending' | 'unsent' | FormFailure>('idle');
  const revalidator = useRevalidator();
  const submit = async (values: FormData): Promise<void> => {
    if (send === null || state === 'sending') return;
    setState('sending');
    try {
      await send(values, draft.key);
    } catch (error) {
      if (!(error instanceof ApiError)) {
        // What `fetch` throws where nothing answers: it may have arrived, so the key stays.
        setState('unsent');
        return;
      }
      if (error.code === 'IDEMPOTENCY_MISMATCH') draft.renewKey();
      setState(toFormFailure(error, values));
      await revalidator.revalidate();
      return;
    }
    draft.clear();
    setState('idle');
    await revalidator.revalidate();
  };
  const sendAgain = useEffectEvent(() => {
    if (form.current) void submit(new FormData(form.current));
  });
  const isUnsent = state === 'unsent';
  useEffect(() => {
    if (!isUnsent) return undefined;
    const again = (): void => sendAgain();
    addEventListener('online', again);
    return () => removeEventListener('online', again);
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
