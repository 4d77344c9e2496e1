import { expect, test } from 'bun:test';
import { RouterContextProvider } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import { isLazy, lazyAction } from './lazy-action.ts';

const url = new URL('https://panel.example/');
const args: ActionFunctionArgs = {
  request: new Request(url),
  url,
  pattern: '/',
  params: { id: '7' },
  context: new RouterContextProvider(),
};

test('the action is loaded when it is called, and answers with what it was given', async () => {
  let loads = 0;
  const action = lazyAction(async () => {
    loads += 1;
    return { action: async ({ params }: ActionFunctionArgs) => `did ${params.id}` };
  });
  expect(loads).toBe(0);
  expect(await action(args)).toBe('did 7');
  expect(loads).toBe(1);
  await action.load();
  expect(loads).toBe(2);
});

test('a chunk that does not arrive is the action’s failure', async () => {
  const action = lazyAction(() => Promise.reject(new Error('gone')));
  await expect(action(args)).rejects.toThrow('gone');
});

test('only such actions are recognised as lazy', () => {
  expect(isLazy(lazyAction(async () => ({ action: async () => null })))).toBe(true);
  expect(isLazy(async () => null)).toBe(false);
});
