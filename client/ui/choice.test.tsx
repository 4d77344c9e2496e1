import { afterEach, describe, expect, test } from 'bun:test';
import type { ReactNode } from 'react';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { showScreen } = await import('#tests/support/screens.tsx');
const { useActionData, useLoaderData } = await import('react-router');
const { useFormProps } = await import('#client/lib/form-props.ts');
const { toFormFailure } = await import('#client/lib/form-action.ts');
const { ApiError } = await import('#shared/contract/client.ts');
const { Form } = await import('./form.tsx');
const { Checkbox, Radio, Switch } = await import('./choice.tsx');
const { SwitchInput } = await import('./switch-input.tsx');
const { Field } = await import('./field.tsx');
const { TextInput } = await import('./text-input.tsx');
afterEach(cleanup);

const EVENTS = ['user.renamed', 'server.created', 'server.deleted'] as const;

/** A form that begins anew with each change that somebody else made, as forms with a revision do. */
function Page(): ReactNode {
  const { revision } = useLoaderData<{ revision: number }>();
  const shown = useFormProps(useActionData() as never);
  return (
    <Form key={revision} {...shown}>
      <Field label="Name" name="name">
        <TextInput defaultValue="Shop" />
      </Field>
      {EVENTS.map((event) => (
        <Checkbox key={event} name="events" value={event} defaultChecked={event === 'user.renamed'}>
          {event}
        </Checkbox>
      ))}
      <Checkbox name="locked" defaultChecked disabled>
        locked
      </Checkbox>
      <Switch name="enabled" label="enabled" defaultChecked />
      <Field label="ordered" name="ordered">
        <SwitchInput />
      </Field>
      {['fast', 'slow'].map((speed) => (
        <Radio key={speed} name="speed" value={speed} defaultChecked={speed === 'fast'}>
          {speed}
        </Radio>
      ))}
      <button type="submit">Save</button>
    </Form>
  );
}

/** Which boxes are ticked, by what stands beside them. */
const ticked = () =>
  [...EVENTS, 'locked', 'enabled', 'ordered', 'fast', 'slow'].filter(
    (label) => screen.getByLabelText<HTMLInputElement>(label).checked,
  );

describe('boxes of a form that was refused', () => {
  let revision = 1;
  const loader = () => ({ revision });
  const action = async ({ request }: { request: Request }) => {
    revision += 1;
    return toFormFailure(new ApiError('CONFLICT', 409, {}), await request.formData());
  };

  test('stand as they were sent after somebody else changed the same, several of one name and those without a tick too', async () => {
    showScreen({ default: Page, loader, action }, { url: '/' });
    await screen.findByLabelText('Name');
    expect(ticked()).toEqual(['user.renamed', 'locked', 'enabled', 'fast']);
    for (const label of ['user.renamed', 'server.created', 'server.deleted', 'enabled', 'ordered', 'slow'])
      fireEvent.click(screen.getByLabelText(label));
    fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Shop 2' } });
    const before = screen.getByLabelText('Name');
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    // It is another form now.
    await waitFor(() => expect(screen.getByLabelText('Name') === before).toBe(false));
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Shop 2');
    expect(ticked()).toEqual(['server.created', 'server.deleted', 'locked', 'ordered', 'slow']);
  });

  test('stand as the page has them where nothing was sent', async () => {
    showScreen({ default: Page, loader, action }, { url: '/' });
    await screen.findByLabelText('Name');
    expect(ticked()).toEqual(['user.renamed', 'locked', 'enabled', 'fast']);
  });
});
