import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openApiDocument } from '#server/http/openapi.ts';
import { GUIDE } from '#server/ssr/api-docs/guide.ts';
import { readReference } from '#server/ssr/api-docs/reference.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

// Shows the reference of the API, which is read without a session and without scripts.

let harness: Harness;
let pages: Pages;
beforeAll(async () => {
  harness = await openHarness();
  pages = await openPages(harness);
});
afterAll(() => harness.close());

async function open(path: string) {
  const response = await pages.get(path);
  const html = await response.text();
  return { status: response.status, html, policy: response.headers.get('content-security-policy') ?? '' };
}

describe('the reference of the API', () => {
  test('every call has a page with its summary, its path, its errors and an example where programs may call it', async () => {
    for (const { name, path, summary } of ENDPOINTS) {
      const { status, html } = await open(`/docs/api/${name}`);
      expect([name, status]).toEqual([name, 200]);
      expect(html).toContain(`<h1>${summary}</h1>`);
      expect(html).toContain(path.replaceAll(/:(\w+)/g, '{$1}'));
      expect(html).toContain('SERVER_ERROR');
      // Any letters may stand in a nonce.
      expect(html.replaceAll(/nonce="[^"]*"/g, '')).not.toMatch(/\[object Object\]|undefined|NaN/);
    }
  }, 300_000);

  test('every address that a page of the reference leads to is there', async () => {
    const seen = new Set<string>(['/docs/api']);
    for (const path of seen) {
      if (/\.\w+(\?|$)/.test(path)) continue;
      const { status, html } = await open(path);
      expect([path, status]).toEqual([path, 200]);
      for (const [, next] of html.matchAll(/href="(\/docs\/api[^"#]*)"/g)) seen.add(next ?? '');
    }
    expect(seen.size).toBeGreaterThan(ENDPOINTS.length);
  }, 300_000);

  test('every call that the guide names is there for tokens, also those that bots of other dashboards are led to', () => {
    const bare = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');
    const open = new Set(
      [...readReference(openApiDocument('1.0.0')).operations.values()]
        .filter(({ caller }) => caller === 'token')
        .map(({ method, path }) => `${method.toUpperCase()} ${bare(path)}`),
    );
    const named: string[] = [];
    const absent: string[] = [];
    const texts = GUIDE.flatMap(({ blocks }) => blocks).flatMap((block) => {
      if ('text' in block) return [block.text];
      if ('list' in block) return block.list;
      // The first column is what a call is called elsewhere.
      return 'rows' in block ? block.rows.map(([, ...here]) => here.join(' ')) : [];
    });
    for (const text of texts) {
      let verbs: readonly string[] = [];
      let base = '';
      for (const [, said = '', path = ''] of text.matchAll(/`([A-Z, ]*)([/…][^`?\s]*)[^`]*`/g)) {
        if (said) verbs = said.trim().split(', ');
        // A short one goes on from the last whole one: below it, below a row of it, or beside it.
        const tail = bare(path.replace('…', ''));
        const whole = tail.startsWith('/api/');
        if (whole) base = said ? tail : '';
        if (base === '') continue;
        const places = whole
          ? [base, `${base}/{}`]
          : [base, `${base}/{}`, base.replace(/\/[^/]+$/, '')].map((at) => at + tail);
        for (const verb of verbs) {
          named.push(`${verb} ${path}`);
          if (!places.some((place) => open.has(`${verb} ${place}`))) absent.push(`${verb} ${path}`);
        }
      }
    }
    expect(absent).toEqual([]);
    // As many as there are to read: a text that is written otherwise would be passed over.
    expect(named.length).toBeGreaterThanOrEqual(49);
  });

  test('what is closed to tokens says so and has no example; a command shows the key, in three languages', async () => {
    const password = (await open('/docs/api/account.changePassword')).html;
    expect(password).toContain('Browsers only');
    expect(password).not.toContain('SPAWNPOINT_TOKEN');
    const adjust = (language: string) => open(`/docs/api/adminUsers.adjust?language=${language}`);
    expect((await adjust('curl')).html).toContain('Idempotency-Key: order-1001');
    expect((await adjust('typescript')).html).toContain('await api.adminUsers.adjust(');
    expect((await adjust('python')).html).toContain('urllib.request.Request(');
    expect((await adjust('cobol')).html).toContain('curl -X POST');
  });

  test('T41 a search finds calls by words of their name and path, and shows what was typed as text', async () => {
    expect((await open('/docs/api?q=credits+give')).html).toContain('Give or take credits');
    expect((await open('/docs/api?q=redeem-codes')).html).toContain('Create a redeem code');
    const { status, html } = await open(`/docs/api?q=${encodeURIComponent('<script>alert(1)</script>"')}`);
    expect(status).toBe(200);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).not.toContain('<script>alert');
  });

  test('T41 the page asks no other host, and runs only what stands under its nonce', async () => {
    const { html, policy } = await open('/docs/api/servers.create');
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    expect(policy).not.toContain('unsafe-inline');
    expect([...html.matchAll(/<(?:script|style)\b([^>]*)>/g)].map(([, attributes]) => attributes)).toEqual(
      expect.arrayContaining([expect.stringContaining(`nonce="${nonce}"`)]),
    );
    expect(html.match(/<(?:script|style)\b(?![^>]*nonce=)/g)).toBeNull();
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(Bun.gzipSync(html).byteLength).toBeLessThan(12_000);
  });

  test('what is not there answers 404 with the parts that are', async () => {
    for (const path of ['/docs/api/nothing', '/docs/api/servers.create/more', '/docs/api/%00', '/docs/api/__proto__']) {
      const { status, html } = await open(path);
      expect([path, status]).toEqual([path, 404]);
      expect(html).toContain('href="/docs/api/servers"');
    }
    expect(harness.errors).toEqual([]);
  });
});
