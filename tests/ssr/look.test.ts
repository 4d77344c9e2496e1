import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

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

test("behaviour 8.4: the host's accent is in the document, under the nonce, and yields to the host's stylesheet", async () => {
  expect((await documentOf('/auth/login')).html).not.toContain('sp-look"');
  await harness.set({ accent_dark: '#5865f2', custom_css: 'body{}' });
  const { html, nonce } = await documentOf('/auth/login');
  const style = html.indexOf(
    `<style id="sp-look" nonce="${nonce}">@layer tokens{:root,[data-theme='dark']{--accent:#5865f2;`,
  );
  expect(style).toBeGreaterThan(html.indexOf('<link rel="stylesheet" href="/assets/main.css'));
  expect(html.indexOf('/api/system/custom.css')).toBeGreaterThan(style);
  await harness.set({ custom_css: '' });
});
