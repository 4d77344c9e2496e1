import type { ReactNode } from 'react';
import { useActionData } from 'react-router';
import type { FormFailure } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { can } from '#shared/can.ts';
import type { Permission } from '#shared/permissions.ts';
import { href } from '#shared/routes/staff-href.ts';

interface DeleteCardProps {
  /** What stands over what would be lost. */
  readonly title?: string;
  readonly text?: string;
  /** Where the rest is listed, and who may see that: others come back to the dashboard, and the form has `_stay`. */
  readonly list: string;
  readonly right: Permission;
  readonly sure: string;
  readonly back: string;
  readonly children?: ReactNode;
}

/** What deletes a row for good, with what goes with it, and the way back. */
export function DeleteCard(props: DeleteCardProps): ReactNode {
  const { list, right, sure, back, children, ...head } = props;
  const answer = useFormProps(useActionData<FormFailure>());
  const isListed = can(useShell().session.permissions, right);
  return (
    <Card tone="danger" {...head}>
      {children}
      <Form {...answer}>
        {!isListed && <input type="hidden" name="_stay" value="1" />}
        <div className="sp-btn-row">
          <Button type="submit" variant="danger" icon="trash">
            {sure}
          </Button>
          <LinkButton to={isListed ? list : href('dashboard')} variant="ghost">
            {back}
          </LinkButton>
        </div>
      </Form>
    </Card>
  );
}
