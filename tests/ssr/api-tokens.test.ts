import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

// Shows behaviour 3.12, without scripts.

let h: Harness;
let pages: Pages;
let ann: Person;
beforeAll(async () => {
  h = await openHarness();
  pages = await openPages(h);
  ann = await h.person('ann');
});
afterAll(() => h.close());

const PATH = '/account?tab=tokens&new=1';
const FIELDS = { _intent: 'createToken', name: 'Bot', expires_in_days: '30', addresses: '', scopes: 'account:read' };

test('T35 without scripts a token is made and shown once, on a page that nobody keeps or compresses', async () => {
  expect(await (await pages.get(PATH, { secret: ann.secret })).text()).toContain('value="servers:write"');
  const made = await pages.post(PATH, FIELDS, { secret: ann.secret, headers: { 'Accept-Encoding': 'gzip' } });
  expect([made.status, made.headers.get('cache-control'), made.headers.get('content-encoding')]).toEqual([
    200,
    'no-store, no-transform',
    null,
  ]);
  expect(made.headers.get('referrer-policy')).toMatch(/no-referrer|same-origin|strict-origin/);
  const [token = ''] = /sp_live_[\w-]{43}/.exec(await made.text()) ?? [];
  expect((await h.host.services.apiTokens.resolve(token, '127.0.0.1'))?.userId).toBe(ann.id);
  const later = await (await pages.get('/account?tab=tokens', { secret: ann.secret })).text();
  expect(later).toContain(`…${token.slice(-4)}`);
  expect(later).not.toContain(token);
});

test('T35 a token opens no page, neither by its header nor as a cookie', async () => {
  const made = await pages.post(PATH, FIELDS, { secret: ann.secret });
  const [token = ''] = /sp_live_[\w-]{43}/.exec(await made.text()) ?? [];
  for (const sent of [{ secret: token }, { headers: { Authorization: `Bearer ${token}` } }]) {
    const page = await pages.get('/account', sent);
    expect([page.status, (await page.text()).includes('ann@example.com')]).toEqual([302, false]);
  }
  const posted = await pages.post(
    '/account?tab=tokens',
    { _intent: 'revokeTokens' },
    { headers: { Authorization: `Bearer ${token}` } },
  );
  expect(posted.status).toBe(302);
  expect(await h.host.services.apiTokens.resolve(token, '127.0.0.1')).not.toBeNull();
});
