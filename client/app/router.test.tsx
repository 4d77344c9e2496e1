import { expect, test } from 'bun:test';
import { createMemoryRouter } from 'react-router';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/errors/403');
const { buildRoutes } = await import('./router.tsx');
const { PLAYER_PAGES } = await import('./screens.ts');

const nothing = async () => undefined;
/** The routes of the product in a browser that can be cut off from the server. */
function open(path: string) {
  const line = { cut: false };
  const chunk = async <T,>(load: () => Promise<T>): Promise<T> => {
    if (line.cut) throw new TypeError('Failed to fetch dynamically imported module');
    return load();
  };
  const router = createMemoryRouter(
    buildRoutes({ loadTexts: nothing, guard: nothing, afterAction: nothing, chunk }, [PLAYER_PAGES]),
    {
      initialEntries: [path],
    },
  );
  const idle = () =>
    new Promise<void>((done) => {
      const look = () =>
        router.state.initialized &&
        router.state.navigation.state === 'idle' &&
        router.state.revalidation === 'idle' &&
        done();
      router.subscribe(look);
      look();
    });
  return { line, router, idle };
}

test('S2.6 a screen that cannot be loaded is an error within its frame; it is there once it can', async () => {
  const { line, router, idle } = open('/errors/403');
  await idle();
  expect(router.state.errors).toBeNull();
  line.cut = true;
  await router.navigate('/errors/500');
  // Of a route that is not loaded the router would draw nothing: the error has to lie on one that is.
  expect([router.state.location.pathname, Object.keys(router.state.errors ?? {})]).toEqual([
    '/errors/500',
    ['screens.plain'],
  ]);
  line.cut = false;
  await router.revalidate();
  await idle();
  expect([router.state.errors, router.state.matches.at(-1)?.route.id]).toEqual([null, 'errors.500']);
  router.dispose();
});

test('S2.6 where not even the frame can be loaded, the error takes the whole page', async () => {
  const { line, router, idle } = open('/errors/403');
  await idle();
  line.cut = true;
  await router.navigate('/store');
  // The outermost one is drawn.
  expect(Object.keys(router.state.errors ?? {})).toContain('root');
  router.dispose();
});
