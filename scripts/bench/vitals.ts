import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from '@playwright/test';
import { href } from '#shared/routes/href.ts';
import { inFolder } from './folder.ts';
import { freePort, startServer } from './processes.ts';
import { boundFigure, median, plainFigure, type Figure } from './report.ts';
import { addPlayers, openWorld } from './installation.ts';

const BINARY = join(import.meta.dir, '../../dist/spawnpoint');
const RUNS = 3;
/**
 * A phone of the middle class on a slow line, as Lighthouse plays it: a quarter of this processor; 1.6 Mbit/s down, 750
 * kbit/s up, 150 ms.
 */
const SLOWER = 4;
const LINE = { offline: false, latency: 150, downloadThroughput: (1.6 * 1_000_000) / 8, uploadThroughput: 750_000 / 8 };
const PHONE = {
  viewport: { width: 360, height: 740 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
  userAgent:
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
} as const;
/** The page has come to rest when nothing was loaded and nothing long was computed for so long. */
const QUIET_MS = 1500;
/** A task blocks for what it takes beyond this. */
const SHORT_TASK_MS = 50;

/** What the page's own observers have seen. Times in ms from the start of the navigation. */
interface Seen {
  readonly firstPaint: number;
  readonly largestPaint: number;
  readonly shift: number;
  readonly longTasks: readonly { readonly start: number; readonly ms: number }[];
}
interface Vitals {
  readonly largestPaint: number;
  readonly blocking: number;
  readonly shift: number;
}

/**
 * Figure f: what a visitor on a phone waits for, in Chromium with an empty cache against the built binary: the largest
 * paint, how long the page is blocked after the first one, and how much of it jumps. Medians; of the jumping the worst,
 * which alone has a goal, because it does not depend on the machine.
 */
export function vitalFigures(): Promise<Figure[]> {
  if (!existsSync(BINARY)) throw new Error('dist/spawnpoint is missing: run `bun run build`');
  return inFolder(async (folder) => {
    const world = await openWorld(folder);
    const [cookies = ''] = await addPlayers(world.host, 1, 4);
    await world.close();
    const port = await freePort();
    const server = await startServer(
      [BINARY, 'serve', '--local'],
      { DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'warn' },
      port,
      '/healthz',
    );
    const browser = await openBrowser();
    try {
      const origin = `http://127.0.0.1:${port}`;
      const login = await runs(browser, `${origin}${href('auth.login')}`, '');
      const dashboard = await runs(browser, `${origin}${href('dashboard')}`, cookies);
      return [...figures('login', login), ...figures('dashboard', dashboard)];
    } finally {
      await browser.close();
      await server.stop();
    }
  });
}

function openBrowser(): Promise<Browser> {
  const path =
    process.env.CHROMIUM_PATH ??
    Bun.which('chromium-headless-shell') ??
    Bun.which('chromium') ??
    Bun.which('chromium-browser') ??
    Bun.which('google-chrome');
  if (!path)
    throw new Error(
      'Chromium is missing: install it, name it in CHROMIUM_PATH, or leave this part out with --only a,b,c,d,e',
    );
  return chromium.launch({
    executablePath: path,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Several visits, each with a browser that knows nothing; the first one warms the server up and is not counted. */
async function runs(browser: Browser, url: string, cookies: string): Promise<Vitals[]> {
  const found: Vitals[] = [];
  for (let run = 0; run <= RUNS; run += 1) {
    const vitals = await visit(browser, url, cookies);
    if (run > 0) found.push(vitals);
  }
  return found;
}

async function visit(browser: Browser, url: string, cookies: string): Promise<Vitals> {
  const context = await browser.newContext(PHONE);
  try {
    const list = cookies
      .split('; ')
      .filter(Boolean)
      .map((pair) => pair.split('=') as [string, string]);
    // Secure, as their names demand; the browser sends such cookies to its own machine.
    await context.addCookies(
      list.map(([name, value]) => ({
        name,
        value,
        url: url.replace('http:', 'https:'),
        secure: name.startsWith('__Host-'),
      })),
    );
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', LINE);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    await page.addInitScript(observe);
    const answer = await page.goto(url);
    if (answer?.status() !== 200 || new URL(page.url()).pathname !== new URL(url).pathname)
      throw new Error(`${url} answered ${answer?.status()} and led to ${page.url()}`);
    return vitalsOf(await atRest(page));
  } finally {
    await context.close();
  }
}

/** Waits until the page is hydrated, loads nothing more and has been quiet. Out: what its observers saw. */
async function atRest(page: Page): Promise<Seen> {
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  await page.waitForLoadState('networkidle');
  for (let look = 0; look < 20; look += 1) {
    const before = await page.evaluate(seen);
    await Bun.sleep(QUIET_MS);
    const after = await page.evaluate(seen);
    if (JSON.stringify(before) === JSON.stringify(after)) return after;
  }
  throw new Error(`${page.url()} does not come to rest`);
}

/** Runs in the page, before everything else. */
function observe(): void {
  const found = { firstPaint: 0, largestPaint: 0, shift: 0, longTasks: [] as { start: number; ms: number }[] };
  Object.assign(globalThis, { benchSeen: found });
  const on = (type: string, note: (entry: PerformanceEntry & { value?: number; hadRecentInput?: boolean }) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  on('paint', (entry) => {
    if (entry.name === 'first-contentful-paint') found.firstPaint = entry.startTime;
  });
  on('largest-contentful-paint', (entry) => (found.largestPaint = entry.startTime));
  on('longtask', (entry) => found.longTasks.push({ start: entry.startTime, ms: entry.duration }));
  on('layout-shift', (entry) => (found.shift += entry.hadRecentInput ? 0 : (entry.value ?? 0)));
}

/** Runs in the page. */
function seen(): Seen {
  return (globalThis as typeof globalThis & { benchSeen: Seen }).benchSeen;
}

function vitalsOf({ firstPaint, largestPaint, shift, longTasks }: Seen): Vitals {
  if (firstPaint === 0 || largestPaint === 0) throw new Error('the page painted nothing');
  // Of a task that is under way at the first paint, what comes after it.
  const blocking = longTasks.map(({ start, ms }) => Math.max(0, Math.min(ms, start + ms - firstPaint) - SHORT_TASK_MS));
  return { largestPaint, blocking: blocking.reduce((sum, ms) => sum + ms, 0), shift };
}

function figures(page: string, found: readonly Vitals[]): Figure[] {
  const of = (read: (vitals: Vitals) => number) => median(found.map(read));
  return [
    plainFigure(
      `f.${page}.paint`,
      of(({ largestPaint }) => largestPaint),
      'ms',
    ),
    plainFigure(
      `f.${page}.blocking`,
      of(({ blocking }) => blocking),
      'ms',
    ),
    boundFigure(`f.${page}.shift`, Math.max(...found.map(({ shift }) => shift)), 'score', 0),
  ];
}
