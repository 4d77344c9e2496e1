import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/dashboard');
const { createChunkMap } = await import('./chunk-map.ts');

const realFetch = globalThis.fetch;
const screens = {
  store: ['/assets/c-aaaaaaaa.js', '/assets/c-bbbbbbbb.js'],
  account: ['/assets/c-bbbbbbbb.js', '/assets/c-cccccccc.js'],
};
let asked: string[] = [];

function answer(make: () => Promise<Response>): void {
  asked = [];
  globalThis.fetch = Object.assign(
    (input: string | URL | Request) => {
      asked.push(String(input));
      return make();
    },
    { preconnect: realFetch.preconnect },
  );
}
const links = (): string[] =>
  [...document.head.querySelectorAll('link[rel=modulepreload]')].map((link) => link.getAttribute('href') ?? '');

afterEach(() => {
  globalThis.fetch = realFetch;
  document.head.replaceChildren();
});

test('the map fetches all chunks of a screen at once, each one time', async () => {
  answer(() => Promise.resolve(Response.json({ build: 'b1', screens })));
  const map = createChunkMap('b1');
  map.preload('store');
  expect(links()).toEqual([]);
  await map.load();
  expect(asked).toEqual(['/assets/manifest.json?v=b1']);
  map.preload('store');
  map.preload('account');
  map.preload('unheard of');
  expect(links()).toEqual(['/assets/c-aaaaaaaa.js', '/assets/c-bbbbbbbb.js', '/assets/c-cccccccc.js']);
});

test('a map of another build, or none, is not used', async () => {
  for (const make of [
    () => Promise.resolve(Response.json({ build: 'b2', screens })),
    () => Promise.reject(new Error('offline')),
  ]) {
    answer(make);
    const map = createChunkMap('b1');
    await map.load();
    map.preload('store');
    expect(links()).toEqual([]);
  }
});
