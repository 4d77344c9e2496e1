import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

let harness: Harness;
let pages: Pages;
let player: Person;
let editor: Person;
let owner: Person;

beforeAll(async () => {
  harness = await openHarness({ sample: true });
  pages = await openPages(harness);
  player = await harness.person('player');
  editor = await harness.person('editor', { permissions: ['admin.settings.edit'] });
  owner = await harness.person('owner', { permissions: ['admin.root'] });
});
afterAll(() => harness.close());

async function page(path: string, person: Person | null = null, from: Pages = pages) {
  const response = await from.get(path, person ? { secret: person.secret } : {});
  const html = await response.text();
  return {
    response,
    html,
    status: response.status,
    policy: response.headers.get('content-security-policy') ?? '',
    head: html.slice(0, html.indexOf('</head>')),
    body: html.slice(html.indexOf('<body>'), html.indexOf('self.__boot=')),
  };
}
const bootOf = (html: string) =>
  JSON.parse(/self\.__boot=(\{.*?\})<\/script>/s.exec(html)?.[1] ?? '{}') as Record<string, unknown>;

const CUSTOM = {
  custom_css: 'body { color: red }',
  custom_js: 'window.own = 1;',
  google_ads_enabled: true,
  google_ads_client_id: 'ca-pub-1234567890123456',
  client_plugins: '/plugins/hats.js',
};
const NOTHING = {
  custom_css: '',
  custom_js: '',
  google_ads_enabled: false,
  google_ads_client_id: '',
  client_plugins: '',
};

describe('the stylesheet', () => {
  test('S7.5 /assets/main.css is preloaded, linked and served at that path', async () => {
    const { head } = await page('/auth/login');
    const preload = /<link rel="preload" as="style" href="(\/assets\/main\.css\?v=\w+)"\/>/.exec(head)?.[1] ?? '';
    expect(preload).not.toBe('');
    expect(head).toContain(`<link rel="stylesheet" href="${preload}"/>`);
    const kept = await pages.get(preload);
    expect([kept.status, kept.headers.get('content-type'), kept.headers.get('cache-control')]).toEqual([
      200,
      'text/css; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    const plain = await pages.get('/assets/main.css');
    expect([plain.status, plain.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    const again = await pages.get('/assets/main.css', {
      headers: { 'If-None-Match': plain.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  test('a half-read page is not painted: nothing on it moves while the rest comes in', async () => {
    const { html, head } = await page('/auth/login');
    const id = /<link rel="expect" href="#([\w-]+)" blocking="render"\/>/.exec(head)?.[1] ?? '';
    expect(id).not.toBe('');
    expect(html.split(`id="${id}"`)).toHaveLength(2);
    expect(html.indexOf(`id="${id}"`)).toBeGreaterThan(html.indexOf('</main>'));
  });
});

describe("the host's own code", () => {
  test('a page without any asks for nothing and has the strict policy', async () => {
    await harness.set(NOTHING);
    const { html, policy } = await page('/auth/login');
    expect(html.replace('/api/system/manifest.webmanifest', '')).not.toContain('/api/system/');
    expect(bootOf(html)).toMatchObject({ ads: false, plugins: [], safe: null, local: true });
    expect(policy).not.toContain('google');
  });

  test('S7.2 S7.3 the stylesheet comes after ours, and the script under the nonce, both by their state', async () => {
    await harness.set(CUSTOM);
    const { head, policy } = await page('/auth/login');
    const { custom } = await harness.guest.system.settings();
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? 'none';
    const own = head.indexOf(`href="/api/system/custom.css?v=${custom.css}"`);
    expect(own).toBeGreaterThan(head.lastIndexOf('/assets/main.css'));
    const script = head.match(/<script\b[^>]*>/g)?.find((tag) => tag.includes('custom.js')) ?? '';
    expect(script).toContain(`src="/api/system/custom.js?v=${custom.js}"`);
    expect(script).toContain(`nonce="${nonce}"`);
    expect(script).toContain('async');
    expect(policy).not.toContain('unsafe');
  });

  test('S7.4 the policy lets page ads through only while they are on, and never more scripts', async () => {
    await harness.set(CUSTOM);
    const on = await page('/auth/login');
    expect(on.policy).toMatch(/frame-src https:\/\/\*\.googlesyndication\.com/);
    expect(on.policy).toMatch(/script-src 'self' 'nonce-[^']+' 'strict-dynamic';/);
    expect(bootOf(on.html).ads).toBe(true);
    await harness.set({ google_ads_enabled: false });
    expect((await page('/auth/login')).policy).not.toContain('google');
  });

  test.each(['editor', 'owner'])('T41 safe mode is for those who may change settings: %s', async (name) => {
    await harness.set(CUSTOM);
    const person = name === 'editor' ? editor : owner;
    const { html, policy, head, body } = await page('/dashboard?safe=1', person);
    expect(bootOf(html)).toMatchObject({ ads: false, plugins: [], safe: 'page' });
    expect(head).not.toContain('/api/system/custom');
    expect(policy).not.toContain('google');
    expect(/<a class="sp-link" href="\/dashboard">Leave safe mode<\/a>/.test(body)).toBe(true);
  });

  test('T41 nobody else can switch the code off', async () => {
    await harness.set(CUSTOM);
    for (const [path, person] of [
      ['/dashboard?safe=1', player],
      ['/auth/login?safe=1', null],
      ['/dashboard', owner],
    ] as const) {
      const { html, head, body } = await page(path, person);
      expect(bootOf(html)).toMatchObject({ safe: null, plugins: ['/plugins/hats.js'] });
      expect(head).toContain('/api/system/custom.css');
      expect(body.includes('Leave safe mode')).toBe(false);
    }
  });

  test('serve --safe leaves the code out for everybody, and shows staff so', async () => {
    await harness.set(CUSTOM);
    const safe = await openPages(harness, { safe: true });
    for (const person of [null, player, owner]) {
      const { html, head, body } = await page(person ? '/dashboard' : '/auth/login', person, safe);
      expect(bootOf(html)).toMatchObject({ ads: false, plugins: [], safe: 'server' });
      expect(head).not.toContain('/api/system/custom');
      expect(body.includes('started in safe mode')).toBe(person === owner);
    }
    const root = await pages.get('/?safe=1', { secret: owner.secret });
    expect(root.headers.get('location')).toBe('/dashboard?safe=1');
  });
});

describe('addresses and their status', () => {
  test('S2.7 / redirects to /dashboard', async () => {
    const root = await pages.get('/');
    expect([root.status, root.headers.get('location')]).toEqual([302, '/dashboard']);
  });

  test.each([
    ['/auth/logout', 200],
    ['/privacy-policy', 200],
    ['/terms-of-service', 200],
    ['/errors/403', 403],
    ['/errors/500', 500],
    ['/nowhere', 404],
    ['/nowhere/at/all?x=1', 404],
    ['/dashboardx', 404],
  ])('S2.5 %s is public and answers %d, to guests and players', async (path, status) => {
    for (const person of [null, player]) {
      const answer = await page(path, person);
      expect(answer.status).toBe(status);
      expect(answer.html).toStartWith('<!DOCTYPE html>');
    }
  });

  test('S2.5 the pages of 403, 500 and not found say what happened', async () => {
    expect((await page('/errors/403')).html).toContain('403 Forbidden');
    expect((await page('/errors/500')).html).toContain('500 Server Error');
    expect((await page('/nowhere')).html).toContain('404 Not Found');
  });

  test('S2.6 /ws needs a login, and shows a lost connection', async () => {
    const guest = await pages.get('/ws');
    expect([guest.status, guest.headers.get('location')]).toEqual([302, '/auth/login']);
    const { status, html } = await page('/ws', player);
    expect(status).toBe(200);
    expect(html).toContain('Connection lost');
  });

  test('S2.5 the host’s own legal texts take the place of ours, without their HTML', async () => {
    await harness.set({ privacy_policy: '## Cookies\n\nNone. <img src=x onerror=alert(1)>' });
    const own = (await page('/privacy-policy')).html;
    expect(own).toContain('<h2 id="section-1">Cookies</h2>');
    expect(own).toContain('href="#section-1"');
    expect(own).not.toContain('<img src=x');
    expect((await page('/terms-of-service')).html).toContain('These are the rules of');
    await harness.set({ privacy_policy: '' });
  });

  test('a page of a plugin is there for the browser where there are plugins, and nowhere else', async () => {
    await harness.set(CUSTOM);
    expect((await page('/plugin/hats/shop', player)).status).toBe(200);
    await harness.set(NOTHING);
    expect((await page('/plugin/hats/shop', player)).status).toBe(404);
  });
});

describe('the blocking overlay', () => {
  const wrong = { Host: '192.168.1.20:8080' };
  test('S2.2 S8.6 the overlay says what is wrong, where the visitor is, what is needed and where to read on, with status 403', async () => {
    const strict = await openPages(harness, { local: false });
    const response = await strict.get('/store?page=2', { headers: wrong });
    expect(response.status).toBe(403);
    const html = (await response.text()).replaceAll('<!-- -->', '');
    for (const text of [
      '<title>Access Denied</title>',
      '>Access Denied</h1>',
      'Spawnpoint cannot be used on a port or local connection.',
      'HTTP connection (use HTTPS)',
      'Invalid domain access (use proper domain)',
      'Port 8080 (use reverse proxy)',
      '<code>http://192.168.1.20:8080/store?page=2</code>',
      'A reverse proxy is required',
      'href="/docs/reverse-proxy"',
      'Refresh Page',
    ])
      expect(html).toContain(text);
    const docs = await strict.get('/docs/reverse-proxy', { headers: wrong });
    expect([docs.status, (await docs.text()).includes('proxy_pass')]).toEqual([200, true]);
  });

  test('S8.6 the overlay names only what is wrong', async () => {
    const strict = await openPages(harness, { local: false });
    const lines = async (headers: Record<string, string>) => {
      const html = (await (await strict.get('/', { headers })).text()).replaceAll('<!-- -->', '');
      return ['HTTP connection', 'Invalid domain', 'Port '].filter((text) =>
        html.slice(html.indexOf('<ul')).includes(text),
      );
    };
    const https = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '203.0.113.9' };
    expect(await lines({ Host: 'panel.example.com' })).toEqual(['HTTP connection']);
    expect(await lines({ ...https, Host: '203.0.113.5' })).toEqual(['Invalid domain']);
    expect(await lines({ ...https, Host: 'panel.example.com:8443' })).toEqual(['Port ']);
  });

  test('S5.4 S5.5 S5.6 the overlay stands before everything: pages, calls and the files of the host', async () => {
    const strict = await openPages(harness, { local: false });
    for (const path of [
      '/',
      '/auth/login',
      '/nowhere',
      '/api/user/session',
      '/api/system/custom.js',
      '/api/system/ga-ads',
    ])
      expect([path, (await strict.get(path, { headers: wrong })).status]).toEqual([path, 403]);
  });

  test('T54 the address that the overlay shows is text', async () => {
    const strict = await openPages(harness, { local: false });
    const html = await (
      await strict.get('/"><script>alert(1)</script>', { headers: { Host: 'evil"><script>x.example' } })
    ).text();
    expect(html).not.toContain('<script>');
  });
});
