import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { openHarness, type Harness } from '#tests/support/harness.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const ID = 'ca-pub-1234567890123456';

describe.each([
  [
    'S7.2 custom.css',
    '/api/system/custom.css',
    'custom_css',
    'text/css; charset=utf-8',
    'body { color: red; } /* ț */',
  ],
  [
    'S7.3 custom.js',
    '/api/system/custom.js',
    'custom_js',
    'text/javascript; charset=utf-8',
    'console.log("</script>");',
  ],
] as const)('%s', (_, path, key, type, text) => {
  const get = (query = '', headers: Record<string, string> = {}) => harness.http(path + query, { headers });

  test('the text is empty where nothing is set, with its type', async () => {
    const response = await get();
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([200, type, '']);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await harness.guest.system.settings()).custom[key === 'custom_css' ? 'css' : 'js']).toBeNull();
  });

  test('the text is what the setting says, asked for again by ETag', async () => {
    await harness.set({ [key]: text });
    const response = await get();
    expect([response.status, await response.text()]).toEqual([200, text]);
    const etag = response.headers.get('etag') ?? '';
    expect(response.headers.get('cache-control')).toBe('no-cache');
    for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`]) {
      const again = await get('', { 'If-None-Match': known });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    expect((await get('', { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  test('the text may be kept under the address of its state, until the setting changes', async () => {
    await harness.set({ [key]: text });
    const state = (await harness.guest.system.settings()).custom[key === 'custom_css' ? 'css' : 'js'] ?? '';
    expect(state).toMatch(/^[0-9a-f]{20}$/);
    expect((await get(`?v=${state}`)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    await harness.set({ [key]: `${text}\n` });
    expect((await get(`?v=${state}`)).headers.get('cache-control')).toBe('no-cache');
    expect((await harness.guest.system.settings()).custom[key === 'custom_css' ? 'css' : 'js']).not.toBe(state);
    await harness.set({ [key]: '' });
    expect(await (await get()).text()).toBe('');
  });

  test('the text is not among the public settings, and nobody but the settings changes it', async () => {
    await harness.set({ [key]: text });
    expect(JSON.stringify(await harness.guest.system.settings())).not.toContain(text.slice(0, 8));
    const refused = await harness.http(path, { method: 'POST', body: 'x', headers: { Origin: 'http://127.0.0.1' } });
    expect(refused.status).toBe(405);
  });
});

test('S7.4 ga-ads is plain text: the client id while ads are on, else nothing', async () => {
  const get = async () => {
    const response = await harness.http('/api/system/ga-ads');
    return [response.status, response.headers.get('content-type'), await response.text()];
  };
  expect(await get()).toEqual([200, 'text/plain; charset=utf-8', '']);
  await harness.set({ google_ads_client_id: ID });
  expect(await get()).toEqual([200, 'text/plain; charset=utf-8', '']);
  expect((await harness.guest.system.settings()).custom.ads).toBe(false);
  await harness.set({ google_ads_enabled: true });
  expect(await get()).toEqual([200, 'text/plain; charset=utf-8', ID]);
  expect((await harness.guest.system.settings()).custom.ads).toBe(true);
  await harness.set({ google_ads_client_id: '' });
  expect((await harness.guest.system.settings()).custom.ads).toBe(false);
});

test('T41 legal texts are rendered without anything dangerous, none is null, and other pages are not there', async () => {
  expect(await harness.guest.system.legal({ params: { page: 'terms' } })).toMatchObject({ text: null });
  await harness.set({
    terms_of_service: '# Rules\n\nBe <b>kind</b>. <script>alert(1)</script> [x](javascript:alert(1))',
    privacy_policy: '  \n',
  });
  const { text } = await harness.guest.system.legal({ params: { page: 'terms' } });
  expect(text?.sections).toEqual([{ id: 'section-1', title: 'Rules' }]);
  expect(text?.html).toBe(
    '<h2 id="section-1">Rules</h2><p>Be &lt;b&gt;kind&lt;/b&gt;. &lt;script&gt;alert(1)&lt;/script&gt; x</p>',
  );
  expect(await harness.guest.system.legal({ params: { page: 'privacy' } })).toMatchObject({ text: null });
  await harness.set({ terms_of_service: 'New' });
  expect((await harness.guest.system.legal({ params: { page: 'terms' } })).text?.html).toBe('<p>New</p>');
  expect((await harness.http('/api/system/legal/custom_js')).status).toBe(404);
});

test('a change by another process is noticed', async () => {
  await harness.db.uow.run((tx) => tx.settings.put('custom_css', JSON.stringify('a { }'), 1));
  await harness.host.services.settings.load();
  expect(await (await harness.http('/api/system/custom.css')).text()).toBe('a { }');
  expect((await harness.guest.system.settings()).custom.css).not.toBeNull();
});
