import { afterEach, expect, test } from 'bun:test';
import { createMemoryRouter, Form, RouterProvider, useLoaderData } from 'react-router';
import { LiveContext, useLive, type LiveTopic } from '#client/lib/live.ts';
import { installDom } from '#tests/support/dom.ts';
import { createLivePage } from './live-page.ts';

await installDom();
const { act, cleanup, fireEvent, render, screen, waitFor } = await import('@testing-library/react');
afterEach(cleanup);

/** A stream of events that the test speaks through. */
function fakeSource() {
  const listeners = new Set<(topic: LiveTopic) => void>();
  return {
    subscribe: (listener: (topic: LiveTopic) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    say: (topic: LiveTopic) => listeners.forEach((listener) => listener(topic)),
    count: () => listeners.size,
  };
}

/**
 * A page that shows what its loader read last. `server` is what the server has; `gate` holds answers back that were
 * read already.
 */
function openPage(topics: readonly LiveTopic[] = ['balance']) {
  const source = fakeSource();
  const world = { server: 1, reads: 0, gate: null as PromiseWithResolvers<void> | null };
  const loader = async () => {
    world.reads += 1;
    const read = world.server;
    await world.gate?.promise;
    return read;
  };
  function Balance() {
    useLive(topics);
    return (
      <Form method="post">
        <output>{`balance ${String(useLoaderData())}`}</output>
        <button type="submit">Spend</button>
      </Form>
    );
  }
  const router = createMemoryRouter([
    { path: '/', Component: Balance, HydrateFallback: () => null, loader, action: async () => null },
    { path: '/other', Component: Balance, loader },
    { path: '/plain', Component: () => <output>plain</output>, loader },
  ]);
  const page = createLivePage(router, source);
  render(
    <LiveContext value={page}>
      <RouterProvider router={router} />
    </LiveContext>,
  );
  const hold = () => (world.gate = Promise.withResolvers<void>());
  const release = async () => {
    const gate = world.gate;
    world.gate = null;
    await act(async () => gate?.resolve());
  };
  return { source, world, router, hold, release, say: (topic: LiveTopic) => act(async () => source.say(topic)) };
}

test('T64 a change that falls between the question and the answer of a reading is read once more', async () => {
  const { world, say, hold, release } = openPage();
  await screen.findByText('balance 1');
  hold();
  await say('balance');
  // The reading under way has seen 1; meanwhile it becomes 2, then 3.
  world.server = 2;
  await say('balance');
  world.server = 3;
  await say('balance');
  expect(world.reads).toBe(2);
  await release();
  expect(await screen.findByText('balance 3')).toBeDefined();
  // Once more for all that came, not once for each.
  expect(world.reads).toBe(3);
});

test('T64 a change that falls into the navigation to a page is read by that page', async () => {
  const { world, router, say, hold, release } = openPage();
  await screen.findByText('balance 1');
  hold();
  await act(async () => void router.navigate('/other'));
  world.server = 2;
  await say('balance');
  await release();
  expect(await screen.findByText('balance 2')).toBeDefined();
});

test('T64 a change that falls between the answer and the page that follows it is read by that page', async () => {
  const { source, world, router } = openPage();
  await screen.findByText('balance 1');
  await act(async () => void (await router.navigate('/plain')));
  // The first page that follows anything is drawn after the change was said.
  const unsubscribe = router.subscribe(({ navigation, location }) => {
    if (navigation.state !== 'idle' || location.pathname !== '/other') return;
    unsubscribe();
    world.server = 2;
    source.say('balance');
  });
  await act(async () => void (await router.navigate('/other')));
  expect(await screen.findByText('balance 2')).toBeDefined();
});

test('T64 a change that falls into a form on its way is read after it', async () => {
  const { world, say, hold, release } = openPage();
  await screen.findByText('balance 1');
  hold();
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Spend' })));
  world.server = 2;
  await say('balance');
  await release();
  expect(await screen.findByText('balance 2')).toBeDefined();
});

test('a change of what the page does not show, and one that its answer already holds, are not read again', async () => {
  const { world, router, say } = openPage(['servers']);
  await screen.findByText('balance 1');
  await say('balance');
  expect(world.reads).toBe(1);
  await say('servers');
  expect(world.reads).toBe(2);
  await act(async () => void (await router.navigate('/other')));
  expect(world.reads).toBe(3);
});

test('a page that was left asks for nothing, and each page that follows listens to the stream', async () => {
  const { source, world, router, say } = openPage();
  await screen.findByText('balance 1');
  // The page keeper itself, and the page.
  await waitFor(() => expect(source.count()).toBe(2));
  await act(async () => void (await router.navigate('/plain')));
  await screen.findByText('plain');
  await waitFor(() => expect(source.count()).toBe(1));
  const before = world.reads;
  await say('balance');
  expect(world.reads).toBe(before);
});
