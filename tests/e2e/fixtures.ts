import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test as base, type Browser, type BrowserContext, type Page } from '@playwright/test';
import type * as Axe from 'axe-core';
import { roomyFolder } from '#tests/support/folder.ts';
import { freePort } from '#tests/support/free-port.ts';
import { pngOf } from '#tests/support/pictures.ts';

export interface Installation {
  readonly url: string;
  /** The program, for its other commands. */
  readonly binary: string;
  /** The one-time link of the first owner. */
  readonly setupLink: string;
  readonly dataDir: string;
}

const BINARY = join(import.meta.dirname, '../../dist/spawnpoint');
/** Axe as a script of a page. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type RunningInstallation = Installation & { stop(): Promise<void>; process: ChildProcess; output(): string };

const newFolder = () => mkdtempSync(join(roomyFolder(), 'spawnpoint-e2e-'));

/** Starts the compiled binary, on an empty folder unless one is given, and waits until it says that it is ready. */
export async function install(
  env: Record<string, string> = {},
  args: readonly string[] = ['--local'],
  dataDir = newFolder(),
): Promise<RunningInstallation> {
  const port = await freePort();
  const child = spawn(BINARY, ['serve', ...args], {
    env: { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(() => output).toContain('Spawnpoint is ready');
  const setupLink = /(http:\S+setup=\S+)/.exec(output)?.[1] ?? '';
  return {
    url,
    binary: BINARY,
    setupLink,
    dataDir,
    process: child,
    output: () => output,
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** What a first start leaves in its folder: a worker makes it once, and keeps it until it ends. */
let afterFirstStart: Promise<string> | null = null;

async function startOnce(): Promise<string> {
  const { dataDir, process: first } = await install();
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const gone = new Promise((resolve) => first.once('exit', resolve));
  first.kill('SIGTERM');
  await gone;
  return dataDir;
}

/**
 * Starts an installation that nobody has used, for the second time: the first start, which makes the tables, takes
 * three times as long. It has its owner's link as ever. A story of a first start uses `install`.
 */
export async function installCopy(): Promise<RunningInstallation> {
  const dataDir = newFolder();
  cpSync(await (afterFirstStart ??= startOnce()), dataDir, { recursive: true });
  return install({}, ['--local'], dataDir);
}

const run = promisify(execFile);

/**
 * Changes settings as an operator does while the server runs, and waits until it goes by them: a server reads them anew
 * every second, all at once. The description of the host, which nobody sees on a page, is changed with them and tells.
 */
export async function configure(
  host: Installation,
  values: Readonly<Record<string, string | number | boolean>>,
): Promise<void> {
  const description = `Settings ${crypto.randomUUID()}`;
  // In one command: a service's new address needs its key in the same one.
  const pairs = Object.entries({ ...values, app_description: description }).flatMap(([key, value]) => [
    key,
    String(value),
  ]);
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: host.dataDir };
  await run(host.binary, ['settings', 'set', ...pairs], { env });
  const described = async () =>
    ((await (await fetch(`${host.url}/api/system/settings`)).json()) as { look: { description: string } }).look
      .description;
  await expect.poll(described).toBe(description);
}

/** Everything a page complains of: console errors and warnings, uncaught errors. They fail the test. */
export function watch(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    // The browser itself notes every refused request. A coded refusal is an everyday answer; a fault of the server is
    // not.
    if (/status of 4\d\d/.test(message.text()) && new URL(message.location().url).pathname.startsWith('/api/')) return;
    // Chromium breaks off what it loads when a network of its own machine changes, as when a server starts beside it.
    if (message.text().endsWith('net::ERR_NETWORK_CHANGED')) return;
    // Chromium's own remark on drawing without a graphics card.
    if (/^\[\.WebGL-\w+\]GL Driver Message/.test(message.text())) return;
    if (['error', 'warning'].includes(message.type()))
      complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  return complaints;
}

/**
 * Waits for the animations of a page and for tables that load their rows anew: half faded in or out, a text has little
 * contrast. Animations that never end, or that follow scrolling, are not waited for.
 */
async function waitForStillness(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('.sp-table-wrap[aria-busy="true"]') === null &&
      document
        .getAnimations()
        .every(
          ({ timeline, playState, effect }) =>
            timeline !== document.timeline ||
            playState !== 'running' ||
            effect?.getComputedTiming().endTime === Infinity,
        ),
  );
}

/** What is around the content of every page: bars and the menu. */
const FRAME = ['.sp-topbar', '.sp-bottombar', '.sp-sidebar'];
/** The frames that axe has seen, by page: each as it is in a theme, at a width and with a menu of so many links. */
const framesSeen = new WeakMap<Page, Set<string>>();

/** Whether axe has not yet seen the frame of a page as it is now; from now on it has. */
async function isFrameNew(page: Page): Promise<boolean> {
  const frame = await page.evaluate(
    (selectors) =>
      [
        document.documentElement.dataset.theme,
        window.innerWidth,
        ...selectors.map((each) => document.querySelectorAll(`${each} a, ${each} button`).length),
      ].join(' '),
    FRAME,
  );
  const seen = framesSeen.get(page) ?? new Set<string>();
  const isNew = !seen.has(frame);
  framesSeen.set(page, seen.add(frame));
  return isNew;
}

/**
 * Finds nothing wrong on the page as it stands, by axe's rules. A document is given axe once, and only what it finds
 * wrong is told: the rest took most of the time. The frame is half of that: it is the same on every page, and is looked
 * at when it is met first.
 */
export async function accessible(page: Page, what: string): Promise<void> {
  await waitForStillness(page);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const exclude = (await isFrameNew(page)) ? [] : FRAME;
  const violations = await page.evaluate(async (without) => {
    const { axe } = window as Window & { axe?: typeof Axe };
    if (!axe) throw new Error('the page has lost axe');
    const found = (await axe.run({ exclude: without }, { resultTypes: ['violations'] })).violations;
    return found.map(({ id, nodes }) => ({
      rule: id,
      at: nodes.slice(0, 3).map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary ?? ''}`),
    }));
  }, exclude);
  expect(violations, what).toEqual([]);
}

/** Calls the API as the page does. Throws what it refuses. */
export function call<T>(page: Page, method: string, path: string, body?: unknown): Promise<T> {
  return page.evaluate(
    async ([how, where, sent]) => {
      const headers: Record<string, string> = {
        'Idempotency-Key': crypto.randomUUID(),
        ...(sent === null ? {} : { 'Content-Type': 'application/json' }),
      };
      const response = await fetch(where, { method: how, headers, body: sent });
      const answer = await response.text();
      if (!response.ok) throw new Error(`${how} ${where}: ${response.status} ${answer}`);
      return JSON.parse(answer) as never;
    },
    [method, path, body === undefined ? null : JSON.stringify(body)] as const,
  );
}

/** Waits until the page is hydrated: as long as for an action, unless a time in milliseconds is given. */
export async function ready(page: Page, limit: { timeout?: number } = {}): Promise<void> {
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined, undefined, limit);
}

/** The password of everybody whom tests register. */
export const PASSPHRASE = 'plough lantern meadow seven';

/** What the one-time link of the first owner holds. */
export const setupCode = ({ setupLink }: Installation): string => new URL(setupLink).searchParams.get('setup') ?? '';

/**
 * Registers Mirela Vega under a username, as the owner where the code of the set-up is given; the browser keeps the
 * session.
 */
export async function signUp(page: Page, username: string, setup?: string): Promise<void> {
  await page.goto('/auth/login');
  await call(page, 'POST', '/api/auth/register', {
    username,
    email: `${username}@example.com`,
    password: PASSPHRASE,
    first_name: 'Mirela',
    last_name: 'Vega',
    terms: true,
    ...(setup === undefined ? {} : { setup }),
  });
}

/** Uploads an image as somebody's own (`/api/images`) or for the host's library. Out: its id. */
export function uploadImage(page: Page, path: string): Promise<string> {
  return page.evaluate(
    async ([png, where]) => {
      const body = Uint8Array.from(png);
      const headers = { 'Content-Type': 'application/octet-stream' };
      const address = `${where}?name=spawn-tower.png&upload=${crypto.randomUUID()}`;
      const response = await fetch(address, { method: 'POST', headers, body });
      return ((await response.json()) as { image: { id: string } }).image.id;
    },
    [Array.from(pngOf(64)), path] as const,
  );
}

/** By how many pixels a page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/**
 * Nothing is wrong with a page as it stands: it is hydrated, axe finds nothing, nothing sticks out sideways, and
 * nothing was complained of (`watch`).
 */
export async function expectWhole(page: Page, complaints: readonly string[], what: string): Promise<void> {
  await ready(page);
  await accessible(page, what);
  expect(await overflowOf(page), `${what}: nothing sticks out sideways`).toBeLessThanOrEqual(0);
  expect(complaints, what).toEqual([]);
}

/**
 * The two windows that stories are told in. Each is told in one of them: on a phone what players do there, on a desktop
 * what staff do. A step is seen in both where it is another one at another width: menus, drawers, tables that turn into
 * cards. How each page is at each width, the test of all routes sees (decision 073).
 */
export const DESKTOP = { viewport: { width: 1440, height: 900 }, theme: 'dark' } as const;
export const PHONE = { viewport: { width: 360, height: 740 }, theme: 'light' } as const;
export type Size = typeof DESKTOP | typeof PHONE;

export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: string[];
  /** Finds nothing wrong with the page as it stands (`expectWhole`). */
  seen(what: string): Promise<void>;
}

/** Opens a browser of its own, with its own cookies, in a window of a size and in a theme. */
export async function openVisitor(browser: Browser, host: Installation, { viewport, theme }: Size): Promise<Visitor> {
  const context = await browser.newContext({ viewport, baseURL: host.url });
  await context.addCookies([{ name: 'theme', value: theme, url: host.url }]);
  const page = await context.newPage();
  const complaints = watch(page);
  return { context, page, complaints, seen: (what) => expectWhole(page, complaints, what) };
}

/** The installation of the file whose tests run: another file's is stopped before it starts. */
function keepInstallation() {
  let kept: { readonly file: string; readonly running: RunningInstallation } | null = null;
  const stop = async (): Promise<void> => {
    await kept?.running.stop();
    kept = null;
  };
  return {
    async get(file: string): Promise<Installation> {
      if (kept?.file !== file) {
        await stop();
        kept = { file, running: await installCopy() };
      }
      return kept.running;
    },
    stop,
  };
}

/**
 * The tests of one file share an installation, which no other file has used: its owner's link, its settings and its
 * rate limits are their own. The worker and its browser go on to the next file: starting them for each took a tenth of
 * the time.
 */
export const test = base.extend<{ host: Installation }, { installation: ReturnType<typeof keepInstallation> }>({
  installation: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads from the pattern what is needed: nothing
    async ({}, use) => {
      const kept = keepInstallation();
      await use(kept);
      await kept.stop();
    },
    { scope: 'worker' },
  ],
  host: async ({ installation }, provide, info) => {
    await provide(await installation.get(info.file));
  },
});
export { expect };
