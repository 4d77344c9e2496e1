import { afterAll, beforeAll, expect, test } from 'bun:test';
import { pictureUrl } from '#shared/picture-url.ts';
import { MINUTE } from '#shared/time.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';
import { pngOf } from '#tests/support/pictures.ts';

// Shows behaviour 7.4.

let harness: Harness;
let pages: Pages;
let staff: Person;
beforeAll(async () => {
  harness = await openHarness();
  pages = await openPages(harness);
  staff = await harness.person('oana', { permissions: ['admin.root'] });
  await harness.set({ announcements_public: true });
});
afterAll(() => harness.close());

async function add(body: string, picture = '', pinned = false): Promise<string> {
  const { id } = await staff.api.adminAnnouncements.create({
    body: {
      texts: [{ locale: 'en', title: 'Winter & "contest"', summary: 'Build <b>until</b> December.', body }],
      tags: [],
      picture,
      audience: 'everyone',
      targets: [],
      pinned,
      urgent: true,
      notifies: false,
      publish_at: 'now',
      end_at: null,
    },
  });
  return id;
}
const htmlOf = async (path: string, secret?: string) =>
  (await pages.get(path, secret === undefined ? {} : { secret })).text();

test('the public page of an announcement says to other services what it is about', async () => {
  const { id: picture } = await staff.api.adminAnnouncements.addPicture({ body: pngOf(300, 100) });
  const id = await add('Soon.', picture);
  const html = await htmlOf(`/news/${id}`);
  expect(html).toContain('<meta property="og:title" content="Winter &amp; &quot;contest&quot;"/>');
  expect(html).toContain('<meta property="og:description" content="Build &lt;b&gt;until&lt;/b&gt; December."/>');
  expect(html).toContain(`content="https://panel.example.com${pictureUrl(picture, 'link')}"`);
  expect(await htmlOf('/news')).toContain('type="application/atom+xml"');
});

test('the newest of several pinned announcements is large, and the others stand first among the rest', async () => {
  const player = await harness.person('rosa');
  const made: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    harness.clock.advance(MINUTE);
    made.push(await add('Soon.', '', count < 2));
  }
  const html = await htmlOf('/announcements', player.secret);
  expect(html.match(/data-wide="true"/g)).toHaveLength(1);
  const shown = [...html.matchAll(/<article[^>]*>.*?href="\/announcements\/([\w-]{36})"/gs)].map(([, id]) => id);
  expect(shown.slice(0, 3)).toEqual([made[1], made[0], made[2]]);
});

test('T41 nothing of a text, a title or a summary is markup, on the board, in a banner or on the public page', async () => {
  const id = await add('<script>alert(1)</script> [x](javascript:alert(1)) ![y](https://evil.example/y.png)');
  const player = await harness.person('mirela');
  const found = [
    await htmlOf(`/announcements/${id}`, player.secret),
    await htmlOf('/announcements', player.secret),
    await htmlOf(`/news/${id}`),
  ];
  for (const html of found) {
    expect(html).not.toMatch(/<script>alert|href="javascript|<b>until|src="https:\/\/evil/);
    expect(html).toContain('Winter &amp; &quot;contest&quot;');
  }
  // The banner stands over every page of a player.
  expect(await htmlOf('/account', player.secret)).toContain('Winter &amp; &quot;contest&quot;');
});
