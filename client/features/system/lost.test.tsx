import { afterEach, describe, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/ws');
const { act, cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const lost = await import('./lost.tsx');

const realFetch = globalThis.fetch;
const asked: string[] = [];
/** The server as the page meets it: away until it is told otherwise. */
function server(answers: () => boolean): void {
  asked.length = 0;
  globalThis.fetch = Object.assign(
    async (url: string | URL | Request) => {
      asked.push(String(url));
      if (!answers()) throw new TypeError('network');
      return new Response('ok');
    },
    { preconnect: realFetch.preconnect },
  );
}
afterEach(() => {
  cleanup();
  globalThis.fetch = realFetch;
});

describe('/ws', () => {
  test('S2.6 /ws shows the lost connection and when the next try is, with and without scripts', () => {
    const html = serverHtml(lost, { url: '/ws?from=%2Fstore' }, null);
    for (const text of [
      'Connection lost',
      'Your browser can’t reach the server. It may be restarting, or your connection is down. Your game servers aren’t affected.',
      'Trying again in 2 seconds.',
      'href="/store"',
    ])
      expect(html).toContain(text);
  });

  test('S2.6 /ws asks the server, waits longer when it is away, and goes back by itself when it answers', async () => {
    let up = false;
    server(() => up);
    showScreen(lost, { url: '/ws?from=%2Fstore%3Fpage%3D2' });
    fireEvent.click(await screen.findByRole('link', { name: 'Try now' }));
    expect(await screen.findByText('Trying again in 3 seconds.')).toBeTruthy();
    expect(asked).toEqual(['/healthz']);
    up = true;
    fireEvent.click(screen.getByRole('link', { name: 'Try now' }));
    expect((await screen.findByTestId('elsewhere')).textContent).toBe('/store?page=2');
  });

  test('T45 /ws leads nowhere else: a foreign or missing origin becomes the dashboard', async () => {
    server(() => true);
    for (const from of [
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '/ws?from=x',
      '',
    ]) {
      showScreen(lost, { url: `/ws?from=${encodeURIComponent(from)}` });
      await act(async () => {
        fireEvent.click(await screen.findByRole('link', { name: 'Try now' }));
      });
      await waitFor(() => expect(screen.getByTestId('elsewhere').textContent).toBe('/dashboard'));
      cleanup();
    }
  });
});
