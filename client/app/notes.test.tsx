import { afterEach, describe, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/store');
const { act, cleanup, screen } = await import('@testing-library/react');
const { showScreen } = await import('#tests/support/screens.tsx');
const { createStore } = await import('#client/lib/store.ts');
const { ConnectionNote, PageStateContext, SafeNote } = await import('./notes.tsx');
const { LostBanner } = await import('./connection-watch.tsx');
import type { ReactNode } from 'react';
import type { LostNote } from './notes.tsx';

afterEach(cleanup);

function show(
  safe: 'page' | 'server' | null,
  permissions: string[],
  lost: LostNote | null = null,
  url = '/store?page=2&safe=1',
) {
  return showScreen(
    {
      default: () => (
        <PageStateContext value={{ safe, lost }}>
          <SafeNote />
          <p>the page</p>
          <ConnectionNote />
        </PageStateContext>
      ),
    },
    { url, session: { permissions } },
  );
}

describe('notes above the page', () => {
  test('safe mode says so to those who may change settings, with a way out by a new document', async () => {
    show('page', ['admin.settings.edit']);
    const link = await screen.findByRole('link', { name: 'Leave safe mode' });
    expect(link.getAttribute('href')).toBe('/store?page=2');
    expect(
      screen.getByText(/Safe mode: this page runs without your custom stylesheet, script, plugins and ads/),
    ).toBeTruthy();
    cleanup();
    show('server', ['admin.root']);
    expect(await screen.findByText(/The server was started in safe mode/)).toBeTruthy();
    expect(screen.queryByRole('link')).toBeNull();
  });

  test('players see no note of safe mode', async () => {
    const { container } = show('server', []);
    await screen.findByText('the page');
    expect(container.querySelector('.sp-note')).toBeNull();
  });

  test('S2.6 an unreachable server first shows a banner that leads to the explanation and back', async () => {
    const lost = createStore<ReactNode>(null);
    show(null, [], lost, '/store?page=2');
    await screen.findByText('the page');
    expect(screen.queryByRole('alert')).toBeNull();
    await act(async () => {
      lost.set(<LostBanner />);
    });
    expect(screen.getByRole('alert').textContent).toContain('Can’t reach the server. Trying again…');
    expect(screen.getByRole('link').getAttribute('href')).toBe('/ws?from=%2Fstore%3Fpage%3D2');
    await act(async () => {
      lost.set(null);
    });
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
