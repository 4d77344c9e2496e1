import { PRESENCE_COOKIES } from '#shared/constants.ts';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import type { Permission } from '#shared/permissions.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

let harness: Harness;
let pages: Pages;
let player: Person;
let owner: Person;

beforeAll(async () => {
  harness = await openHarness({ sample: true });
  await harness.set({ image_hosting_enabled: true });
  pages = await openPages(harness);
  player = await harness.person('player', { credits: 500 });
  owner = await harness.person('owner', { permissions: ['admin.root'] });
});
afterAll(() => harness.close());

/** The marker that a page calls refused, as the browser reads it. */
async function refusedMarker(page: Response): Promise<unknown> {
  const boot = /self\.__boot=(\{.*?\})<\/script>/s.exec(await page.text())?.[1];
  return (JSON.parse(boot ?? '{}') as { refusedMarker?: unknown }).refusedMarker;
}

const NOBODY = '01890000-0000-7000-8000-000000000000';
const concrete = (path: string) => path.replace(/:(id|token|slug)/, NOBODY);
/**
 * Routes of something that is not there here: a row, or a link that was made; nothing is announced in public unless the
 * host wants that. The page that deletes an image for a program asks before it looks.
 */
const needsRow = (path: string) =>
  (/:(id|token|slug|identifier)/.test(path) && path !== '/images/:id/delete') ||
  path === '/news' ||
  path === '/plugin/status';

describe('every route over the wire', () => {
  test.each(ROUTE_LIST.map((row) => [row.id, row] as const))('%s answers a guest', async (_, row) => {
    const response = await pages.get(concrete(row.path));
    const open = row.guard === 'open' || row.guard === 'guest-only';
    const expected =
      row.id === 'errors.403' ? 403 : row.id === 'errors.500' ? 500 : !open ? 302 : needsRow(row.path) ? 404 : 200;
    expect(response.status).toBe(expected);
    if (expected === 302) {
      expect(response.headers.get('location')).toBe('/auth/login');
      expect(response.headers.getSetCookie().join('\n')).toContain(
        `redirect_after_login=${encodeURIComponent(concrete(row.path))}`,
      );
    }
    await response.body?.cancel();
  });

  test.each(ROUTE_LIST.map((row) => [row.id, row] as const))('%s answers a player', async (_, row) => {
    const response = await pages.get(concrete(row.path), { secret: player.secret });
    const expected =
      row.guard === 'guest-only' || ['auth.factorCancel', 'viewing.end'].includes(row.id)
        ? 302
        : row.id === 'errors.403' || row.guard.startsWith('admin.')
          ? 403
          : row.id === 'errors.500'
            ? 500
            : needsRow(row.path)
              ? 404
              : 200;
    expect(response.status).toBe(expected);
    const html = await response.text();
    if (expected !== 302) {
      expect(html).toStartWith('<!DOCTYPE html>');
      expect(html).not.toContain('style="');
    }
  });

  test.each(ROUTE_LIST.filter((row) => row.guard.startsWith('admin.')).map((row) => [row.id, row] as const))(
    '%s lets its permission in',
    async (id, row) => {
      const holder = await harness.person(`h${id.replaceAll('.', '-').slice(0, 28)}`, {
        permissions: [row.guard as Permission],
      });
      for (const person of [holder, owner]) {
        const response = await pages.get(concrete(row.path), { secret: person.secret });
        expect([id, response.status]).toEqual([id, needsRow(row.path) ? 404 : 200]);
        await response.text();
      }
    },
  );
});

describe('the first byte', () => {
  test('/ leads to the dashboard, and unknown paths are not found', async () => {
    const root = await pages.get('/');
    expect([root.status, root.headers.get('location')]).toEqual([302, '/dashboard']);
    expect((await pages.get('/nowhere')).status).toBe(404);
  });

  test('the first byte carries locale and theme', async () => {
    const german = await (await pages.get('/auth/login', { headers: { Cookie: 'locale=de; theme=light' } })).text();
    expect(german).toContain('<html lang="de" data-theme="light">');
    const header = await (
      await pages.get('/auth/login', { headers: { 'Accept-Language': 'fr-CH, fr;q=0.9, en;q=0.8' } })
    ).text();
    expect(header).toContain('<html lang="fr" data-theme="dark">');
    const moldovan = await (await pages.get('/auth/login', { headers: { Cookie: 'locale=MD' } })).text();
    expect(moldovan).toContain('<html lang="ro-MD"');
  });

  test('every script and style is covered by the policy', async () => {
    const response = await pages.get('/auth/login');
    const policy = response.headers.get('content-security-policy') ?? '';
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? 'none';
    const html = await response.text();
    for (const tag of html.match(/<script\b[^>]*>/g) ?? []) expect(tag).toContain(`nonce="${nonce}"`);
    expect(policy).not.toContain('unsafe');
    expect(html).not.toMatch(/\son[a-z]+="/);
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('T54 what a visitor sends never becomes markup of the boot data', async () => {
    const html = await (await pages.get('/auth/register?setup=%3C/script%3E%3Cscript%3Ealert(1)%3C/script%3E')).text();
    expect(html).not.toContain('<script>alert(1)');
  });

  test('the session is not in the page of another visitor', async () => {
    const html = await (await pages.get('/dashboard', { secret: player.secret })).text();
    expect(html).toContain('player');
    expect(html).not.toContain(player.secret);
    expect(await (await pages.get('/auth/login')).text()).not.toContain('player@example.com');
  });

  test('T37 a form from elsewhere is refused, and one of ours is read', async () => {
    const foreign = await pages.get('/auth/login', { headers: {} });
    expect(foreign.status).toBe(200);
    const refused = await harness.http('/auth/login', {
      method: 'POST',
      headers: { Origin: 'https://elsewhere.example' },
    });
    expect(refused.status).toBe(403);
    const wrong = await pages.post('/auth/login', { login: 'player', password: 'wrong password' });
    const html = await wrong.text();
    expect(wrong.status).toBe(200);
    expect(html).toContain('value="player"');
    expect(html).not.toContain('wrong password');
  });

  test('the log-in works without scripts and leads to the page that was asked for', async () => {
    const done = await pages.post(
      '/auth/login',
      { login: 'player', password: 'correct horse battery' },
      { headers: { Cookie: 'redirect_after_login=%2Fstore' } },
    );
    expect([done.status, done.headers.get('location')]).toEqual([302, '/store']);
    const cookies = done.headers.getSetCookie();
    expect(cookies.find((line) => line.startsWith('__Host-spawnpoint='))).toMatch(/HttpOnly/);
    expect(cookies.find((line) => line.startsWith('__Host-spawnpoint='))).toMatch(/Secure/);
    expect(cookies.find((line) => line.startsWith('user_token='))).not.toMatch(/HttpOnly/);
  });

  test('T45 a target elsewhere is not followed', async () => {
    for (const target of ['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      const done = await pages.post(
        '/auth/login',
        { login: 'player', password: 'correct horse battery' },
        { headers: { Cookie: `redirect_after_login=${encodeURIComponent(target)}` } },
      );
      expect(done.headers.get('location')).toBe('/dashboard');
    }
  });

  test('a switched-off feature is not found and not in the navigation', async () => {
    await harness.set({ store_enabled: false });
    expect((await pages.get('/store', { secret: player.secret })).status).toBe(404);
    expect(await (await pages.get('/dashboard', { secret: player.secret })).text()).not.toContain('href="/store"');
    await harness.set({ store_enabled: true });
    expect((await pages.get('/store', { secret: player.secret })).status).toBe(200);
  });

  test('T51 a marker cookie alone opens nothing', async () => {
    for (const marker of ['1', 'a-marker', '%3Cscript%3E', '</script><script>'])
      for (const path of ['/dashboard', '/mc-admin']) {
        const headers = { Cookie: `user_token=${marker}; session_token=x` };
        expect([marker, path, (await pages.get(path, { headers })).status]).toEqual([marker, path, 302]);
      }
  });

  test('a page leaves a marker without a session to the browser, which may have a newer one by then', async () => {
    const read = async (cookie: string) => {
      const page = await pages.get('/auth/login', { headers: { Cookie: cookie } });
      expect([cookie, page.status, page.headers.getSetCookie()]).toEqual([cookie, 200, []]);
      return refusedMarker(page);
    };
    const ended = `__Host-spawnpoint=${'x'.repeat(43)}`;
    for (const [cookie, refused] of [
      ['', null],
      ['user_token=', null],
      ['session_token=x', null],
      ['user_token=1', '1'],
      [`${ended}; user_token=a-marker`, 'a-marker'],
      ['user_token=%3C%2Fscript%3E%3Cscript%3E', '</script><script>'],
    ] as const)
      expect([cookie, await read(cookie)]).toEqual([cookie, refused]);
    const own = await pages.get('/dashboard', { secret: player.secret });
    expect(await refusedMarker(own)).toBeNull();
  });

  test('T51 none of the names that count as present for the page is believed by the server', async () => {
    for (const name of PRESENCE_COOKIES)
      for (const value of ['1', player.secret, 'admin.root']) {
        const headers = { Cookie: `${name}=${value}` };
        expect([name, (await pages.get('/dashboard', { headers })).status]).toEqual([name, 302]);
        expect([name, (await pages.get('/mc-admin', { headers })).status]).toEqual([name, 302]);
        expect([name, (await harness.http('/api/account', { headers })).status]).toEqual([name, 401]);
      }
  });

  test('deferred data arrives in the stream after the shell', async () => {
    const html = await (await pages.get('/mc-admin', { secret: owner.secret })).text();
    expect(html).toContain('"$d":"admin.dashboard.');
    expect(html).toMatch(/__dq=window\.__dq\|\|\[\]\)\.push/);
  });
});

describe('the way in', () => {
  test('the overlay blocks plain HTTP, addresses and ports, with its texts', async () => {
    const strict = await openPages(harness, { local: false });
    const blocked = await strict.get('/dashboard', { headers: { Host: '127.0.0.1:3000' } });
    expect(blocked.status).toBe(403);
    const html = await blocked.text();
    for (const text of [
      'Access Denied',
      'HTTP connection (use HTTPS)',
      'Invalid domain access (use proper domain)',
      'Port <!-- -->3000',
      'Refresh Page',
    ]) {
      expect(html.replace('Port 3000 (use reverse proxy)', 'Port <!-- -->3000')).toContain(text);
    }
    const api = await strict.get('/api/user/session', { headers: { Host: '127.0.0.1:3000' } });
    expect([api.status, ((await api.json()) as { error_code: string }).error_code]).toEqual([403, 'ACCESS_BLOCKED']);
  });
  test('the overlay opens behind a proxy with HTTPS and a domain', async () => {
    const strict = await openPages(harness, { local: false });
    const response = await strict.get('/auth/login', {
      headers: {
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'panel.example.com',
        'X-Forwarded-For': '203.0.113.9',
      },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('strict-transport-security')).toContain('max-age');
    await response.text();
    expect((await strict.get('/docs/reverse-proxy')).status).toBe(200);
  });
});
