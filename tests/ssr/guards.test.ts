import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

let harness: Harness;
let pages: Pages;
let player: Person;

beforeAll(async () => {
  harness = await openHarness();
  pages = await openPages(harness);
  player = await harness.person('player');
});
afterAll(() => harness.close());

async function ask(path: string, options: { secret?: string; headers?: Record<string, string> } = {}) {
  const response = await pages.get(path, options);
  const boot: unknown = JSON.parse(/self\.__boot=(\{.*?\})<\/script>/s.exec(await response.text())?.[1] ?? 'null');
  const wanted = response.headers.getSetCookie().find((line) => line.startsWith('redirect_after_login='));
  return {
    status: response.status,
    to: response.headers.get('location'),
    wanted: wanted?.split(';')[0]?.split('=')[1] ?? null,
    line: wanted ?? '',
    boot,
  };
}
const signedIn = () => ({ secret: player.secret });

describe('the guard of documents', () => {
  test.each(ROUTE_LIST.filter((row) => row.guard === 'guest-only').map((row) => [row.path]))(
    'S2.4 %s sends a logged-in visitor to the dashboard',
    async (path) => {
      expect(await ask(path, signedIn())).toMatchObject({ status: 302, to: '/dashboard' });
    },
  );

  test('S2.11 a guest goes to the login, and the full path travels in a short-lived cookie that scripts can read', async () => {
    const { status, to, wanted, line } = await ask('/account?tab=statement&page=2');
    expect([status, to, decodeURIComponent(wanted ?? '')]).toEqual([
      302,
      '/auth/login',
      '/account?tab=statement&page=2',
    ]);
    expect(line).toContain('Max-Age=600');
    expect(line).not.toContain('HttpOnly');
  });

  test('S2.12 the auth-redirect goes to the wanted page and clears it', async () => {
    const { to, line } = await ask('/auth/login', {
      ...signedIn(),
      headers: { Cookie: 'redirect_after_login=%2Fstore%3Fq%3D1' },
    });
    expect(to).toBe('/store?q=1');
    expect(line).toMatch(/^redirect_after_login=;.*Max-Age=0/);
  });

  test('S2.12 the server asks the browser to read its local storage where it knows no target', async () => {
    expect(await ask('/auth/login', signedIn())).toMatchObject({ to: '/dashboard', wanted: 'stored' });
  });

  test('S2.12 a log-in without scripts forgets the target it followed', async () => {
    const done = await pages.post(
      '/auth/login',
      { login: 'player', password: PASSWORD },
      { headers: { Cookie: 'redirect_after_login=%2Fstore' } },
    );
    expect(done.headers.get('location')).toBe('/store');
    expect(done.headers.getSetCookie().find((line) => line.startsWith('redirect_after_login='))).toMatch(
      /^redirect_after_login=;.*Max-Age=0/,
    );
  });

  test.each(ROUTE_LIST.filter((row) => row.guard.startsWith('admin.')).map((row) => [row.path]))(
    'S2.10 %s without the permission leads to 403, the dialog, /errors/403',
    async (path) => {
      const { status, boot } = await ask(path.replace(':id', '01890000-0000-7000-8000-000000000000'), signedIn());
      expect(status).toBe(403);
      expect(boot).toMatchObject({ denied: true, renderedPath: '/errors/403' });
    },
  );

  test('S2.13 S4.6 the visitor is a guest without any of the five cookies, whatever else the browser sends', async () => {
    const secret = `__Host-spawnpoint=${player.secret}`;
    expect(await ask('/account', { headers: { Cookie: secret } })).toMatchObject({ status: 302, to: '/auth/login' });
    expect(await ask('/auth/login', { headers: { Cookie: secret } })).toMatchObject({
      status: 200,
      boot: { session: null },
    });
    for (const name of ['user_token', 'session_token', 'auth_token', 'token', 'spawnpoint_token']) {
      expect(await ask('/account', { headers: { Cookie: `${secret}; ${name}=1` } })).toMatchObject({
        status: 200,
        boot: { session: { user_info: { username: 'player' } } },
      });
      // Present is not trusted: the server believes the secret alone (behaviour 3.4).
      expect(await ask('/account', { headers: { Cookie: `${name}=1` } })).toMatchObject({
        status: 302,
        to: '/auth/login',
      });
    }
  });
});
