import { afterAll, beforeAll, expect, test } from 'bun:test';
import { MINUTE } from '#shared/time.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { createLinkServices, LINK_KEYS, type LinkServices } from '#tests/support/link-services.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

/** Referrals and links as a browser without scripts sees and sends them. */
let harness: Harness;
let pages: Pages;
let ann: Person;
let services: LinkServices;
let server: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  harness = await openHarness();
  pages = await openPages(harness);
  ann = await harness.person('ann');
  services = createLinkServices(harness.clock.now);
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: services.answer });
  await harness.set({
    outbound_private_networks: true,
    link_shareus_enabled: true,
    link_shareus_key: LINK_KEYS.shareus,
    link_shareus_api: `http://127.0.0.1:${server.port}/shareus`,
  });
});
afterAll(async () => {
  await server.stop(true);
  await harness.close();
});

/** A page, or the answer to its form, as text. */
async function html(response: Response): Promise<string> {
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text).not.toContain('style="');
  return text;
}
const field = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';

test('a link is made by a form, and leads to a registration that keeps its code', async () => {
  expect(await html(await pages.get('/earn/referrals', { secret: ann.secret }))).toContain('Create my link');
  const made = await html(await pages.post('/earn/referrals', {}, { secret: ann.secret }));
  const link = /value="https:\/\/panel\.example\.com(\/auth\/register\?ref=\w{8})"/.exec(made)?.[1] ?? '';
  expect(made).toMatch(/<svg class="sp-qr"[^>]*role="img"/);
  const page = await html(await pages.get(link));
  expect(page).toContain('The code is valid. You get 15 credits once you meet the conditions.');
  const code = link.slice(-8);
  expect(page).toContain(`value="${code}"`);
  const person = {
    username: 'bob',
    email: 'bob@example.com',
    first_name: 'B',
    last_name: 'B',
    terms: 'on',
    referral: code,
  };
  // What is wrong elsewhere loses nothing.
  expect(await html(await pages.post(link, { ...person, password: 'short' }))).toContain(`value="${code}"`);
  const done = await pages.post(link, { ...person, password: PASSWORD });
  expect([done.status, done.headers.get('location')]).toEqual([302, '/dashboard']);
  expect(await harness.db.sql('SELECT code FROM referrals')).toEqual([{ code }]);
});

test('T16 a code that nobody has is named on the page and stops nothing', async () => {
  const link = '/auth/register?ref=nosuch00';
  expect(await html(await pages.get(link))).toContain(
    'This code doesn’t exist. Correct it, or register without one; everything else works the same.',
  );
  const person = {
    username: 'cleo',
    email: 'cleo@example.com',
    first_name: 'C',
    last_name: 'C',
    terms: 'on',
    referral: 'nosuch00',
    password: PASSWORD,
  };
  expect((await pages.post(link, person)).status).toBe(302);
});

test('T37 a link begins and ends by forms, and the return page alone changes nothing', async () => {
  const offered = await html(await pages.get('/earn/links', { secret: ann.secret }));
  const started = await html(
    await pages.post('/earn/links', { provider: 'shareus', _key: field(offered, '_key') }, { secret: ann.secret }),
  );
  const short = /href="(https:\/\/shareus\.io\/[\w-]+)"/.exec(started)?.[1] ?? '';
  const back = new URL(services.targetOf(short) ?? '');
  harness.clock.advance(MINUTE);
  const path = back.pathname + back.search;
  for (let turn = 0; turn < 2; turn++) {
    const page = await html(await pages.get(path, { secret: ann.secret }));
    expect(field(page, 'claim')).toBe(back.searchParams.get('claim') ?? 'none');
  }
  expect(await harness.db.sql('SELECT state FROM link_claims')).toEqual([{ state: 'open' }]);
  const ended = await html(
    await pages.post(
      path,
      { claim: back.searchParams.get('claim') ?? '', proof: '', _key: 'return-key-1' },
      { secret: ann.secret },
    ),
  );
  expect(ended).toContain('are on hold for review.');
  const again = await html(
    await pages.post(
      path,
      { claim: back.searchParams.get('claim') ?? '', proof: '', _key: 'return-key-2' },
      { secret: ann.secret },
    ),
  );
  expect(again).toContain('This link was already paid.');
});

test('T14 the return address asks a guest to log in and knows the way back', async () => {
  const response = await pages.get('/earn/links/return?claim=abc');
  expect([response.status, response.headers.get('location')]).toEqual([302, '/auth/login']);
  expect(response.headers.getSetCookie().join('\n')).toContain(encodeURIComponent('/earn/links/return?claim=abc'));
});

test('a switch that is off hides the pages', async () => {
  await harness.set({ links_enabled: false, referrals_enabled: false });
  for (const path of ['/earn/links', '/earn/links/return?claim=abc', '/earn/referrals']) {
    expect([path, (await pages.get(path, { secret: ann.secret })).status]).toEqual([path, 404]);
  }
  expect(await html(await pages.get('/dashboard', { secret: ann.secret }))).not.toMatch(
    /href="\/earn\/(links|referrals)"/,
  );
  expect(await html(await pages.get('/auth/register?ref=abc'))).not.toContain('name="referral"');
  await harness.set({ links_enabled: true, referrals_enabled: true });
});
