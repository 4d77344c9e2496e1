import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/dashboard');
const { default: startup } = await import('#locales/en/startup.json');
const { default: german } = await import('#locales/de/startup.json');
const { createStore } = await import('#client/lib/store.ts');
const { journal } = await import('#client/lib/journal.ts');
const { showApplicationError } = await import('./application-error.ts');
const { startInBrowser } = await import('./startup-browser.ts');
import type { RunningApp, StartBoot } from './startup-browser.ts';

const boot = (change: Partial<StartBoot> = {}): StartBoot => ({
  build: 'b1',
  settings: { app_name: 'Spawnpoint' },
  locale: 'en',
  startTexts: startup,
  timeZone: 'UTC',
  ads: false,
  plugins: [],
  safe: null,
  local: false,
  ...change,
});
const texts = { loadFallback: async () => false };
const app = (mount: RunningApp['mount'] = () => undefined): RunningApp => ({ texts, plugins: null, mount });
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const realFetch = globalThis.fetch;

beforeEach(() => {
  journal.clear('lines');
  document.head.replaceChildren();
  document.body.innerHTML = '<div id="root">page</div>';
});
afterEach(() => {
  globalThis.fetch = realFetch;
});
function answer(response: () => Response): void {
  globalThis.fetch = Object.assign(async () => response(), { preconnect: realFetch.preconnect });
}

describe('the start in a browser', () => {
  test('S2.1 the start writes every step into the journal, from which the Console tab reads', async () => {
    let mounted = 0;
    await startInBrowser(boot(), async () => app(() => void (mounted += 1)));
    await frame();
    expect(mounted).toBe(1);
    const lines = journal
      .lines()
      .filter(({ level }) => level === 'start')
      .map(({ text }) => text.replace(/\d+ ms/, 'n ms'))
      .toReversed();
    expect(lines).toEqual([
      'custom assets: n ms (none)',
      'access check: n ms',
      'app creation: n ms',
      'locale: n ms (en)',
      'plugins: n ms (none)',
      'ad client code: n ms (none)',
      'mount: n ms',
    ]);
  });

  test("S7.2 S7.3 the start waits for the host's stylesheet and script, and reports one that fails", async () => {
    expectConsole(/custom\.js could not be loaded/);
    document.head.innerHTML = '<meta data-custom="custom.css"><meta data-custom="custom.js">';
    const assets = [...document.querySelectorAll('meta')];
    let mounted = false;
    const started = startInBrowser(boot(), async () => app(() => void (mounted = true)));
    assets[0]?.dispatchEvent(new Event('load'));
    assets[1]?.dispatchEvent(new Event('error'));
    await started;
    await frame();
    expect(mounted).toBe(true);
    expect(journal.lines().some(({ text }) => text.includes('(custom.css, custom.js failed)'))).toBe(true);
  });

  test('S7.4 the start asks for the ad client code and loads the script of page-level ads with it', async () => {
    // This DOM loads no scripts, and says so.
    expectConsole(/Failed to load script "https:\/\/pagead2/);
    expectConsole(/ads skipped: their script could not be loaded/);
    answer(() => new Response(' ca-pub-1234567890123456\n'));
    await startInBrowser(boot({ ads: true }), async () => app());
    const script = document.head.querySelector('script');
    expect(script?.getAttribute('src')).toBe(
      'https://pagead2.googlesyndication.com/pagead/js/adsbygoogle.js?client=ca-pub-1234567890123456',
    );
    expect(script?.async).toBe(true);
    script?.dispatchEvent(new Event('error'));
  });

  test('S4.13 S7.4 an answer that is not OK is logged, ads are skipped and the page starts', async () => {
    expectConsole(/ads skipped: the ad client code is unavailable.*status 500/s);
    answer(() => new Response('x', { status: 500 }));
    let mounted = false;
    await startInBrowser(boot({ ads: true }), async () => app(() => void (mounted = true)));
    await frame();
    expect([mounted, document.head.querySelector('script')]).toEqual([true, null]);
  });

  test('S4.14 S8.9 a plugin that fails is logged, and the page starts', async () => {
    expectConsole(/plugin \/plugins\/none\.js failed/);
    let mounted = false;
    await startInBrowser(boot({ plugins: ['/plugins/none.js'] }), async () => ({
      ...app(() => void (mounted = true)),
      plugins: createStore([]),
    }));
    await frame();
    expect(mounted).toBe(true);
    expect(journal.lines().some(({ text }) => /^plugins: .*\(0\)/.test(text))).toBe(true);
  });

  test('S2.3 S4.15 a page that cannot be mounted is replaced by Application Error, as specified', async () => {
    expectConsole(/the application could not be mounted/);
    await startInBrowser(boot(), async () =>
      app(() => {
        throw new Error('broken');
      }),
    );
    await frame();
    expect(document.querySelector('#root')).toBeNull();
    expect(document.querySelector('h1')?.textContent).toBe('Application Error');
    expect(document.querySelector('p')?.textContent).toBe(
      'Sorry, something went wrong. Please try refreshing the page.',
    );
    expect(document.title).toBe('Application Error');
    expect(document.activeElement?.tagName).toBe('H1');
  });

  test('S4.15 an error that React cannot handle leads there as well', async () => {
    expectConsole(/the application could not be mounted/);
    await startInBrowser(boot(), async () => app((onFatalError) => onFatalError(new Error('uncaught'))));
    await frame();
    expect(document.querySelector('h1')?.textContent).toBe('Application Error');
  });

  test('S2.3 the start speaks the language of the page', () => {
    showApplicationError(boot({ startTexts: german }));
    expect(document.querySelector('h1')?.textContent).toBe('Anwendungsfehler');
    expect(document.querySelector('button')?.textContent).toBe('Seite neu laden');
  });
});
