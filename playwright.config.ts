import { defineConfig } from '@playwright/test';

/** Stories of servers that really run on this machine. */
const MACHINE = /\/(node|containers|subusers)\.e2e\.ts$/;

/**
 * Browser tests run against the compiled binary, in Debian's Chromium without a window, with an ordinary user agent so
 * that streaming is tested.
 */
export default defineConfig({
  testDir: './tests/e2e',
  testMatch: '**/*.e2e.ts',
  fullyParallel: false,
  workers: 2,
  // Machines of tests are shared: a story that is slow there is not wrong.
  timeout: 600_000,
  expect: { timeout: 90_000 },
  forbidOnly: true,
  reporter: [['list']],
  // A server that starts gets a network of its own, and Chromium breaks off what it loads whenever the networks of its
  // machine change (ERR_NETWORK_CHANGED): no other story may be in a browser then, so each has its run.
  projects: [
    { name: 'pages', testIgnore: MACHINE },
    { name: 'machine', testMatch: MACHINE, workers: 1 },
  ],
  use: {
    browserName: 'chromium',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
    // What never comes is told long before the test's own time is up.
    actionTimeout: 90_000,
    navigationTimeout: 90_000,
    locale: 'en-GB',
    timezoneId: 'Europe/Bucharest',
    // Moving pictures are drawn without a graphics card here: whoever tests them asks for them.
    contextOptions: { reducedMotion: 'reduce' },
    // A recording costs a quarter of the time: it is asked for, to look into a failure.
    trace: process.env.E2E_TRACE === undefined ? 'off' : 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium-headless-shell',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // Each page is young: what the optimizing compilers make of a script costs more than the page lives to save.
        // The script means the same without them. Both, as one alone leaves its work to the other.
        '--js-flags=--no-maglev,--no-opt',
      ],
    },
  },
});
