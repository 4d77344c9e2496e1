import type { ReactNode } from 'react';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { useT } from '#client/lib/i18n.tsx';
import type { StaffAnswer } from './staff-answer.ts';
import { useConfirm } from '../parts/use-confirm.ts';

interface RemoveWayProps {
  intent: Extract<StaffAnswer['intent'], 'removePasskey' | 'unlink' | 'disableFactor'>;
  /** Id of the passkey or the link. */
  id?: string;
  /** What the button says, to the eye and to assistive tools. */
  label: string;
  name: string;
  title: string;
  text: string;
  /** The user cannot log in without it: the question says so, and the command is sent as knowing it. */
  last?: boolean;
}

/** A button by which staff take a way in away from a user, after a question. */
export function RemoveWay({ intent, id, label, name, title, text, last = false }: RemoveWayProps): ReactNode {
  const t = useT('userDetails');
  const onSubmit = useConfirm({
    title,
    text: last ? `${t('lastWayText')} ${text}` : text,
    ok: label,
    tone: 'danger',
  });
  return (
    <Form noSummary onSubmit={onSubmit} preventScrollReset>
      <input type="hidden" name="_intent" value={intent} />
      {id !== undefined && <input type="hidden" name="way" value={id} />}
      {last && <input type="hidden" name="last" value="on" />}
      <Button type="submit" variant="danger-quiet" size="sm" aria-label={name}>
        {label}
      </Button>
    </Form>
  );
}
