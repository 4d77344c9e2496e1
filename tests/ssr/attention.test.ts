import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { ApiTransport } from '#server/http/transport.ts';
import type { Permission } from '#shared/permissions.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';
import { openPayWorld, type PayWorld } from '#tests/support/payments.ts';

// Shows behaviour 8.2 and screen 9: the navigation of staff counts from the first byte, and no page waits for that.

setDefaultTimeout(300_000);

let world: PayWorld;
let pages: Pages;
beforeAll(async () => {
  world = await openPayWorld('sqlite');
  pages = await openPages(world.harness);
  await world.order('manual');
});
afterAll(() => world.close());

/** A page of staff as the server sends it to a new user with some permissions. */
async function sent(path: string, permissions: readonly Permission[], through = pages): Promise<string> {
  const { secret } = await world.harness.person(`staff${users++}`, { permissions: [...permissions] });
  const response = await through.get(path, { secret });
  expect(response.status).toBe(200);
  return response.text();
}
let users = 0;
/** What the navigation counts at the payments in a page; null: nothing. */
const countOf = (html: string): string | null =>
  /href="\/mc-admin\/payments"(?:(?!<\/a>).)*class="sp-nav__n"[^>]*>([^<]+)</s.exec(html)?.[1] ?? null;

test('every page of staff has the counts of the navigation from the first byte', async () => {
  for (const path of ['/mc-admin', '/mc-admin/settings', '/mc-admin/payments'])
    expect([path, countOf(await sent(path, ['admin.root']))]).toEqual([path, '1']);
});

test('the navigation counts nothing for staff without the overview, whose pages are there all the same', async () => {
  expect(countOf(await sent('/mc-admin/payments', ['admin.payments.list']))).toBeNull();
});

test('a page of staff does not wait for counts that do not come', async () => {
  const { transport } = world.harness;
  const hanging: ApiTransport = {
    ...transport,
    fetcher: (...caller) => {
      const send = transport.fetcher(...caller);
      return (path, init) => (path === '/api/admin/attention' ? new Promise(() => undefined) : send(path, init));
    },
  };
  const html = await sent('/mc-admin/settings', ['admin.root'], await openPages(world.harness, { transport: hanging }));
  expect(html).toContain('href="/mc-admin/payments"');
  expect(countOf(html)).toBeNull();
});
