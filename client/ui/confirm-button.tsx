import type { ReactNode } from 'react';
import { useSubmit } from 'react-router';
import { Button } from './button.tsx';
import type { ButtonStyle } from './button.tsx';
import { Checkbox } from './choice.tsx';
import { dialogs } from './dialogs.ts';
import type { ConfirmOptions } from './dialogs.ts';

interface ConfirmButtonProps extends ButtonStyle {
  /** The question. */
  ask: ConfirmOptions;
  /** The label of the box to tick where there are no scripts to ask with. */
  sure: string;
  disabled?: boolean;
}

/** A submit button that asks for confirmation first, then submits the form with `sure`. */
export function ConfirmButton({ ask, sure, ...style }: ConfirmButtonProps): ReactNode {
  const submit = useSubmit();
  const send = async (form: HTMLFormElement | null): Promise<void> => {
    if (!form || !(await dialogs.confirm(ask))) return;
    const data = new FormData(form);
    data.set('sure', 'on');
    await submit(data, { method: 'post' });
  };
  return (
    <>
      <noscript>
        <Checkbox name="sure">{sure}</Checkbox>
      </noscript>
      <Button
        {...style}
        type="submit"
        onClick={(event) => {
          event.preventDefault();
          void send(event.currentTarget.form);
        }}
      />
    </>
  );
}
