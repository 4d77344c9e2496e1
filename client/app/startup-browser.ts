import { journal } from '#client/lib/journal.ts';
import type { PluginRegistry } from '#client/lib/plugins.ts';
import { accessIssues } from '#shared/access.ts';
import { showApplicationError } from './application-error.ts';
import type { Boot } from './boot.ts';
import { runStartup } from './startup.ts';
import type { TextStore } from './texts.ts';

/** The boot data that the start-up reads. */
export type StartBoot = Pick<
  Boot,
  'build' | 'settings' | 'locale' | 'startTexts' | 'timeZone' | 'ads' | 'plugins' | 'safe' | 'local'
>;

/** The application before it is mounted. */
export interface RunningApp {
  readonly texts: Pick<TextStore, 'loadFallback'>;
  /** Null where the page has no plugins. */
  readonly plugins: PluginRegistry | null;
  /** Hydrates the page. In: a callback for errors that React cannot handle. */
  mount(onFatalError: (error: unknown) => void): void;
}

/** The start-up order (startup.ts) in a browser. In: the boot data, and the application's factory. */
export function startInBrowser(boot: StartBoot, createApp: () => Promise<RunningApp>): Promise<void> {
  const product = String(boot.settings.app_name ?? '');
  // Requested at once, used at its step.
  const ads = boot.ads ? import('./ads.ts') : null;
  const code = ads ? ads.then(({ fetchAdCode }) => fetchAdCode()) : Promise.resolve('');
  code.catch(() => undefined);
  const warn = (text: string, error?: unknown) => {
    // oxlint-disable-next-line no-console -- the specification, section 4, asks for it
    console.warn(text, ...(error === undefined ? [] : [error]));
  };
  const reportError = (text: string, error: unknown) => {
    // oxlint-disable-next-line no-console -- the specification, section 8, asks for it
    console.error(text, error);
  };
  const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const onFatalError = (error: unknown) => {
    reportError('the application could not be mounted', error);
    showApplicationError(boot);
  };
  return runStartup<RunningApp>(
    {
      nowMs: () => performance.now(),
      wait,
      note: (text) => journal.line('start', text),
      warn,
      reportError,
      customAssets: async () => {
        const assets = [...document.querySelectorAll<HTMLLinkElement | HTMLScriptElement>('[data-custom]')];
        const results = await Promise.all(assets.map((element) => waitForAsset(element, warn)));
        return results.join(', ') || (boot.safe ? 'safe mode' : 'none');
      },
      accessIssues: () => (boot.local ? [] : accessIssues(location)),
      block: async (issues) => (await import('./overlay.tsx')).showOverlay(boot, product, issues),
      createApp,
      locale: async ({ texts }) => {
        void loadEnglish(texts);
        return boot.locale;
      },
      plugins: async ({ plugins }) => {
        if (!plugins) return 'none';
        const { loadPlugins } = await import('./plugins.ts');
        return String(await loadPlugins(boot.plugins, plugins, { load: (url) => import(url), wait, reportError }));
      },
      fetchAdCode: () => code,
      showAds: (client) => void ads?.then(({ showAds }) => showAds(client, warn)),
      nextFrame: (run) => void requestAnimationFrame(run),
      mount: (app) => app.mount(onFatalError),
      onFatalError,
    },
    product,
  );
}

/** Loads English as the fallback of the saved language. Nothing waits for it: every language has every text. */
async function loadEnglish(texts: RunningApp['texts']): Promise<void> {
  const began = performance.now();
  if (await texts.loadFallback())
    journal.line('start', `English behind it: ${Math.round(performance.now() - began)} ms`);
}

/**
 * Waits until the host's stylesheet or script, which the document loads, has loaded or failed. Out: the outcome as
 * text.
 */
async function waitForAsset(
  element: HTMLLinkElement | HTMLScriptElement,
  warn: (text: string) => void,
): Promise<string> {
  const name = element.dataset.custom ?? '';
  const [url, here] =
    element instanceof HTMLLinkElement ? [element.href, element.sheet !== null] : [element.src, false];
  const [past] = performance.getEntriesByName(url) as PerformanceResourceTiming[];
  const fine =
    here ||
    (past
      ? past.responseStatus < 400
      : await new Promise<boolean>((resolve) => {
          element.addEventListener('load', () => resolve(true), { once: true });
          element.addEventListener('error', () => resolve(false), { once: true });
        }));
  if (!fine) warn(`${name} could not be loaded`);
  return fine ? name : `${name} failed`;
}
