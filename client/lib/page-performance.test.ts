import { expect, test } from 'bun:test';
import { STORAGE } from '#shared/constants.ts';
import { UI_DEFAULTS } from '#shared/ui-settings.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/');

/** The module as a page has it that has just been opened. */
async function opened(kept: string | null) {
  localStorage.clear();
  if (kept !== null) localStorage.setItem(STORAGE.ui, kept);
  return import(`./page-performance.ts?kept=${encodeURIComponent(String(kept))}`) as Promise<
    typeof import('./page-performance.ts')
  >;
}

test('S9.10 the defaults are those of the table of settings', async () => {
  const { DEFAULT_PERFORMANCE, pagePerformance } = await opened(null);
  expect(UI_DEFAULTS.performance).toMatchObject(DEFAULT_PERFORMANCE);
  expect(pagePerformance()).toEqual(DEFAULT_PERFORMANCE);
});

test('what is switched off is off before the store of the settings has come', async () => {
  const { pagePerformance } = await opened('{"performance":{"caching":false,"preloading":false}}');
  expect(pagePerformance()).toEqual({ caching: false, preloading: false, frameRateLimit: 75 });
});

test.each(['{', 'null', '{"performance":null}', '[]', '{"performance":{"caching":"no"}}'])(
  'an unreadable value counts as absent: %s',
  async (kept) => {
    const { DEFAULT_PERFORMANCE, pagePerformance } = await opened(kept);
    expect(pagePerformance()).toEqual(DEFAULT_PERFORMANCE);
  },
);

test('the settings store takes precedence', async () => {
  const { pagePerformance, setPagePerformance } = await opened('{"performance":{"caching":false}}');
  setPagePerformance({ ...UI_DEFAULTS.performance, frameRateLimit: 30 });
  expect(pagePerformance()).toMatchObject({ caching: true, frameRateLimit: 30 });
});
