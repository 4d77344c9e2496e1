import { afterEach, beforeEach, expect, mock, spyOn, test } from 'bun:test';
import { useLayoutEffect, type ReactNode } from 'react';
import { createMemoryRouter, RouterProvider, useLocation, useRevalidator } from 'react-router';
import { listSearch, readList, type ListSpec } from '#client/lib/url-state.ts';
import { installDom } from '#tests/support/dom.ts';
import { textsOf } from '#tests/support/texts.ts';

await installDom();
const { act, cleanup, fireEvent, render, screen } = await import('@testing-library/react');
await import('./icons-app.ts');
const { FilterBar } = await import('./filter-bar.tsx');
const { I18nProvider, createTranslator } = await import('#client/lib/i18n.tsx');
const { createI18n } = await import('#client/lib/i18n-instance.ts');
beforeEach(() => {
  // The document of tests does not know the element yet, and React says so once in a process, in which it has been a
  // server's as well.
  spyOn(console, 'error').mockImplementation((text: unknown) =>
    expect(text).toMatch(/is unrecognized in this browser|^Detected multiple renderers/),
  );
});
afterEach(() => {
  cleanup();
  mock.restore();
});

const SPEC: ListSpec = {
  sizes: [25],
  sortable: ['name'],
  defaultSort: { key: 'name', dir: 'asc' },
  filters: ['state'],
};
const FILTER = { name: 'state', label: 'State', options: [{ value: 'all', label: 'All states' }] };

function List(): ReactNode {
  const { search } = useLocation();
  const { revalidate } = useRevalidator();
  const state = readList(search, SPEC);
  return (
    <>
      <FilterBar
        spec={SPEC}
        state={state}
        filters={[{ ...FILTER }]}
        hrefOf={(patch) => listSearch(state, SPEC, patch) || '?'}
      />
      <button type="button" onClick={() => void revalidate()}>
        {search || 'everything'}
      </button>
    </>
  );
}

/** Renders the pages of a router with the texts of the bar. */
function show(router: ReturnType<typeof createMemoryRouter>): void {
  const i18n = createI18n('en', { en: { ui: textsOf('en', 'ui') } } as never);
  render(
    <I18nProvider translator={createTranslator(i18n, 'en')} timeZone="UTC">
      <RouterProvider router={router} />
    </I18nProvider>,
  );
}

test('a value that was just chosen stays when the list renders again before it has arrived, and back undoes it', async () => {
  let waiting = Promise.withResolvers<null>();
  const router = createMemoryRouter([
    {
      path: '/',
      Component: List,
      HydrateFallback: () => null,
      loader: ({ request }) => (request.url.includes('all') ? waiting.promise : null),
    },
  ]);
  show(router);
  const select = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'State' });
  fireEvent.input(select, { target: { value: 'all' } });
  // A command that ended revalidates the list as it was.
  await act(async () => fireEvent.click(screen.getByRole('button')));
  expect([select.value, screen.getByRole('button').textContent]).toEqual(['all', 'everything']);
  await act(async () => waiting.resolve(null));
  expect([select.value, screen.getByRole('button').textContent]).toEqual(['all', '?state=all']);
  waiting = Promise.withResolvers<null>();
  waiting.resolve(null);
  await act(async () => router.navigate('/'));
  expect([select.value, screen.getByRole('button').textContent]).toEqual(['', 'everything']);
});

test('a value that is chosen as soon as the list stands is kept', async () => {
  function Chosen(): ReactNode {
    useLayoutEffect(() => {
      const select = screen.getByRole<HTMLSelectElement>('combobox', { name: 'State' });
      select.value = 'all';
      select.dispatchEvent(new Event('input', { bubbles: true }));
    }, []);
    return <List />;
  }
  const waiting = Promise.withResolvers<null>();
  show(
    createMemoryRouter([
      {
        path: '/',
        Component: Chosen,
        HydrateFallback: () => null,
        loader: ({ request }) => (request.url.includes('all') ? waiting.promise : null),
      },
    ]),
  );
  const select = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'State' });
  // All effects of the first rendering are through.
  await act(async () => {});
  expect([select.value, screen.getByRole('button').textContent]).toEqual(['all', 'everything']);
  await act(async () => waiting.resolve(null));
  expect([select.value, screen.getByRole('button').textContent]).toEqual(['all', '?state=all']);
});
