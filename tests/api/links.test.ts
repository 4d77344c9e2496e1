import { afterEach, beforeEach, expect, test } from 'bun:test';
import { DAY, MINUTE } from '#shared/time.ts';
import { call } from '#tests/support/call.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { createLinkServices, LINK_KEYS, type LinkServices } from '#tests/support/link-services.ts';

// Shows behaviour 4.5.

let harness: Harness;
let ann: Person;
let services: LinkServices;
let server: ReturnType<typeof Bun.serve>;
beforeEach(async () => {
  harness = await openHarness();
  ann = await harness.person('ann');
  services = createLinkServices(harness.clock.now);
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: services.answer });
  const base = `http://127.0.0.1:${server.port}`;
  await harness.set({
    outbound_private_networks: true,
    link_linkvertise_enabled: true,
    link_linkvertise_user: '123456',
    link_linkvertise_key: LINK_KEYS.linkvertise,
    link_linkvertise_host: `${base}/linkvertise`,
    link_linkvertise_api: `${base}/linkvertise`,
    link_linkpays_enabled: true,
    link_linkpays_key: LINK_KEYS.linkpays,
    link_linkpays_api: `${base}/linkpays`,
  });
});
afterEach(async () => {
  await server.stop(true);
  await harness.close();
});

const FINISH = '/api/earn/links/finish';
/** What the visitor's return address carries, as the sponsor's pages send them back. */
async function wayBack(url: string): Promise<Record<string, string>> {
  const target = services.targetOf(url) ?? (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '';
  expect(target).toStartWith('https://panel.example.com/earn/links/return?claim=');
  const { claim = '', hash } = Object.fromEntries(new URL(target).searchParams);
  return hash === undefined ? { claim } : { claim, proof: hash };
}

test('a link goes through Linkvertise and back, over the wire', async () => {
  const { url } = await ann.api.links.start({ body: { provider: 'linkvertise' } });
  harness.clock.advance(MINUTE);
  const back = await wayBack(url);
  expect(await call(harness, ann, 'POST', FINISH, back)).toMatchObject({
    status: 200,
    json: { provider: 'linkvertise', credits: 100, state: 'paid', balance: 100 },
  });
  expect(await call(harness, ann, 'POST', FINISH, back)).toMatchObject({
    status: 409,
    json: { error_code: 'LINK_CLAIM_USED' },
  });
  const page = await ann.api.links.page();
  expect(page.providers.map(({ id, used, proves, wait }) => [id, used, proves, wait?.reason])).toEqual([
    ['linkvertise', 1, true, 'cooldown'],
    ['linkpays', 0, false, undefined],
  ]);
  expect(page.history).toMatchObject([{ name: 'Linkvertise', credits: 100, state: 'paid' }]);
  const again = await call(harness, ann, 'POST', '/api/earn/links/start', { provider: 'linkvertise' });
  expect(again).toMatchObject({ status: 429, json: { error_code: 'LINK_COOLDOWN' } });
});

test('T14 a provider without proof pays into a hold', async () => {
  const { url } = await ann.api.links.start({ body: { provider: 'linkpays' } });
  harness.clock.advance(MINUTE);
  const back = await wayBack(url);
  expect(await call(harness, ann, 'POST', FINISH, back)).toMatchObject({
    status: 200,
    json: { credits: 100, state: 'held', balance: 0 },
  });
  expect(await harness.balance(ann.id)).toBe(0);
  expect((await ann.api.links.page()).history).toMatchObject([{ name: 'LinkPays', state: 'held' }]);
  // Nothing speaks against her: released in time, and the page knows.
  harness.clock.advance(3 * DAY);
  await harness.drainJobs();
  expect(await harness.balance(ann.id)).toBe(100);
  expect((await ann.api.links.page()).history).toMatchObject([{ name: 'LinkPays', state: 'paid' }]);
});

test('T14 somebody else’s claim is as unknown as none', async () => {
  const bob = await harness.person('bob');
  const { url } = await ann.api.links.start({ body: { provider: 'linkpays' } });
  harness.clock.advance(MINUTE);
  const back = await wayBack(url);
  const [other, none] = [
    await call(harness, bob, 'POST', FINISH, back),
    await call(harness, bob, 'POST', FINISH, { claim: 'nothing' }),
  ];
  expect([other.status, other.json.error_code]).toEqual([none.status, none.json.error_code]);
  expect(other).toMatchObject({ status: 404, json: { error_code: 'LINK_CLAIM_UNKNOWN' } });
});

test('T14 the same return twenty-five times at once pays once and answers all alike', async () => {
  const { url } = await ann.api.links.start({ body: { provider: 'linkpays' } });
  harness.clock.advance(MINUTE);
  const back = await wayBack(url);
  const answers = await Promise.all(
    Array.from({ length: 25 }, () => call(harness, ann, 'POST', FINISH, back, 'return-key-1')),
  );
  expect(new Set(answers.map(({ status, json }) => `${status} ${String(json.credits)} ${String(json.state)}`))).toEqual(
    new Set(['200 100 held']),
  );
  expect(await harness.db.sql("SELECT id FROM held_rewards WHERE source = 'link'")).toHaveLength(1);
});

test('T37 the return page asks nothing and changes nothing by itself', async () => {
  const { url } = await ann.api.links.start({ body: { provider: 'linkpays' } });
  harness.clock.advance(MINUTE);
  const { claim } = await wayBack(url);
  for (const path of [`${FINISH}?claim=${claim}`, `/api/earn/links/start?provider=linkpays`]) {
    expect((await call(harness, ann, 'GET', path)).status).toBe(405);
  }
  expect(await harness.db.sql('SELECT state FROM link_claims')).toEqual([{ state: 'open' }]);
});

test('T4 what is no provider and no claim is refused at its field', async () => {
  for (const provider of ['nobody', '', null, 5, ['linkpays'], '__proto__']) {
    expect(await call(harness, ann, 'POST', '/api/earn/links/start', { provider })).toMatchObject({
      status: 422,
      json: { fields: { provider: expect.anything() } },
    });
  }
  for (const claim of ['', null, 5, ['a'], 'x'.repeat(201)]) {
    expect(await call(harness, ann, 'POST', FINISH, { claim })).toMatchObject({
      status: 422,
      json: { fields: { claim: expect.anything() } },
    });
  }
  expect(await call(harness, ann, 'POST', FINISH, { claim: 'a', credits: 1000 })).toMatchObject({
    status: 422,
    json: { fields: { credits: ['UNKNOWN'] } },
  });
});

test('a switch that is off closes the page and the commands', async () => {
  await harness.set({ links_enabled: false });
  expect(await call(harness, ann, 'GET', '/api/earn/links')).toMatchObject({
    status: 404,
    json: { error_code: 'FEATURE_DISABLED' },
  });
  expect(await call(harness, ann, 'POST', '/api/earn/links/start', { provider: 'linkpays' })).toMatchObject({
    status: 404,
    json: { error_code: 'FEATURE_DISABLED' },
  });
  expect(await call(harness, ann, 'POST', FINISH, { claim: 'a' })).toMatchObject({
    status: 404,
    json: { error_code: 'FEATURE_DISABLED' },
  });
});

test('addresses of providers that are none are not taken as settings', async () => {
  const bad = {
    link_linkpays_api: 'ftp://linkpays.in',
    link_shareus_api: 'https://user:pass@shareus.io',
    link_linkvertise_host: 'https://link-to.net/',
    link_linkvertise_user: '12a',
    link_linkpays_hosts: 'linkpays.in/evil',
    link_generic_start: 'https://sponsor.example/go',
    link_generic_check: 'https://sponsor.example/check',
    link_generic_conditions: 'valid',
  };
  for (const [key, value] of Object.entries(bad))
    await expect(harness.set({ [key]: value })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  await harness.set({
    link_generic_start: 'https://sponsor.example/go?to={url}',
    link_generic_check: 'https://sponsor.example/{token}',
    link_linkpays_hosts: '',
  });
});
