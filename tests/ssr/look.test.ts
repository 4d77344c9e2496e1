import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';
import { pngOf } from '#tests/support/pictures.ts';

let harness: Harness;
let pages: Pages;
const PLAIN = { theme_default: 'dark', accent_dark: '', accent_light: '' };

beforeAll(async () => {
  harness = await openHarness();
  pages = await openPages(harness);
});
beforeEach(() => harness.set(PLAIN));
afterAll(() => harness.close());

const documentOf = async (path: string, cookie = '') => {
  const response = await pages.get(path, { headers: { cookie } });
  const html = await response.text();
  return { html, nonce: /'nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '')?.[1] ?? 'none' };
};

test("behaviour 8.4: whoever has chosen no theme gets the host's, and a choice of one's own stays", async () => {
  const theme = async (cookie: string) =>
    /data-theme="(\w+)"/.exec((await documentOf('/auth/login', cookie)).html)?.[1];
  expect([await theme(''), await theme('theme=light')]).toEqual(['dark', 'light']);
  await harness.set({ theme_default: 'light' });
  expect([await theme(''), await theme('theme=dark'), await theme('theme=nonsense')]).toEqual([
    'light',
    'dark',
    'light',
  ]);
  expect((await documentOf('/auth/login')).html).toContain('<meta name="color-scheme" content="light"/>');
});

test.each([
  '../../app.key',
  '/etc/passwd',
  '..%2f..%2fapp.key',
  '__proto__',
  'constructor',
  'en/../../app',
  'x'.repeat(100),
])('T46 a language or theme called %p names no file: the page is in those of the host', async (name) => {
  const { html } = await documentOf('/auth/login', `locale=${name}; theme=${name}`);
  expect(html).toContain('<html lang="en"');
  expect(/data-theme="([^"]*)"/.exec(html)?.[1]).toBe('dark');
  expect(html).not.toContain(name);
  expect(harness.errors).toEqual([]);
});

test("behaviour 8.4: the host's accent is in the document, under the nonce, and yields to the host's stylesheet", async () => {
  expect((await documentOf('/auth/login')).html).not.toContain('sp-look"');
  await harness.set({ accent_dark: '#5865f2', custom_css: 'body{}' });
  const { html, nonce } = await documentOf('/auth/login');
  const style = html.indexOf(
    `<style id="sp-look" nonce="${nonce}">@layer tokens{[data-theme='dark']{--accent:#5865f2;`,
  );
  expect(style).toBeGreaterThan(html.indexOf('<link rel="stylesheet" href="/assets/main.css'));
  expect(html.indexOf('/api/system/custom.css')).toBeGreaterThan(style);
  await harness.set({ custom_css: '' });
});

test("behaviour 8.4: other services and phones get the host's description, preview and icon, without scripts of anybody", async () => {
  const plain = await documentOf('/auth/login');
  expect(plain.html).toContain('<link rel="icon" href="/assets/icon.svg" type="image/svg+xml"/>');
  expect(plain.html).toContain('<link rel="manifest" href="/api/system/manifest.webmanifest"/>');
  expect(plain.html).not.toContain('og:image');
  const admin = await harness.person('admin', { permissions: ['admin.settings.edit'] });
  const add = async (kind: 'icon' | 'preview' | 'hero' | 'logo') =>
    (await admin.api.adminPictures.add({ params: { kind }, body: pngOf(192) })).id;
  const [icon, preview, hero, logo] = [await add('icon'), await add('preview'), await add('hero'), await add('logo')];
  await harness.set({
    app_name: 'Lantern',
    app_description: 'Servers "for" <everyone>.',
    icon_picture: icon,
    preview_picture: preview,
    hero_picture: hero,
    logo_picture: logo,
    logo_with_name: false,
  });
  const { html } = await documentOf('/auth/login');
  expect(html).toContain(`<link rel="icon" href="/api/system/pictures/${icon}/64" type="image/png"/>`);
  expect(html).toContain(
    `<meta property="og:image" content="https://panel.example.com/api/system/pictures/${preview}/whole"/>`,
  );
  expect(html).toContain('<meta property="og:description" content="Servers &quot;for&quot; &lt;everyone&gt;."/>');
  const [wide, narrow] = ['wide', 'narrow'].map((form) => `/api/system/pictures/${hero}/${form}`);
  expect(html).toContain(
    `<img class="sp-auth__hero" src="${wide}" srcSet="${wide} 1600w, ${narrow} 800w" sizes="50vw" alt=""/>`,
  );
  expect(html).toContain(`src="/api/system/pictures/${logo}/whole" alt="Lantern"/>`);
  expect(html).not.toContain('sp-wordmark__name');
});
