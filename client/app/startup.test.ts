import { describe, expect, test } from 'bun:test';
import { accessIssues } from '#shared/access.ts';
import { AccessError, STARTUP_TIMEOUTS_MS, runStartup, STEPS, type StartupPorts } from './startup.ts';

/** Lets everything run that is ready to. */
const turn = () => Promise.resolve();

/** Ports that note the order in which they are called; waiting never ends unless the test says so. */
function setUp(change: Partial<StartupPorts<string>> = {}) {
  const order: string[] = [];
  const lines: string[] = [];
  const frames: (() => void)[] = [];
  const waits: { ms: number; end: () => void }[] = [];
  let now = 0;
  const did = (name: string) => void (order.push(name), (now += 7));
  const ports: StartupPorts<string> = {
    nowMs: () => now,
    wait: (ms) => new Promise((resolve) => waits.push({ ms, end: () => resolve() })),
    note: (text) => void lines.push(text),
    warn: (text) => void order.push(`warn ${text}`),
    reportError: (text) => void order.push(`fault ${text}`),
    customAssets: async () => (did('assets'), 'custom.css, custom.js'),
    accessIssues: () => (did('access'), []),
    block: async () => did('block'),
    createApp: async () => (did('app'), 'the app'),
    locale: async () => (did('locale'), 'de'),
    plugins: async () => (did('plugins'), '2'),
    fetchAdCode: async () => (did('ad code'), ' ca-pub-1234567890123456\n'),
    showAds: (code) => did(`ads ${code}`),
    nextFrame: (run) => void frames.push(run),
    mount: (app) => did(`mount ${app}`),
    onFatalError: (error) => did(`give up ${(error as Error).message}`),
    ...change,
  };
  return { ports, order, lines, frame: () => frames.splice(0).forEach((run) => run()), frames, waits };
}
const run = (ports: StartupPorts<string>) => runStartup(ports, 'Spawnpoint');

describe('the start-up', () => {
  test('S2.1 the start keeps the order of the specification, mounts on the next frame, and logs every step', async () => {
    const { ports, order, lines, frame, frames } = setUp();
    await run(ports);
    expect(order).toEqual(['assets', 'access', 'app', 'locale', 'plugins', 'ad code', 'ads ca-pub-1234567890123456']);
    expect(frames).toHaveLength(1);
    frame();
    expect(order.at(-1)).toBe('mount the app');
    expect(lines).toEqual([
      'custom assets: 7 ms (custom.css, custom.js)',
      'access check: 7 ms',
      'app creation: 7 ms',
      'locale: 7 ms (de)',
      'plugins: 7 ms (2)',
      'ad client code: 14 ms (shown)',
      'mount: 7 ms',
    ]);
    expect(lines.map((line) => line.split(':')[0] ?? '')).toEqual([...STEPS]);
  });

  test('what the host added is waited for within a bound, then the page goes on without', async () => {
    const never = () => new Promise<string>(() => undefined);
    const { ports, lines, waits, frames } = setUp({ customAssets: never, plugins: never, fetchAdCode: never });
    void run(ports);
    for (const patience of [STARTUP_TIMEOUTS_MS.assets, STARTUP_TIMEOUTS_MS.plugins, STARTUP_TIMEOUTS_MS.ads]) {
      while (waits.at(-1)?.ms !== patience) await turn();
      waits.at(-1)?.end();
    }
    while (frames.length === 0) await turn();
    expect(lines.filter((line) => line.includes('still on its way'))).toHaveLength(3);
  });

  test('ads that come late are shown when they come', async () => {
    const code = Promise.withResolvers<string>();
    const { ports, order, waits, frames } = setUp({ fetchAdCode: () => code.promise });
    void run(ports);
    while (waits.length < 4) await turn();
    waits.at(-1)?.end();
    while (frames.length === 0) await turn();
    expect(order.join()).not.toContain('ads ');
    code.resolve('ca-pub-1234567890123456');
    while (!order.includes('ads ca-pub-1234567890123456')) await turn();
  });

  test('custom assets that fail are reported, and the start goes on', async () => {
    const { ports, order, frames } = setUp({ customAssets: () => Promise.reject(new Error('x')) });
    await run(ports);
    expect(order[0]).toBe('warn custom assets failed');
    expect(frames).toHaveLength(1);
  });

  test.each(['', 'null', ' \n'])('S7.4 an ad client code that is none (%p) shows no ads', async (code) => {
    const { ports, order, frames } = setUp({ fetchAdCode: async () => code });
    await run(ports);
    expect(order.join()).not.toContain('ads');
    expect(frames).toHaveLength(1);
  });

  test('S4.13 S7.4 without an ad client code ads are skipped with a console warning, and the start goes on', async () => {
    const { ports, order, frames } = setUp({ fetchAdCode: () => Promise.reject(new Error('status 503')) });
    await run(ports);
    expect(order.at(-1)).toBe('warn ads skipped: the ad client code is unavailable');
    expect(frames).toHaveLength(1);
  });

  test('S4.14 S8.9 plugins that fail are logged, and the start goes on', async () => {
    const { ports, order, frame } = setUp({ plugins: () => Promise.reject(new Error('x')) });
    await run(ports);
    frame();
    expect(order).toContain('fault plugins failed');
    expect(order.at(-1)).toBe('mount the app');
  });

  test('S8.7 a wrong address shows the overlay, and an error is thrown that says so', async () => {
    const shown: unknown[] = [];
    const { ports, order, frames } = setUp({
      accessIssues: () => accessIssues({ protocol: 'http:', hostname: '10.0.0.4', port: '8080' }),
      block: async (issues) => void shown.push(issues),
    });
    const error: unknown = await run(ports).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AccessError);
    expect((error as Error).message).toBe('Spawnpoint cannot be used on HTTP, IP or port access.');
    expect(shown).toEqual([[{ code: 'http' }, { code: 'domain' }, { code: 'port', port: '8080' }]]);
    expect(order).toEqual(['assets']);
    expect(frames).toHaveLength(0);
  });

  test('S4.15 whatever keeps the application from being mounted leads to the fallback page', async () => {
    const early = setUp({ createApp: () => Promise.reject(new Error('no router')) });
    await run(early.ports);
    expect(early.order.at(-1)).toBe('give up no router');
    expect(early.frames).toHaveLength(0);
    const late = setUp({
      mount: () => {
        throw new Error('no root');
      },
    });
    await run(late.ports);
    late.frame();
    expect(late.order.at(-1)).toBe('give up no root');
    expect(late.lines.join()).not.toContain('mount');
  });
});
