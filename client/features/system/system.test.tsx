import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/errors/500');
const { cleanup, screen } = await import('@testing-library/react');
const { GUEST, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const forbidden = await import('./forbidden.tsx');
const serverError = await import('./server-error.tsx');
const notFound = await import('./not-found.tsx');
const { BlockedOverlay, ProxyHelp } = await import('./blocked.tsx');
const { Unavailable } = await import('./unavailable.tsx');
const { facesOf, SCENES } = await import('./art.ts');

afterEach(cleanup);

test('403: the page says who is logged in and the way on', async () => {
  showScreen(forbidden, { url: '/errors/403' });
  expect(await screen.findByRole('heading', { level: 1, name: 'This gate is closed' })).toBeTruthy();
  expect(screen.getByText('You do not have permission to access this resource.', { exact: false })).toBeTruthy();
  expect(screen.getByText('mirela.v')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Go to the dashboard' }).getAttribute('href')).toBe('/dashboard');
});

test('403 and 404 lead guests to the login', async () => {
  showScreen(forbidden, { url: '/errors/403', session: GUEST });
  expect((await screen.findByRole('link', { name: 'Go to log in' })).getAttribute('href')).toBe('/auth/login');
  cleanup();
  showScreen(notFound, { url: '/serverz', session: GUEST });
  expect((await screen.findByRole('link', { name: 'Go to log in' })).getAttribute('href')).toBe('/auth/login');
});

test('404: the page names the address as text, cut where it is very long', async () => {
  showScreen(notFound, { url: '/serverz/<b>x' });
  expect((await screen.findByText(/^\/serverz/)).tagName).toBe('CODE');
  cleanup();
  showScreen(notFound, { url: `/${'a'.repeat(300)}` });
  expect((await screen.findByText(/^\/a+…$/)).textContent).toHaveLength(81);
});

test('500: the page shows the request id, and only a page that failed can be retried', async () => {
  showScreen(serverError, { url: '/errors/500' });
  expect(await screen.findByText('0190a000-0000-7000-8000-0000000000aa')).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Try again' })).toBeNull();
  cleanup();
  showScreen({ default: () => <serverError.default requestId="r-77" /> }, { url: '/store?x=1' });
  expect(await screen.findByText('r-77')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Try again' }).getAttribute('href')).toBe('/store?x=1');
});

test('a blocked visitor reads the texts of the specification, and can refresh without scripts', () => {
  const url = 'http://192.168.1.20:8080/dashboard';
  const issues = [{ code: 'http' }, { code: 'domain' }, { code: 'port', port: '8080' }] as const;
  const html = serverHtml(
    { default: () => <BlockedOverlay app="Spawnpoint" issues={issues} url={url} /> },
    { url: '/dashboard' },
    null,
  );
  for (const text of [
    'Access Denied',
    'HTTP connection (use HTTPS)',
    'Invalid domain access (use proper domain)',
    'Port 8080 (use reverse proxy)',
    'Refresh Page',
    url,
  ]) {
    expect(html).toContain(text);
  }
  expect(html).toContain(`href="${url}"`);
});

test('the help for operators and the page of a server that is away need no scripts', () => {
  const help = serverHtml({ default: () => <ProxyHelp app="Spawnpoint" /> }, { url: '/docs/reverse-proxy' }, null);
  expect(help).toContain('reverse_proxy 127.0.0.1:3000');
  expect(help).toContain('X-Forwarded-Proto https');
  const away = serverHtml(
    { default: () => <Unavailable code="SERVER_UNAVAILABLE" requestId="r-9" /> },
    { url: '/dashboard' },
    null,
  );
  expect(away).toContain('r-9');
  expect(away).toContain('currently unavailable');
});

test('every picture has faces, and nothing in it is broken', () => {
  for (const name of Object.keys(SCENES) as (keyof typeof SCENES)[]) {
    const faces = facesOf(name);
    expect(faces.length).toBe(75 + 3 * SCENES[name].length);
    for (const face of faces) expect(face.d).toMatch(/^M[-\d. lvz]+$/);
  }
});
