import type { FormEvent } from 'react';
import { useSubmit } from 'react-router';
import { dialogs } from '#client/ui/dialogs.ts';
import type { ConfirmOptions } from '#client/ui/dialogs.ts';

/** Submits a form after a question; without scripts it is submitted as it is. */
export function useConfirm(question: ConfirmOptions): (event: FormEvent<HTMLFormElement>) => void {
  const submit = useSubmit();
  const ask = async (form: HTMLFormElement): Promise<void> => {
    if (await dialogs.confirm(question)) await submit(form, { preventScrollReset: true });
  };
  return (event) => {
    event.preventDefault();
    void ask(event.currentTarget);
  };
}
