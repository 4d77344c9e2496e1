import { afterEach, expect, test } from 'bun:test';
import { useLayoutEffect, useState } from 'react';
import { installDom } from '#tests/support/dom.ts';
import { usePageKeys } from './page-keys.ts';

await installDom();
const { cleanup, fireEvent, render, screen } = await import('@testing-library/react');
afterEach(cleanup);

const heard: string[] = [];
function Page({ name }: { name: string }) {
  usePageKeys((key) => {
    heard.push(`${name} ${key}`);
    return true;
  });
  return <h1>{name}</h1>;
}

/** Presses a key as soon as it stands in the document, before anything else can happen. */
function Press() {
  useLayoutEffect(() => {
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'j' }));
  }, []);
  return null;
}
function Book() {
  const [name, show] = useState('first');
  return (
    <>
      <Page key={name} name={name} />
      <Press key={`${name} key`} />
      <button type="button" onClick={() => show('second')}>
        Next
      </button>
    </>
  );
}

test('a key pressed as soon as a page appears is taken by that page, not by the one before it', () => {
  render(<Book />);
  fireEvent.click(screen.getByRole('button', { name: 'Next' }));
  expect(heard).toEqual(['first j', 'second j']);
});
