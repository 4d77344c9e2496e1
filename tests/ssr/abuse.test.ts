import { afterAll, beforeAll, expect, test } from 'bun:test';
import { addCode } from '#tests/support/coins.ts';
import { testIds } from '#tests/support/clock.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

/** Held rewards as a browser without scripts uses them, and what the policy of a page lets through. */
let harness: Harness;
let pages: Pages;
let ada: Person;
let staff: Person;

beforeAll(async () => {
  harness = await openHarness();
  pages = await openPages(harness);
  ada = await harness.person('ada');
  staff = await harness.person('staff', { permissions: ['admin.rewards.held.list', 'admin.rewards.held.edit'] });
  for (const name of ['ada', 'zz-bea', 'zz-cai', 'zz-dov']) {
    const { id } = name === 'ada' ? ada : await harness.person(name);
    await harness.host.services.abuse.observe({
      userId: id,
      sessionId: `s-${name}`,
      address: '198.51.100.7',
      device: 'one device for all',
    });
  }
  await addCode(harness.db, testIds(3), harness.clock.now(), 'SPRING', { credits: 40 });
});
afterAll(() => harness.close());

const get = async (path: string, person: Person) => {
  const response = await pages.get(path, { secret: person.secret });
  return { status: response.status, html: await response.text() };
};
const post = async (path: string, fields: Record<string, string>, person: Person) => {
  const response = await pages.post(path, fields, { secret: person.secret });
  return { status: response.status, html: await response.text() };
};
const LIST = '/mc-admin/held-rewards';
const MINE = '/account?tab=held';

test('a code is redeemed and on hold without scripts, the user writes a note, and staff decide', async () => {
  expect((await post('/earn/redeem', { code: 'spring' }, ada)).html).toContain('on hold for review');
  const { html } = await get(MINE, ada);
  expect(html).toContain('On hold');
  for (const name of ['zz-', 'Same device', 'deviceShared']) expect(html).not.toContain(name);
  const id = /name="id" value="([0-9a-f-]{36})"/.exec(html)?.[1] ?? '';
  expect((await post(MINE, { _intent: 'appeal', id, note: '' }, ada)).html).toContain('Your note to the team');
  expect((await post(MINE, { _intent: 'appeal', id, note: 'We are <four>.' }, ada)).html).toContain(
    'We are &lt;four&gt;.',
  );
  const page = await get(LIST, staff);
  expect(page.status).toBe(200);
  for (const part of ['Same device as <!-- -->3', 'We are &lt;four&gt;.'])
    expect(page.html.replaceAll('as 3', 'as <!-- -->3')).toContain(part);
  const done = await post(LIST, { id, decision: 'release' }, staff);
  expect(done.html).toContain('Reward approved.');
  expect(await harness.balance(ada.id)).toBe(40);
  expect((await post(LIST, { id, decision: 'release' }, staff)).status).toBe(200);
  expect(await harness.balance(ada.id)).toBe(40);
});

test('the staff page is refused without its permission', async () => {
  expect((await get(LIST, ada)).status).toBe(403);
  expect((await pages.get(LIST)).status).toBe(302);
});

test('frames of Turnstile are let through only where the host uses it, and nothing else is', async () => {
  const policy = async () => (await pages.get('/auth/login')).headers.get('content-security-policy') ?? '';
  expect(await policy()).not.toContain('frame-src');
  await harness.set({ challenge: 'turnstile' });
  expect(await policy()).toContain('frame-src https://challenges.cloudflare.com;');
  expect(await policy()).toContain("worker-src 'self'");
  await harness.set({ challenge: 'altcha' });
  expect(await policy()).not.toContain('frame-src');
});

test('a refused registration without scripts says what is missing, and keeps what was typed', async () => {
  await harness.set({ challenge: 'altcha' });
  const fields = {
    username: 'newone',
    email: 'n@example.com',
    password: 'plough lantern meadow seven',
    first_name: 'A',
    last_name: 'B',
    terms: 'on',
  };
  const response = await pages.post('/auth/register', fields);
  const html = await response.text();
  expect(html).toContain('Confirm that you’re not a robot. This needs JavaScript.');
  expect(html).toContain('value="newone"');
});
