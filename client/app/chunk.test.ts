import { afterEach, beforeEach, expect, spyOn, test, type Mock } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/dashboard');
const { loadChunk } = await import('./chunk.ts');

let reloads: Mock<() => void>;
beforeEach(() => {
  sessionStorage.clear();
  reloads = spyOn(location, 'reload').mockImplementation(() => undefined);
});
afterEach(() => reloads.mockRestore());

const there = async () => true;
const gone = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
/** Lets everything run that is ready to. */
const turn = async () => {
  for (let i = 0; i < 10; i += 1) await Promise.resolve();
};

test('a chunk that a new build took away loads the page again, once', async () => {
  void loadChunk(gone, there);
  await turn();
  expect(reloads).toHaveBeenCalledTimes(1);
  await expect(loadChunk(gone, there)).rejects.toThrow('Failed to fetch');
  expect(reloads).toHaveBeenCalledTimes(1);
  expect(await loadChunk(async () => 'there')).toBe('there');
  void loadChunk(gone, there);
  await turn();
  expect(reloads).toHaveBeenCalledTimes(2);
});

test('S2.6 without a connection the page stays as it is, and the next try may load it again', async () => {
  await expect(loadChunk(gone, async () => false)).rejects.toThrow('Failed to fetch');
  expect(reloads).not.toHaveBeenCalled();
  void loadChunk(gone, there);
  await turn();
  expect(reloads).toHaveBeenCalledTimes(1);
});

test('a browser that stores nothing loads chunks, and never loads the page again without end', async () => {
  const open = Object.getOwnPropertyDescriptor(globalThis, 'sessionStorage') ?? {};
  Object.defineProperty(globalThis, 'sessionStorage', {
    configurable: true,
    get: () => {
      throw new DOMException('no', 'SecurityError');
    },
  });
  expect(await loadChunk(async () => 'there')).toBe('there');
  await expect(loadChunk(gone, there)).rejects.toThrow('Failed to fetch');
  expect(reloads).not.toHaveBeenCalled();
  Object.defineProperty(globalThis, 'sessionStorage', open);
});
