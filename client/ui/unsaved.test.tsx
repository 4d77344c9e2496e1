import { afterEach, expect, test } from 'bun:test';
import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { installDom } from '#tests/support/dom.ts';

await installDom();
const { cleanup, fireEvent, render, screen } = await import('@testing-library/react');
const { useDirty } = await import('./unsaved.ts');
afterEach(cleanup);

const typed = (element: HTMLInputElement | null, value: string) => {
  if (!element) throw new Error('no field');
  element.value = value;
  element.dispatchEvent(new Event('input', { bubbles: true }));
};

function Form({ early }: { early?: string }): ReactNode {
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const { dirty, markSaved } = useDirty(form);
  // As fast as somebody can be: the page is there, and what runs after it has not run yet.
  useLayoutEffect(() => {
    if (early !== undefined) typed(field.current, early);
  }, [early]);
  return (
    <form ref={form}>
      <input ref={field} name="slots" aria-label="slots" defaultValue="10" />
      <button type="button" onClick={markSaved}>
        {dirty ? 'unsaved' : 'saved'}
      </button>
    </form>
  );
}
const state = () => screen.getByRole('button').textContent;

test('what is typed makes a form unsaved, what undoes it does not, and saving makes it the measure', () => {
  render(<Form />);
  const field = screen.getByLabelText<HTMLInputElement>('slots');
  expect(state()).toBe('saved');
  fireEvent.input(field, { target: { value: '11' } });
  expect(state()).toBe('unsaved');
  fireEvent.input(field, { target: { value: '10' } });
  expect(state()).toBe('saved');
  fireEvent.input(field, { target: { value: '12' } });
  fireEvent.click(screen.getByRole('button'));
  expect(state()).toBe('saved');
});

test('what is typed as soon as the form is there counts, and is not taken for its first content', () => {
  render(<Form early="11" />);
  expect(state()).toBe('unsaved');
  fireEvent.input(screen.getByLabelText('slots'), { target: { value: '10' } });
  expect(state()).toBe('saved');
});
