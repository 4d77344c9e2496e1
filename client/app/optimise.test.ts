import { afterEach, beforeEach, expect, jest, spyOn, test, type Mock } from 'bun:test';
import type { RouterState } from 'react-router';
import type { RouteId } from '#shared/routes/table.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/dashboard');
const { createResponseCache } = await import('./response-cache.ts');
const { CLEANUP_INTERVAL_MS, startOptimisation } = await import('./optimise.ts');
const { uiSettings } = await import('#client/lib/ui-settings-store.ts');
uiSettings.get();

let warn: Mock<typeof console.warn>;
beforeEach(() => {
  jest.useFakeTimers();
  warn = spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  jest.useRealTimers();
  warn.mockRestore();
  document.body.innerHTML = '';
});

function open() {
  const answers = createResponseCache(
    async () => new Response('{}'),
    () => true,
  );
  const fetched: RouteId[] = [];
  let listen: (state: RouterState) => void = () => undefined;
  let revalidated = 0;
  startOptimisation({
    answers,
    prefetch: ({ id }) => fetched.push(id),
    router: {
      subscribe: (listener) => {
        listen = (state) => listener(state, { deletedFetchers: [], newErrors: null, flushSync: false });
        return () => undefined;
      },
      revalidate: async () => {
        revalidated += 1;
      },
    },
  });
  return {
    answers,
    fetched,
    endNavigation: () => listen({ navigation: { state: 'idle' }, revalidation: 'idle' } as RouterState),
    revalidated: () => revalidated,
  };
}

test('S9.8 memory is cleaned up every 30000 ms', async () => {
  expect(CLEANUP_INTERVAL_MS).toBe(30_000);
  const { answers } = open();
  await answers.fetch('/api/servers', { method: 'GET' });
  jest.advanceTimersByTime(30_000);
  expect(answers.size()).toBe(1);
  jest.advanceTimersByTime(29_999);
  expect(answers.size()).toBe(1);
  jest.advanceTimersByTime(1);
  expect(answers.size()).toBe(0);
});

test('S8.10 a failure at the start is logged as a warning, and nothing else happens', () => {
  const answers = createResponseCache(
    async () => new Response('{}'),
    () => true,
  );
  const router = {
    subscribe: () => {
      throw new Error('no router');
    },
    revalidate: async () => undefined,
  };
  expect(() => startOptimisation({ answers, router, prefetch: () => undefined })).not.toThrow();
  expect(warn).toHaveBeenCalledWith('performance optimisation not started', expect.any(Error));
});

test('going back shows what was there, and asks again once it is shown', async () => {
  const { answers, endNavigation, revalidated } = open();
  await answers.fetch('/api/servers', { method: 'GET' });
  endNavigation();
  expect(revalidated()).toBe(0);
  answers.replay();
  await answers.fetch('/api/servers', { method: 'GET' });
  endNavigation();
  expect(revalidated()).toBe(1);
  endNavigation();
  expect(revalidated()).toBe(1);
});

test('preloading fetches the page under the pointer, once, and only if it is wanted', () => {
  const { fetched } = open();
  document.body.innerHTML = '<a href="/store">store</a><a href="/account">account</a>';
  const [store, account] = document.querySelectorAll('a');
  const point = (link: Element | undefined) => link?.dispatchEvent(new Event('pointerover', { bubbles: true }));
  uiSettings.update({ performance: { preloading: false } });
  jest.advanceTimersByTime(10);
  point(store);
  expect(fetched).toEqual([]);
  uiSettings.update({ performance: { preloading: true } });
  jest.advanceTimersByTime(10);
  point(store);
  point(store);
  point(account);
  expect(fetched).toEqual(['store', 'account']);
});
