import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/one');
const { act, cleanup, render, screen, waitFor } = await import('@testing-library/react');
const { createMemoryRouter } = await import('react-router');
const { RouterProvider } = await import('react-router/dom');
const { withPageTransitions } = await import('./page-transition.ts');

/** What the browser has been told to animate; each waits until the test lets it change the page. */
let pictures: { before: string; change: () => void }[] = [];
const pageText = () => document.querySelector('main')?.textContent ?? '';
function withViewTransitions(): void {
  Object.assign(document, {
    startViewTransition: (change: () => void) => {
      pictures.push({ before: pageText(), change });
      return { ready: Promise.resolve(), finished: Promise.resolve() };
    },
  });
}
afterEach(() => {
  cleanup();
  pictures = [];
  Reflect.deleteProperty(document, 'startViewTransition');
  document.documentElement.removeAttribute('data-motion');
  document.documentElement.removeAttribute('data-entering');
});

let answer = 0;
function open() {
  answer = 0;
  const page = (path: string) => ({
    path,
    loader: () => ({ answer: (answer += 1) }),
    Component: () => <main id="main">{path}</main>,
    HydrateFallback: () => null,
  });
  const router = createMemoryRouter(
    [
      page('/one'),
      page('/two'),
      { path: '/old', loader: () => new Response(null, { status: 302, headers: { Location: '/two' } }) },
    ],
    {
      initialEntries: ['/one'],
    },
  );
  render(<RouterProvider router={withPageTransitions(router)} />);
  return router;
}
const letChange = () => act(() => pictures.at(-1)?.change());

test('S2.9 the browser takes its picture of the old page first, then the page changes', async () => {
  withViewTransitions();
  const router = open();
  await screen.findByText('/one');
  await act(() => router.navigate('/two'));
  expect(pictures.map(({ before }) => before)).toEqual(['/one']);
  expect(pageText()).toBe('/one');
  letChange();
  expect(pageText()).toBe('/two');
});

test('S2.9 a transition is keyed on the full path with its query, without its hash', async () => {
  withViewTransitions();
  const router = open();
  await screen.findByText('/one');
  await act(() => router.navigate('/one?page=2'));
  expect(pictures).toHaveLength(1);
  letChange();
  await act(() => router.navigate('/one?page=2'));
  await act(() => router.navigate('/one?page=2#end'));
  await act(() => router.revalidate());
  expect(pictures).toHaveLength(1);
});

test('S2.9 a redirect and the way back are animated like a link', async () => {
  withViewTransitions();
  const router = open();
  await screen.findByText('/one');
  await act(() => router.navigate('/old'));
  letChange();
  expect(pageText()).toBe('/two');
  await act(() => router.navigate(-1));
  await waitFor(() => expect(pictures).toHaveLength(2));
  letChange();
  expect(pageText()).toBe('/one');
});

test('news that come while the browser takes its picture are not lost', async () => {
  withViewTransitions();
  const router = open();
  await screen.findByText('/one');
  await act(() => router.navigate('/two'));
  await act(() => router.revalidate());
  expect(pictures).toHaveLength(1);
  letChange();
  expect(pageText()).toBe('/two');
  expect(router.state.revalidation).toBe('idle');
});

test('nothing moves for those who asked for that', async () => {
  withViewTransitions();
  document.documentElement.dataset['motion'] = 'reduce';
  const router = open();
  await screen.findByText('/one');
  await act(() => router.navigate('/two'));
  expect(pictures).toHaveLength(0);
  expect(pageText()).toBe('/two');
});

test('S2.9 a browser without View Transitions lets the new page come in', async () => {
  const router = open();
  await screen.findByText('/one');
  await act(() => router.navigate('/two'));
  expect(pageText()).toBe('/two');
  expect(document.documentElement.hasAttribute('data-entering')).toBe(true);
  act(() => void document.getElementById('main')?.dispatchEvent(new Event('animationend')));
  expect(document.documentElement.hasAttribute('data-entering')).toBe(false);
});
