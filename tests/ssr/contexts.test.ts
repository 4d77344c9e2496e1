import { afterAll, beforeAll, expect, test } from 'bun:test';
import { UNSAFE_LocationContext as LocationContext } from 'react-router';
import { emptyContexts } from '#tests/support/dom.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

/**
 * All pages are rendered in one process, by a renderer that leaves the contexts of a page as they are where it breaks
 * off or ends. What one visitor's page leaves must reach no other page.
 */
let harness: Harness;
let pages: Pages;
let owner: Person;
let player: Person;
/** What the late part of each page waits for, in the order of the pages. */
let held: PromiseWithResolvers<void>[];

beforeAll(async () => {
  held = [];
  harness = await openHarness({ sample: true });
  owner = await harness.person('owner', { permissions: ['admin.root'] });
  player = await harness.person('player', { credits: 500 });
  const { fetcher, ...rest } = harness.transport;
  pages = await openPages(harness, {
    transport: {
      ...rest,
      fetcher: (...facts) => {
        const ask = fetcher(...facts);
        return async (path, init) => {
          if (path.includes('/overview/activity')) {
            const waits = Promise.withResolvers<void>();
            held.push(waits);
            await waits.promise;
          }
          return ask(path, init);
        };
      },
    },
  });
});
afterAll(() => harness.close());

/** What of a page's location the contexts hold now; null where they are empty. */
const leftBehind = (): unknown => Reflect.get(LocationContext, '_currentValue');

/** The page of a visitor, without what differs from page to page of the same. */
async function shown(path: string, who?: Person): Promise<string> {
  const response = await pages.get(path, who ? { secret: who.secret } : {});
  expect(response.status).toBe(200);
  return (await response.text())
    .replaceAll(/ nonce="[^"]*"/g, '')
    .replaceAll(/"(requestId|request_id|formKey)":"[^"]*"/g, '')
    .replaceAll(/ value="[\da-f-]{36}"/g, '');
}

interface Late {
  /** The rest of the page. */
  rest(): Promise<string>;
  leave(): Promise<void>;
  /** Gives the late part what it waits for. */
  readonly late: PromiseWithResolvers<void>;
}
/** A page of staff that has been read up to its late part. */
async function openLatePage(language: string, signal?: AbortSignal): Promise<Late> {
  const before = held.length;
  const response = await pages.get('/mc-admin', {
    secret: owner.secret,
    headers: { 'Accept-Language': language },
    ...(signal ? { signal } : {}),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error('the page has no body');
  for (let text = ''; !text.includes('</body>') && !text.includes('id="sp-end"');) {
    const { value, done } = await reader.read();
    if (done) throw new Error('the page ended before its late part');
    text += value;
  }
  const late = held[before];
  if (!late || held.length !== before + 1) throw new Error('the page has no late part');
  return {
    rest: async () => {
      let text = '';
      for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
      return text;
    },
    leave: () => reader.cancel(),
    late,
  };
}

/** How pages come to an end, in time or before it. */
const ENDINGS: readonly (readonly [string, () => Promise<void>])[] = [
  [
    'came whole',
    async () => {
      const page = await openLatePage('en');
      page.late.resolve();
      expect(await page.rest()).toContain('System created the account owner');
    },
  ],
  [
    'was left by its reader',
    async () => {
      const page = await openLatePage('en');
      await page.leave();
      page.late.resolve();
    },
  ],
  [
    'was left with its request',
    async () => {
      const leaving = new AbortController();
      const page = await openLatePage('en', leaving.signal);
      leaving.abort();
      page.late.resolve();
      await page.rest().catch(() => undefined);
    },
  ],
  [
    'has a part that failed',
    async () => {
      const page = await openLatePage('en');
      page.late.reject(new Error('nothing comes of it'));
      expect(await page.rest()).toContain('Couldn’t load this');
    },
  ],
  ['waits for its late part', async () => void (await openLatePage('en'))],
];

test.each(ENDINGS)('a page that %s leaves nothing of itself on the page of another visitor', async (_, end) => {
  const guestBefore = await shown('/auth/login');
  const playerBefore = await shown('/dashboard', player);
  await end();
  expect(await shown('/auth/login')).toBe(guestBefore);
  await end();
  expect(await shown('/dashboard', player)).toBe(playerBefore);
});

test('late parts of pages that are rendered in turns have the language of their own page each', async () => {
  const german = await openLatePage('de');
  const english = await openLatePage('en');
  const french = await openLatePage('fr');
  for (const { late } of [french, german, english]) late.resolve();
  const [first, second, third] = await Promise.all([german.rest(), english.rest(), french.rest()]);
  expect(first).toContain('Das System hat das Konto owner erstellt');
  expect(second).toContain('System created the account owner');
  expect(third).toContain('Le système a créé le compte owner');
});

test('what a page left in the contexts is put back before a component is tested', async () => {
  const page = await openLatePage('en');
  page.late.resolve();
  await page.rest();
  expect(leftBehind()).not.toBeNull();
  await emptyContexts();
  expect(leftBehind()).toBeNull();
});
