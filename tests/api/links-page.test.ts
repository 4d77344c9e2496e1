import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MINUTE } from '#shared/time.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { createLinkServices, LINK_KEYS, type LinkServices } from '#tests/support/link-services.ts';

/** What the operator's page says about setting up link providers, done as it is written there, against the stand-ins. */
const page = readFileSync(join(import.meta.dir, '../../server/modules/economy/README.md'), 'utf8');
/** Each block of commands: settings with their values; a value from a file is the key that the stand-in knows. */
const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) =>
  [...block.matchAll(/^ *spawnpoint settings set (\S+) (?:- < \S+|'([^']*)'|(\S+))$/gm)].map(
    ([, key = '', quoted, bare]) => ({ key, value: quoted ?? bare ?? null }),
  ),
);

let harness: Harness;
let ann: Person;
let services: LinkServices;
let server: ReturnType<typeof Bun.serve>;
beforeEach(async () => {
  harness = await openHarness();
  ann = await harness.person('ann');
  services = createLinkServices(harness.clock.now);
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: services.answer });
  await harness.set({ outbound_private_networks: true });
});
afterEach(async () => {
  await server.stop(true);
  await harness.close();
});

/** Follows a block, with the stand-in in the sponsor's place. */
async function follow(block: number): Promise<void> {
  const base = `http://127.0.0.1:${server.port}`;
  for (const { key, value } of blocks[block] ?? []) {
    const secret = key.includes('linkvertise') ? LINK_KEYS.linkvertise : LINK_KEYS.generic;
    const text = (value ?? secret).replaceAll('https://sponsor.example', `${base}/generic`);
    await harness.set({ [key]: text === 'true' ? true : text });
  }
}
/** Goes through a sponsor's page and back. Out: what became of it. */
async function through(provider: 'linkvertise' | 'generic') {
  const { url } = await ann.api.links.start({ body: { provider } });
  harness.clock.advance(MINUTE);
  const back = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '').searchParams;
  const proof = back.get('hash') ?? back.get('token');
  const { state, balance } = await ann.api.links.finish({
    body: { claim: back.get('claim') ?? '', ...(proof === null ? {} : { proof }) },
  });
  return { state, balance };
}

test('the page has the three examples', () => {
  expect(blocks.map((block) => block.map(({ key }) => key))).toEqual([
    ['link_linkvertise_user', 'link_linkvertise_key', 'link_linkvertise_enabled'],
    ['link_generic_name', 'link_generic_start', 'link_generic_enabled'],
    ['link_generic_placeholder', 'link_generic_check', 'link_generic_key'],
  ]);
});

test('Linkvertise as the page sets it up pays at once', async () => {
  await follow(0);
  const base = `http://127.0.0.1:${server.port}/linkvertise`;
  await harness.set({
    link_linkvertise_host: base,
    link_linkvertise_api: base,
    link_linkvertise_key: LINK_KEYS.linkvertise,
  });
  expect(await through('linkvertise')).toEqual({ state: 'paid', balance: 100 });
});

test('a sponsor of one’s own pays first without proof, which waits, then with one, at once', async () => {
  await follow(1);
  expect((await ann.api.links.page()).providers).toMatchObject([{ id: 'generic', name: 'Sponsor', proves: false }]);
  expect(await through('generic')).toEqual({ state: 'held', balance: 0 });
  await follow(2);
  harness.clock.advance(60 * MINUTE);
  expect((await ann.api.links.page()).providers).toMatchObject([{ id: 'generic', proves: true }]);
  expect(await through('generic')).toEqual({ state: 'paid', balance: 100 });
});
