import type { Page } from '@playwright/test';
import { accessible, DESKTOP, expect, openVisitor, overflowOf, test } from './fixtures.ts';

/** A page of the guide, one with a table, a part, a call with its example, and what a search finds. */
const PAGES = ['', '/errors', '/plugins', '/servers', '/servers.create', '?q=servers'] as const;
const WIDTHS = [1440, 768, 360] as const;
/** Where axe looks: between the two a page is one of them, wider or narrower. */
const AXE_WIDTHS: readonly number[] = [1440, 360];

/** Its pages have no scripts but one that copies, so nothing has to be waited for but the page. */
async function look(page: Page, path: string): Promise<void> {
  expect((await page.goto(`/docs/api${path}`))?.status(), path).toBe(200);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    expect(await overflowOf(page), `${path}: nothing sticks out sideways at ${width} px`).toBeLessThanOrEqual(0);
    if (AXE_WIDTHS.includes(width)) await accessible(page, `${path} at ${width} px`);
  }
}

/** For those who write programs, without an account. */
test('the reference of the API is whole at three widths, in both themes', async ({ browser, host }) => {
  test.setTimeout(240_000);
  for (const theme of ['dark', 'light'] as const) {
    const { context, page, complaints } = await openVisitor(browser, host, { ...DESKTOP, theme } as typeof DESKTOP);
    for (const path of PAGES) await look(page, path);
    expect(complaints).toEqual([]);
    await context.close();
  }
});
