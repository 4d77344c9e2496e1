import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test';
import { openBrowser } from '#tests/support/browser.ts';
import { openHarness, PASSWORD, type Harness } from '#tests/support/harness.ts';

let h: Harness;
let asked: string[];
let call: ReturnType<typeof spyOn<typeof globalThis, 'fetch'>>;
beforeEach(async () => {
  h = await openHarness();
  asked = [];
  // The one way out ends in it (server/decisions/013-one-way-out.md).
  call = spyOn(globalThis, 'fetch').mockImplementation((async (url: string | URL | Request) => {
    asked.push(String(url instanceof Request ? url.url : url));
    return new Response('{}');
  }) as typeof fetch);
});
afterEach(async () => {
  call.mockRestore();
  await h.close();
});

test('T56 nobody elsewhere hears of a registration, a log-in or a minute of use, also with zero trust on', async () => {
  await h.set({ zero_trust_enabled: true });
  const browser = openBrowser(h, '198.51.100.40');
  const person = {
    username: 'ann',
    email: 'ann@mail.example',
    password: PASSWORD,
    first_name: 'Ann',
    last_name: 'Lee',
    terms: true,
  };
  expect((await browser.send('POST', '/api/auth/register', person)).status).toBe(200);
  expect((await browser.send('GET', '/api/user/session')).status).toBe(200);
  const elsewhere = openBrowser(h, '203.0.113.99');
  const login = (password: string) => elsewhere.send('POST', '/api/auth/login', { login: 'ann', password });
  expect((await login('not the password')).status).toBe(401);
  expect((await login(PASSWORD)).status).toBe(200);
  expect(
    (await elsewhere.send('PATCH', '/api/account', { first_name: 'A', last_name: 'L', locale: 'en' })).status,
  ).toBe(200);
  await h.drainJobs();
  expect(asked).toEqual([]);
});
