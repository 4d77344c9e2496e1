import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('http://127.0.0.1/');
const { browserDeps } = await import('./afk-browser.ts');

const open = Object.getOwnPropertyDescriptor(globalThis, 'sessionStorage') ?? {};
afterEach(() => {
  Object.defineProperty(globalThis, 'sessionStorage', open);
  sessionStorage.clear();
});

test('a tab remembers its session', () => {
  const { memory } = browserDeps(null);
  memory.write('a');
  expect([memory.read(), browserDeps(null).memory.read()]).toEqual(['a', 'a']);
  memory.clear();
  expect(memory.read()).toBeNull();
});

test('a browser that forbids storage only does not remember', () => {
  Object.defineProperty(globalThis, 'sessionStorage', {
    configurable: true,
    get: () => {
      throw new DOMException('no', 'SecurityError');
    },
  });
  const { memory } = browserDeps(null);
  memory.write('a');
  expect(memory.read()).toBeNull();
  expect(() => memory.clear()).not.toThrow();
});
