import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHttpApp } from '#server/http/app.ts';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import { MINUTE } from '#shared/time.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

let harness: Harness;
let pages: Pages;
beforeAll(async () => {
  harness = await openHarness();
  pages = await openPages(harness);
});
afterAll(() => harness.close());

const concrete = (path: string) => path.replace(':id', '01890000-0000-7000-8000-000000000000').replace('*', 'x');
/** What is no form that can be read, and the status it is answered with. */
const NO_FORMS: readonly [type: string | null, body: string, status: number][] = [
  ['text/plain', 'login=a&password=b', 415],
  ['application/json', '{"login":"a"}', 415],
  [null, 'login=a', 415],
  ['__proto__', 'x', 415],
  ['multipart/form-data', '--x\r\n\r\n', 415],
  ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="login"\r\n\r\na', 400],
  ['multipart/form-data; boundary=x', '', 400],
];
/** Forms that can be read, with names that every object has. */
const FORMS: readonly [type: string, body: string][] = [
  [
    'application/x-www-form-urlencoded',
    'constructor=1&__proto__=2&toString=3&hasOwnProperty=4&_intent=constructor&_key=__proto__',
  ],
  ['application/x-www-form-urlencoded', 'login=a&login=b&password=c&_intent=__proto__'],
  ['application/x-www-form-urlencoded', '%'],
  ['application/x-www-form-urlencoded', '%00=%00&login=%ED%A0%80&password=%00'],
  ['application/x-www-form-urlencoded', ''],
  [
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="login"; filename="a"\r\n\r\na\r\n--x--\r\n',
  ],
];

async function post(path: string, type: string | null, body: string, person: Person | null): Promise<number> {
  // Past every limit of an address.
  harness.clock.advance(10 * MINUTE);
  const headers: Record<string, string> = { 'Content-Type': type ?? '' };
  const response = await pages.post(path, {}, { headers, ...(person ? { secret: person.secret } : {}), body });
  await response.text();
  return response.status;
}

describe.each([
  ['a guest', false],
  ['the owner', true],
] as const)('S9 forms that are none, sent by %s', (_, signedIn) => {
  test.each(ROUTE_LIST.map((row) => [row.id, row] as const))(
    'S9 the server %s refuses them and logs no error',
    async (_id, row) => {
      // One of each page's own: what a page did with its forms, logging out among it, is over with the next.
      const name = `owner${ROUTE_LIST.indexOf(row)}`;
      const person = signedIn ? await harness.person(name, { permissions: ['admin.root'] }) : null;
      for (const [type, body, status] of NO_FORMS)
        expect([type, body, await post(concrete(row.path), type, body, person)]).toEqual([type, body, status]);
      for (const [type, body] of FORMS) {
        const status = await post(concrete(row.path), type, body, person);
        // One page is about an error, and is answered with it.
        expect({ type, body, failed: status >= 500 && row.id !== 'errors.500' }).toEqual({ type, body, failed: false });
      }
      expect(harness.errors.splice(0)).toEqual([]);
    },
    60_000,
  );
});

test('S9 a visitor who leaves before the answer is no error', async () => {
  const { host, clock, log, errors } = harness;
  const leaving = new AbortController();
  const handle = createHttpApp({
    readPeer: () => ({
      address: '203.0.113.9',
      loopback: true,
      reached: { protocol: 'http', hostname: '127.0.0.1', port: '' },
      origin: 'http://127.0.0.1',
    }),
    local: true,
    appOrigin: null,
    apiOnly: false,
    compression: false,
    hstsSubdomains: false,
    ceiling: () => 1024,
    assets: null,
    openapi: () => '',
    newId: host.services.ids.uuid,
    now: clock.now,
    log,
    buildId: 'x',
    ready: async () => true,
    chooseLocale: () => 'en',
    transport: harness.transport,
    publicPages: {
      blocked: async () => new Response(),
      proxyHelp: async () => new Response(),
      apiDocs: async () => new Response(),
      failed: async () => new Response('failed', { status: 500 }),
    },
    page: async ({ request }) => {
      leaving.abort();
      request.signal.throwIfAborted();
      return new Response();
    },
  });
  const response = await handle(new Request('http://127.0.0.1/dashboard', { signal: leaving.signal }), null);
  expect(response.status).toBe(499);
  expect(errors).toEqual([]);
});
