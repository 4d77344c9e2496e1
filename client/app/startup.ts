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

/** The parts of the start-up, so that their order can be tested without a browser. */
export interface StartupPorts<App> {
  /** Milliseconds by a steady clock. */
  nowMs(): number;
  wait(ms: number): Promise<void>;
  /** A line of the journal: what the Console tab of the debug panel shows. */
  note(text: string): void;
  /** A warning or an error in the browser's console. */
  warn(text: string, error?: unknown): void;
  reportError(text: string, error: unknown): void;
  /** Waits for the host's stylesheet and script. Out: the outcome of each. */
  customAssets(): Promise<string>;
  /** What is wrong with the address the page was opened at. */
  accessIssues(): readonly AccessIssue[];
  /** Replaces the page with the blocking overlay. */
  block(issues: readonly AccessIssue[]): Promise<void>;
  /** Creates stores, router and the first screens. */
  createApp(): Promise<App>;
  /** Loads the saved language, and English as its fallback. Out: which. */
  locale(app: App): Promise<string>;
  /** Registers plugins. Out: how many. */
  plugins(app: App): Promise<string>;
  /** The ad client code; empty where the host shows no ads. Rejects when it cannot be had. */
  fetchAdCode(): Promise<string>;
  showAds(code: string): void;
  nextFrame(run: () => void): void;
  /** Hydrates the page. */
  mount(app: App): void;
  /** Replaces the page with the Application Error page. */
  onFatalError(error: unknown): void;
}

/** Thrown when the page was opened at a wrong address (specification, section 8). */
export class AccessError extends Error {
  constructor(product: string) {
    super(`${product} cannot be used on HTTP, IP or port access.`);
    this.name = 'AccessError';
  }
}

/** How long the page waits, in ms, for what may also come later, before it goes on without. */
export const STARTUP_TIMEOUTS_MS = { assets: 500, plugins: 1000, ads: 50 } as const;
const STILL_PENDING = 'still on its way';

/**
 * Starts the application in the order of the specification (section 2), every step logged with its time. What takes
 * long is requested early, so that the order costs nothing. Failures as in sections 4 and 8: without ads, a plugin or a
 * language the application goes on; a wrong address blocks the page and throws AccessError; anything that prevents
 * mounting leads to the Application Error page.
 */
export async function runStartup<App>(ports: StartupPorts<App>, product: string): Promise<void> {
  const note = (step: Step, began: number, detail: string) =>
    ports.note(`${step}: ${Math.round(ports.nowMs() - began)} ms${detail ? ` (${detail})` : ''}`);
  /** Runs a step that may fail or be late: either is reported, and the next step runs. */
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

/** Shows ads if the host has an ad client code. */
async function ads<App>(ports: StartupPorts<App>): Promise<string> {
  const code = (await ports.fetchAdCode()).trim();
  // Both mean that there are none.
  if (code === '' || code === 'null') return 'none';
  ports.showAds(code);
  return 'shown';
}
