import type { ReactNode } from 'react';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';

/** A button that does something with one backup. */
export function Command({ id, intent, children }: { id: string; intent: string; children: string }): ReactNode {
  return (
    <Form noSummary preventScrollReset>
      <input type="hidden" name="id" value={id} />
      <Button type="submit" name="_intent" value={intent}>
        {children}
      </Button>
    </Form>
  );
}
