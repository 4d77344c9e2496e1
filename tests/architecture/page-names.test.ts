import { expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/');
const { PLAYER_PAGES } = await import('#client/app/screens.ts');
const { STAFF_PAGES } = await import('#client/app/staff-routes.ts');
const { ROUTE_LIST } = await import('#shared/routes/table.ts');

/**
 * Pages of a plugin have the names that it gives them, which the screen's data does not have; the page that deletes an
 * image for a program asks for nothing about it; what somebody reported has no name.
 */
const UNNAMED = new Set(['plugin', 'images.delete', 'images.report.state']);

test("Screen 14 every page that is about one thing names it in the document's title", async () => {
  const about = ROUTE_LIST.filter(({ path, id }) => path.includes(':') && !UNNAMED.has(id));
  expect(about.length).toBeGreaterThan(20);
  const screens = { ...PLAYER_PAGES.screens, ...STAFF_PAGES.screens };
  const missing: string[] = [];
  for (const { id } of about) if (typeof (await screens[id]?.())?.pageName !== 'function') missing.push(id);
  expect(missing).toEqual([]);
});
