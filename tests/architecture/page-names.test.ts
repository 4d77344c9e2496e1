import { expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/');
const { SCREENS } = await import('#client/app/screens.ts');
const { ROUTE_LIST } = await import('#shared/routes/table.ts');

/** Its pages have the names their plugin gives them, which the screen's data does not have. */
const UNNAMED = new Set(['plugin']);

test("Screen 14 every page that is about one thing names it in the document's title", async () => {
  const about = ROUTE_LIST.filter(({ path, id }) => path.includes(':') && !UNNAMED.has(id));
  expect(about.length).toBeGreaterThan(20);
  const missing: string[] = [];
  for (const { id } of about) if (typeof (await SCREENS[id]()).pageName !== 'function') missing.push(id);
  expect(missing).toEqual([]);
});
