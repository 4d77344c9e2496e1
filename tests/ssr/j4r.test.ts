import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openLinking, type Linking } from '#tests/support/discord/linking.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';
import type { Person } from '#tests/support/harness.ts';

let h: Linking;
let pages: Pages;
let ann: Person;
beforeAll(async () => {
  h = await openLinking();
  pages = await openPages(h.harness);
  ann = await h.person('ann');
});
afterAll(() => h.close());

const html = async (path: string) => (await pages.get(path, { secret: ann.secret })).text();

test('the page has its servers, and nothing of what staff or Discord know besides', async () => {
  const { guildId } = await h.entry();
  const page = await html('/earn/j4r');
  expect(page).toContain('Server 1');
  expect(page).toContain('https://discord.gg/invite-1');
  for (const hidden of [guildId, h.discord.settings.discord_client_secret, h.discord.settings.discord_api_url])
    expect(page).not.toContain(hidden);
});

test('the kill switch takes the page away, and the way to it', async () => {
  expect(await html('/dashboard')).toContain('href="/earn/j4r"');
  await h.set({ j4r_enabled: false });
  expect((await pages.get('/earn/j4r', { secret: ann.secret })).status).toBe(404);
  expect(await html('/dashboard')).not.toContain('href="/earn/j4r"');
  await h.set({ j4r_enabled: true });
});

test('T37 T33 coming back from Discord changes nothing by itself: the form does', async () => {
  const vlad = h.discord.person('vlad');
  const { code, state } = await h.consented(ann, vlad.id);
  const path = `/account/linked/discord?code=${code}&state=${state}`;
  const page = await html(path);
  expect(page).toContain('Link now');
  expect((await ann.api.linked.get()).discord.identity).toBeNull();
  const sent = await pages.post(path, { code, state }, { secret: ann.secret });
  expect([sent.status, sent.headers.get('location')]).toEqual([302, '/account?tab=linked']);
  expect(await html('/account?tab=linked')).toContain('vlad');
});

test('T41 what comes back in the address never becomes markup', async () => {
  const page = await html(
    '/account/linked/discord?code=%3C/script%3E%3Cscript%3Ealert(1)%3C/script%3E&state=%22%3E%3Cimg%20src=x%3E',
  );
  expect(page).not.toContain('<script>alert(1)');
  expect(page).not.toContain('<img src=x>');
});
