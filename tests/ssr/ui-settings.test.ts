import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

let harness: Harness;
let pages: Pages;
beforeAll(async () => {
  harness = await openHarness();
  pages = await openPages(harness);
});
afterAll(() => harness.close());

async function login(cookie?: string): Promise<{ html: string; csp: string }> {
  const response = await pages.get('/auth/login', cookie === undefined ? {} : { headers: { Cookie: cookie } });
  return { html: await response.text(), csp: response.headers.get('content-security-policy') ?? '' };
}
const head = (html: string) => html.slice(0, html.indexOf('</head>'));

test('the first byte has the visitor’s settings: style under the page’s nonce, attributes on the document', async () => {
  const { html, csp } = await login(
    'ui=transition:flip&dropdown.opacity:0.5&performance.zoom:1.2&performance.reduceMotion:true',
  );
  const [, nonce = '?', style] = /<style[^>]*nonce="([^"]+)"[^>]*>([^<]*)<\/style>/.exec(head(html)) ?? [];
  expect(style).toBe(':root{--dropdown-opacity:0.5;--dropdown-filter:blur(12px) var(--glass-tone);--zoom:1.2}');
  expect(csp).toContain(`style-src 'self' 'nonce-${nonce}'`);
  expect(html).toMatch(/<html[^>]*data-transition="flip"[^>]*data-motion="reduce"/);
});

test('pages that stand alone, as the blocking overlay, have the theme and the settings as well', async () => {
  const strict = await openPages(harness, { local: false });
  const get = async (cookie: string) => {
    const response = await strict.get('/store', { headers: { Host: '192.168.1.20:8080', Cookie: cookie } });
    return { html: await response.text(), csp: response.headers.get('content-security-policy') ?? '' };
  };
  const { html, csp } = await get('theme=light; ui=performance.zoom:1.2&performance.reduceMotion:true');
  const [, nonce = '?', style] = /<style[^>]*nonce="([^"]+)"[^>]*>([^<]*)<\/style>/.exec(head(html)) ?? [];
  expect(style).toBe(':root{--zoom:1.2}');
  expect(csp).toContain(`style-src 'self' 'nonce-${nonce}'`);
  expect(html).toMatch(/<html[^>]*data-theme="light"[^>]*data-motion="reduce"/);
  expect((await get('')).html).toMatch(/<html[^>]*data-theme="dark"/);
});

test('the document has nothing of the settings without them, and with the defaults', async () => {
  for (const cookie of [undefined, 'ui=', 'ui=performance.zoom:1', 'theme=dark']) {
    const { html } = await login(cookie);
    expect(head(html)).not.toMatch(/<style|data-transition|data-motion|data-glass/);
  }
});

test.each([
  ['ui=performance.zoom:1}body{display:none}'],
  ['ui=transition:"><script>alert(1)</script>'],
  ['ui=%3C%2Fstyle%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
  ['ui=dropdown.animation:x;background:url(//evil.example)'],
  ['ui=notifications.position:top-left"onload="alert(1)'],
])('%s: nothing of it gets into the page', async (cookie) => {
  const { html } = await login(cookie);
  expect(head(html)).not.toMatch(/<style|alert|evil|display:none|onload/);
});
