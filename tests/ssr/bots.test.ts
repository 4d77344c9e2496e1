import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

let harness: Harness;
let pages: Pages;
let owner: Person;

beforeAll(async () => {
  harness = await openHarness({ sample: true });
  owner = await harness.person('owner', { permissions: ['admin.root'] });
  // What the page loads late takes a while: it is asked for after the page itself.
  const { fetcher, ...rest } = harness.transport;
  pages = await openPages(harness, {
    transport: {
      ...rest,
      fetcher: (...facts) => {
        const ask = fetcher(...facts);
        return async (path, init) => {
          if (path.includes('/overview/activity')) await Bun.sleep(300);
          return ask(path, init);
        };
      },
    },
  });
});
afterAll(() => harness.close());

/** What came of a page before it was at its end. */
async function firstPart(userAgent: string): Promise<string> {
  const response = await pages.get('/mc-admin', { secret: owner.secret, headers: { 'User-Agent': userAgent } });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  // All that is there without waiting for what is loaded late.
  for (;;) {
    const next = await reader?.read();
    if (!next || next.done) break;
    text += decoder.decode(next.value, { stream: true });
    if (text.includes('id="page-end"') || text.includes('</body>') || text.includes('<!--$?-->')) break;
  }
  await reader?.cancel();
  return text;
}

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

test('S12 a browser gets the page before its late parts, a search engine gets it whole and in order', async () => {
  expect(await firstPart(BROWSER)).toContain('<!--$?-->');
  const whole = await firstPart(BOT);
  expect(whole).not.toContain('<!--$?-->');
  expect(whole).toContain('System created the account owner');
});
