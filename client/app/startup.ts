import type { AccessIssue } from '#shared/access.ts';

/** Steps of the start-up, in their order (specification, section 2). */
export const STEPS = [
  'custom assets',
  'access check',
  'app creation',
  'locale',
  'plugins',
  'ad client code',
  'mount',
] as const;
type Step = (typeof STEPS)[number];

/** What the start-up does, each part by one function, so that the order can be tested without a browser. */
export interface StartupPorts<App> {
  /** Milliseconds by a steady clock. */
  nowMs(): number;
  wait(ms: number): Promise<void>;
  /** A line of the journal: what the Console tab of the debug panel shows. */
  note(text: string): void;
  /** A warning or an error in the browser's console. */
  warn(text: string, error?: unknown): void;
  reportError(text: string, error: unknown): void;
  /** Waits for the host's stylesheet and script. Out: how it went with each. */
  customAssets(): Promise<string>;
  /** What is wrong with the way the page was reached. */
  accessIssues(): readonly AccessIssue[];
  /** Puts the blocking overlay in the place of the page. */
  block(issues: readonly AccessIssue[]): Promise<void>;
  /** Stores, router and the screens that are to be seen. */
  createApp(): Promise<App>;
  /** The saved language, and English behind it. Out: which. */
  locale(app: App): Promise<string>;
  /** Registers plugins. Out: how many. */
  plugins(app: App): Promise<string>;
  /** The ad client code; empty where the host shows no ads. Rejects when it cannot be had. */
  adCode(): Promise<string>;
  showAds(code: string): void;
  nextFrame(run: () => void): void;
  /** Hydrates the page. */
  mount(app: App): void;
  /** Puts the Application Error page in the place of the page. */
  onFatalError(error: unknown): void;
}

/** Thrown when the page was reached by the wrong way (specification, section 8). */
export class AccessError extends Error {
  constructor(product: string) {
    super(`${product} cannot be used on HTTP, IP or port access.`);
    this.name = 'AccessError';
  }
}

/**
 * How long the page waits, in ms, for what may also come later: then it goes on without. Nothing is waited for where
 * the host added nothing.
 */
export const STARTUP_TIMEOUTS_MS = { assets: 500, plugins: 1000, ads: 50 } as const;
const STILL_PENDING = 'still on its way';

/**
 * Starts the application in the order of the specification (section 2), every step noted with its time. What takes long
 * is asked for by the document itself or before its turn, so that the order costs nothing. Failures as in sections 4
 * and 8: without ads, a plugin or a language the application goes on; the wrong way of access blocks the page and
 * throws AccessError; whatever keeps the application from being mounted leads to the Application Error page.
 */
export async function runStartup<App>(ports: StartupPorts<App>, product: string): Promise<void> {
  const note = (step: Step, began: number, detail: string) =>
    ports.note(`${step}: ${Math.round(ports.nowMs() - began)} ms${detail ? ` (${detail})` : ''}`);
  /** A step that may fail, or be late: either is reported, and the next one comes. */
  const runStep = async (
    step: Step,
    run: () => Promise<string>,
    patienceMs: number,
    failed: (error: unknown) => void,
  ) => {
    const began = ports.nowMs();
    const outcome = run().catch((error: unknown) => {
      failed(error);
      return 'failed';
    });
    note(step, began, await Promise.race([outcome, ports.wait(patienceMs).then(() => STILL_PENDING)]));
  };

  await runStep('custom assets', ports.customAssets, STARTUP_TIMEOUTS_MS.assets, (error) =>
    ports.warn('custom assets failed', error),
  );

  let began = ports.nowMs();
  const issues = ports.accessIssues();
  note('access check', began, issues.map(({ code }) => code).join(', '));
  if (issues.length > 0) {
    await ports.block(issues);
    throw new AccessError(product);
  }

  began = ports.nowMs();
  let app: App;
  try {
    app = await ports.createApp();
  } catch (error) {
    ports.onFatalError(error);
    return;
  }
  note('app creation', began, '');
  await runStep(
    'locale',
    () => ports.locale(app),
    STARTUP_TIMEOUTS_MS.ads,
    (error) => ports.reportError('locale not loaded', error),
  );
  await runStep(
    'plugins',
    () => ports.plugins(app),
    STARTUP_TIMEOUTS_MS.plugins,
    (error) => ports.reportError('plugins failed', error),
  );
  await runStep(
    'ad client code',
    () => ads(ports),
    STARTUP_TIMEOUTS_MS.ads,
    (error) => ports.warn('ads skipped: the ad client code is unavailable', error),
  );

  began = ports.nowMs();
  ports.nextFrame(() => {
    try {
      ports.mount(app);
      note('mount', began, '');
    } catch (error) {
      ports.onFatalError(error);
    }
  });
}

/** Shows ads where there is a code for them. */
async function ads<App>(ports: StartupPorts<App>): Promise<string> {
  const code = (await ports.adCode()).trim();
  // Both mean that there are none.
  if (code === '' || code === 'null') return 'none';
  ports.showAds(code);
  return 'shown';
}
