import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';
import { pngOf } from '#tests/support/pictures.ts';

// Shows attacks T41 for the short texts that people name things with. Long texts: tests/support/xss.ts.

/** A mark that no page has of itself, in the ways in which a text leaves an element, an attribute, a script and a head. */
const MARK = 'top.hit';
const NAME = `"><b onclick=${MARK}>'</title></script>`;

let harness: Harness;
let pages: Pages;
let owner: Person;
let player: Person;
beforeAll(async () => {
  harness = await openHarness();
  pages = await openPages(harness);
  owner = await harness.person('owner', { permissions: ['admin.root'] });
  player = await harness.person('mirela', { credits: 10 });
  await harness.set({ image_hosting_enabled: true, announcements_public: true, redirect_link_notice: true });
});
afterAll(() => harness.close());

/** What stands in a page as markup that was given as a text. */
async function faultsOn(path: string, who?: Person): Promise<readonly string[]> {
  const answer = await pages.get(path, who ? { secret: who.secret } : {});
  const html = await answer.text();
  expect([path, answer.status]).toEqual([path, 200]);
  expect(html, `${path} shows it`).toContain(MARK);
  return [`<b onclick=${MARK}`, `'</title></script>`].filter((raw) => html.includes(raw));
}

test('T41 names of departments, subjects, links, pictures, cards and tags are texts wherever they are shown', async () => {
  const kept = { position: 0, enabled: true };
  const { id: department } = await owner.api.adminDepartments.create({
    body: { ...kept, name: NAME, description: NAME, hours: NAME },
  });
  await owner.api.adminCannedReplies.create({ body: { ...kept, name: NAME, text: NAME } });
  await owner.api.adminRedirectLinks.create({
    body: {
      ...kept,
      name: NAME,
      slug: 'shop',
      target: `https://shop.example.org/?q=${encodeURIComponent(NAME)}`,
      note: NAME,
      audience: 'everyone',
      menu: 'community',
      icon: 'link',
    },
  });
  const { id: ticket } = await player.api.tickets.create({
    body: { department, priority: 'normal', subject: NAME, text: NAME },
  });
  await owner.api.adminTickets.update({ params: { id: ticket }, body: { tags: [NAME.slice(0, 30)] } });
  const { image } = await player.api.images.upload({
    query: { name: NAME, upload: crypto.randomUUID() },
    body: pngOf(20),
  });
  await player.api.images.setEmbed({
    body: { enabled: true, title: NAME, description: NAME, author: NAME, color: '' },
  });
  await owner.api.adminImages.create({ query: { name: NAME }, body: pngOf(20) });

  const found: [string, readonly string[]][] = [];
  for (const [path, who] of [
    ['/ticket', player],
    ['/ticket/create', player],
    [`/ticket/${ticket}`, player],
    // The menu has the link on every page.
    ['/dashboard', player],
    ['/images', player],
    ['/images/config', player],
    [`/i/${image.id}`],
    ['/go/shop'],
    ['/mc-admin/tickets', owner],
    [`/mc-admin/tickets/${ticket}`, owner],
    ['/mc-admin/departments', owner],
    ['/mc-admin/canned-replies', owner],
    ['/mc-admin/redirect-links', owner],
    ['/mc-admin/images', owner],
  ] as const)
    found.push([path, await faultsOn(path, who)]);
  expect(found.filter(([, faults]) => faults.length > 0)).toEqual([]);
});
