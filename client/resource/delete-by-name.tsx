import type { ReactNode } from 'react';
import { useActionData } from 'react-router';
import type { FormFailure } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { runAndLeave } from './leave-form.ts';

/**
 * Deletes what the form of a `DeleteByNameCard` names, and leads to its list, or to the dashboard where the caller may
 * not see that. In: the list's address, and the call that deletes. Out: what the form shows where it was refused.
 */
export function deleteByName(
  request: Request,
  list: string,
  remove: (body: { readonly name: string }) => Promise<unknown>,
): Promise<FormFailure | Response> {
  return runAndLeave(request, `${list}?done=delete`, (form) => remove({ name: String(form.get('name') ?? '') }));
}

interface DeleteByNameCardProps {
  readonly title: string;
  readonly text: string;
  /** Label of the field: "Type … to confirm". */
  readonly typeName: string;
  readonly sure: string;
  readonly cancel: string;
  /** Where "cancel" leads. */
  readonly back: string;
  /** Whether the caller may see the list that `deleteByName` leads to. */
  readonly isListed: boolean;
}

/** What deletes something for good, once its name was typed. */
export function DeleteByNameCard(props: DeleteByNameCardProps): ReactNode {
  const { title, text, typeName, sure, cancel, back, isListed } = props;
  const answer = useFormProps(useActionData<FormFailure>());
  return (
    <Card tone="danger" title={title} text={text}>
      <Form {...answer} noSummary={Object.keys(answer.errors).length > 0}>
        {!isListed && <input type="hidden" name="_stay" value="1" />}
        <Field label={typeName} name="name" required>
          <TextInput mono autoComplete="off" spellCheck={false} maxLength={200} />
        </Field>
        <div className="sp-btn-row">
          <Button type="submit" variant="danger" icon="trash">
            {sure}
          </Button>
          <LinkButton to={back} variant="ghost">
            {cancel}
          </LinkButton>
        </div>
      </Form>
    </Card>
  );
}
