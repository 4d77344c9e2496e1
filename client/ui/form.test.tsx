import { afterEach, expect, test } from 'bun:test';
import type { ReactNode } from 'react';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { showScreen } = await import('#tests/support/screens.tsx');
const { useActionData } = await import('react-router');
const { useFormProps } = await import('#client/lib/form-props.ts');
const { Form } = await import('./form.tsx');
const { Field } = await import('./field.tsx');
const { TextInput } = await import('./text-input.tsx');
afterEach(cleanup);

/** A form with an error of the schema, one that the page passes itself, and a banner outside. */
function Page(): ReactNode {
  const answer = useActionData() as never;
  const shown = useFormProps(answer);
  return (
    <>
      {shown.problem && <p>{`outside: ${shown.problem}`}</p>}
      <Form {...shown}>
        <Field label="Code" name="code">
          <TextInput />
        </Field>
        <Field label="Other" name="other" error={answer ? 'said by the page' : undefined}>
          <TextInput />
        </Field>
        <button type="submit">Send</button>
      </Form>
    </>
  );
}

test('Screen 6 errors disappear at the fields, in the summary and beside the form during the next submission', async () => {
  const refusal = {
    ok: false,
    code: 'RATE_LIMITED',
    fields: { code: ['REQUIRED'] },
    values: {},
    requestId: null,
    retryAfterS: null,
  };
  const waiting: ((answer: object) => void)[] = [];
  const action = () => new Promise<object>((resolve) => waiting.push(resolve));
  showScreen({ default: Page, action }, { url: '/' });
  const send = async () => {
    const before = waiting.length;
    fireEvent.click(screen.getByRole('button', { name: 'Send' }));
    await waitFor(() => expect(waiting).toHaveLength(before + 1));
  };
  const wrong = () =>
    ['This field is required.', 'said by the page', /^outside/].filter((text) => screen.queryAllByText(text).length > 0)
      .length;
  await send();
  expect(wrong()).toBe(0);
  waiting[0]?.(refusal);
  await waitFor(() => expect(wrong()).toBe(3));
  expect(screen.getByLabelText('Code').getAttribute('aria-invalid')).toBe('true');

  await send();
  await waitFor(() => expect(wrong()).toBe(0));
  expect(document.querySelector('.sp-error-sum')).toBeNull();
  expect(screen.getByLabelText('Code').getAttribute('aria-invalid')).toBeNull();
  waiting[1]?.(refusal);
  await waitFor(() => expect(wrong()).toBe(3));
  // The summary is there again and has the focus.
  await waitFor(() => expect(document.activeElement?.className).toBe('sp-error-sum'));
});
