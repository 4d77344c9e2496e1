import { afterAll, beforeAll, expect, test } from 'bun:test';
import { DEFAULT_PRIVACY } from '#shared/profile.ts';
import { DAY } from '#shared/time.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

let harness: Harness;
let pages: Pages;
let ann: Person;
let bob: Person;
beforeAll(async () => {
  harness = await openHarness();
  pages = await openPages(harness);
  ann = await harness.person('ann.k', { credits: 1000 });
  bob = await harness.person('bob_w', { credits: 400 });
  harness.clock.advance(4 * DAY);
  await harness.drainJobs();
});
afterAll(() => harness.close());

async function page(path: string, person = ann): Promise<{ status: number; html: string }> {
  const response = await pages.get(path, { secret: person.secret });
  return { status: response.status, html: await response.text() };
}

test('the leaderboard is whole without scripts', async () => {
  const { status, html } = await page('/leaderboard');
  expect(status).toBe(200);
  for (const text of ['ann.k', 'bob_w', 'You are number 1', 'Ranked among 2 players']) expect(html).toContain(text);
  expect(html).not.toContain('style="');
});

test('the look-up answers from its address', async () => {
  const { html } = await page('/lookup?q=BOB');
  expect(html).toContain(`href="/profile/${bob.id}"`);
  expect((await page('/lookup?q=nobody')).html).toContain('No players found');
});

test('a profile and its gift are shown, and a hidden one is as missing as one that never was', async () => {
  expect((await page(`/profile/${bob.id}`)).html).toContain('Send a gift');
  const form = await page(`/profile/${bob.id}/gift-coins`);
  expect(form.status).toBe(200);
  expect(form.html).toContain('Preview');
  const { fields, ...shows } = DEFAULT_PRIVACY;
  await bob.api.profiles.setPrivacy({ body: { ...shows, fields: [...fields], profile: false } });
  const unknown = '01890000-0000-7000-8000-000000000000';
  const said = (html: string) =>
    html
      .replaceAll(bob.id, '')
      .replaceAll(unknown, '')
      .match(/<main[^]*<\/main>/)?.[0]
      ?.replaceAll(/[0-9a-f-]{36}|nonce="[^"]+"/g, '');
  for (const path of ['', '/gift-coins']) {
    const [hidden, none] = [await page(`/profile/${bob.id}${path}`), await page(`/profile/${unknown}${path}`)];
    expect([hidden.status, none.status]).toEqual([404, 404]);
    expect(said(none.html)).toContain('<h1');
    expect(said(hidden.html)).toBe(said(none.html));
  }
  expect((await page(`/profile/${bob.id}`, bob)).html).toContain(
    'Your profile is hidden. Only you can open this page.',
  );
  await bob.api.profiles.setPrivacy({ body: { ...shows, fields: [...fields] } });
});

test('T37 a gift without scripts shows the total at the first press and pays nothing, and the second pays it once', async () => {
  const cal = await harness.person('cal_3');
  const path = `/profile/${cal.id}/gift-coins`;
  const first = await (
    await pages.post(path, { amount: '11', note: 'Hi', _key: 'no-script-1' }, { secret: ann.secret })
  ).text();
  expect(first).toMatch(/name="total" value="13"/);
  expect(first).toContain('Send for 13 credits');
  expect(await harness.balance(cal.id)).toBe(0);
  const sent = { amount: '11', note: 'Hi', total: '13', _key: 'no-script-2' };
  for (let press = 0; press < 2; press += 1)
    expect(await (await pages.post(path, sent, { secret: ann.secret })).text()).toContain('You paid');
  expect([await harness.balance(cal.id), await harness.balance(ann.id)]).toEqual([11, 987]);
  const stale = await (
    await pages.post(path, { ...sent, total: '12', _key: 'no-script-3' }, { secret: ann.secret })
  ).text();
  expect(stale).toContain('The price has changed');
  expect(await harness.balance(cal.id)).toBe(11);
});

test('switches close the pages and take them out of the navigation', async () => {
  await harness.set({ leaderboard_enabled: false, allow_public_profiles: false, allow_coins_sharing: false });
  for (const path of ['/leaderboard', '/lookup', `/profile/${ann.id}`, `/profile/${ann.id}/gift-coins`])
    expect([path, (await page(path)).status]).toEqual([path, 404]);
  const { html } = await page('/dashboard');
  expect(html).not.toContain('href="/leaderboard"');
  expect(html).not.toContain('href="/lookup"');
  await harness.set({ leaderboard_enabled: true, allow_public_profiles: true, allow_coins_sharing: true });
});
