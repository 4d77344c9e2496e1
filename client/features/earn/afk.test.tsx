import { afterEach, expect, test } from 'bun:test';
import type { AfkState } from '#shared/contract/earn.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/earn/afk');
const { act, cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { MIRELA, NOW, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const { ApiProvider } = await import('#client/lib/use-api.ts');
const { createApi } = await import('#shared/contract/index.ts');
const { slabPlan } = await import('./afk-dial.tsx');
const { clockParts } = await import('./afk-clock.tsx');
const afk = await import('./afk.tsx');

/** The streams the page opened; the test speaks for the server. */
class Stream extends EventTarget {
  static opened: Stream[] = [];
  closed = false;
  readonly url: string;
  constructor(url: string) {
    super();
    this.url = url;
    Stream.opened.push(this);
  }
  close(): void {
    this.closed = true;
  }
  say(event: string, data: object): Promise<void> {
    return act(async () => void this.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data) })));
  }
  drop(): Promise<void> {
    return act(async () => void this.dispatchEvent(new Event('error')));
  }
}
Object.assign(globalThis, { EventSource: Stream });

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  Stream.opened = [];
});

const ID = '0190a000-0000-7000-8000-0000000000b1';
const IDLE: AfkState = {
  now: NOW,
  session: null,
  earned_today: 312,
  cap: 480,
  per_minute: 1,
  budget_used: 0,
  budget: 0,
  resets_at: '2026-11-22T00:00:00.000Z',
  week: Array.from({ length: 7 }, (_, index) => ({
    day: `2026-11-${15 + index}`,
    credits: index === 6 ? 312 : index * 10,
  })),
  held: 0,
};
const session = (device = 'Firefox · Android'): NonNullable<AfkState['session']> => ({
  id: ID,
  device,
  started_at: '2026-11-21T16:15:00.000Z',
  earned: 2,
  counted_ms: 138_000,
  next_payout_ms: 42_000,
});

interface World {
  state: object;
  start: object;
  beat: object;
}
/** The page over an API of its own for the engine, as the browser gives it one. */
function show(world: Partial<World>, more: { verified?: boolean } = {}) {
  const asked: string[] = [];
  const given: World = {
    state: IDLE,
    start: {
      session_id: ID,
      took_over: null,
      state: { ...IDLE, session: { ...session(), counted_ms: 0, earned: 0, next_payout_ms: 60_000 } },
    },
    beat: { counted_ms: 20_000, next_payout_ms: 40_000, earned: 0, earned_today: 312 },
    ...world,
  };
  const answers: Record<string, (path: string) => object> = {
    'GET /api/earn/afk': () => given.state,
    'POST /api/earn/afk/start': () => given.start,
    [`POST /api/earn/afk/${ID}/beat`]: () => given.beat,
    'POST /api/earn/afk/stop': () => ({}),
  };
  const api = createApi(
    async (path, init) => {
      const name = `${init.method} ${path}`;
      asked.push(name);
      const answer = answers[name]?.(path) ?? {};
      return 'error' in answer
        ? Response.json({ success: false, error_code: answer.error, request_id: 'r' }, { status: 409 })
        : Response.json({ success: true, error_code: null, ...answer });
    },
    () => 'key',
  );
  const Screen = afk.default;
  const page = () => (
    <ApiProvider value={api}>
      <Screen />
    </ApiProvider>
  );
  showScreen(
    { default: page, loader: afk.loader },
    {
      url: '/earn/afk',
      session: { user: { ...MIRELA, verified: more.verified ?? true } },
      answers: { 'GET /api/earn/afk': () => given.state },
    },
  );
  return { asked, given };
}
const clock = () => screen.getByRole('region', { name: 'AFK clock' });
const status = () => within(clock()).getByRole('status').textContent;
/** The button, once the page is alive. */
const startButton = () =>
  waitFor(() => {
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Start earning' });
    expect(button.disabled).toBe(false);
    return button;
  });
const becomes = (words: string) => waitFor(() => expect(status()).toBe(words));

test('the page says that nothing runs, what it pays, today’s cap, and has the button', async () => {
  show({});
  expect(await screen.findByText('1 credit for each full minute this page stays open, up to 480 a day.')).toBeTruthy();
  expect(status()).toBe('Not running');
  expect(screen.getByText('168 left. Resets at 00:00.')).toBeTruthy();
  expect(await startButton()).toBeTruthy();
});

test('AFK starts, runs once a beat was accepted, is paid, and stops', async () => {
  const { asked } = show({});
  fireEvent.click(await startButton());
  await becomes('Connecting');
  const [stream] = Stream.opened;
  expect(stream?.url).toBe(`/api/earn/afk/${ID}/stream`);
  await stream?.say('challenge', { challenge: 'c1' });
  await becomes('Running');
  expect(screen.getByText('since 16:15, by our clock')).toBeTruthy();
  expect(screen.getByRole('img', { name: /20 of 60 seconds/ })).toBeTruthy();
  await stream?.say('paid', { earned: 1, balance: 1285 });
  expect(within(clock()).getByText('313 credits')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
  expect(await within(clock()).findByText('Start when you are ready.')).toBeTruthy();
  expect(asked).toEqual(['POST /api/earn/afk/start', `POST /api/earn/afk/${ID}/beat`, 'POST /api/earn/afk/stop']);
  expect(stream?.closed).toBe(true);
});

test('the page says where it runs elsewhere, and takes it over again', async () => {
  const { given } = show({ state: { ...IDLE, session: session('Chrome · Windows') } });
  expect(await screen.findByText('Running in Chrome on Windows. This tab earns nothing now.')).toBeTruthy();
  expect(Stream.opened).toEqual([]);
  given.start = { session_id: ID, took_over: 'Chrome · Windows', state: { ...IDLE, session: session() } };
  fireEvent.click(screen.getByRole('button', { name: 'Run it here again' }));
  expect(await screen.findByText('This tab took over.', { exact: false })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(screen.queryByText('This tab took over.', { exact: false })).toBeNull();
});

test('a reload goes on with the same session, and a take-over is shown', async () => {
  sessionStorage.setItem('afk_session', ID);
  show({ state: { ...IDLE, session: session() } });
  await becomes('Connecting');
  await Stream.opened[0]?.say('challenge', { challenge: 'c1' });
  expect(status()).toBe('Running');
  await Stream.opened[0]?.say('ended', { reason: 'taken_over', device: null });
  await becomes('Running elsewhere');
  expect(sessionStorage.getItem('afk_session')).toBeNull();
});

test('a line that drops is shown and can be tried at once', async () => {
  const { given } = show({});
  fireEvent.click(await startButton());
  await becomes('Connecting');
  await Stream.opened[0]?.say('challenge', { challenge: 'c1' });
  given.state = { error: 'SERVER_ERROR' };
  await Stream.opened[0]?.drop();
  expect(status()).toBe('Reconnecting');
  expect(screen.getByText('Connection lost, so the clock is paused. What you earned is safe: 0 credits.')).toBeTruthy();
  given.state = { ...IDLE, session: session() };
  fireEvent.click(screen.getByRole('button', { name: 'Try now' }));
  await waitFor(() => expect(Stream.opened).toHaveLength(2));
  await Stream.opened.at(-1)?.say('challenge', { challenge: 'c2' });
  expect(status()).toBe('Running');
});

test('a full day, or everybody’s spent budget, is shown with its end', async () => {
  show({ state: { ...IDLE, earned_today: 480 } });
  expect(await screen.findByText('until it starts again at 00:00. You’ve reached today’s cap.')).toBeTruthy();
  expect(status()).toBe('Daily cap reached');
  expect(screen.queryByRole('button', { name: 'Start earning' })).toBeNull();
  cleanup();
  show({ state: { ...IDLE, budget: 60_000, budget_used: 60_000 } });
  await becomes('Today’s budget is used up');
  expect(screen.getByText('Used up. AFK is paused for all players until 00:00.')).toBeTruthy();
});

test('an address that is not confirmed is named before and after the click', async () => {
  show({ start: { error: 'ACCOUNT_UNVERIFIED' } }, { verified: false });
  expect(await screen.findByText('Confirm your e-mail first.', { exact: false })).toBeTruthy();
  fireEvent.click(await startButton());
  await becomes('E-mail not confirmed');
});

test('a refused start says why', async () => {
  show({ start: { error: 'RATE_LIMITED' } });
  fireEvent.click(await startButton());
  expect(await screen.findByText('Too many attempts. Wait a moment, then try again.')).toBeTruthy();
});

test('without scripts it says that it needs them, and the button waits for them', () => {
  const html = serverHtml(afk, { url: '/earn/afk' }, IDLE);
  expect(html).toContain('<noscript>');
  expect(html).toContain('AFK needs JavaScript');
  expect(html).toMatch(/<button[^>]*disabled=""[^>]*>.*Start earning/);
  expect(html).not.toContain('style=');
});

test('clockParts gives hours and minutes, then seconds', () => {
  expect([0, 59_999, 60_000, 10_038_000, -5].map((ms) => clockParts(ms).join(':'))).toEqual([
    '0:00:00',
    '0:00:59',
    '0:01:00',
    '2:47:18',
    '0:00:00',
  ]);
});

test('slabPlan gives an hour a slab, equal parts where there would be too many, eight where there is no cap', () => {
  expect(slabPlan(480, 1)).toEqual({ slabs: 8, each: 60, hours: true });
  expect(slabPlan(100, 1)).toEqual({ slabs: 2, each: 60, hours: true });
  expect(slabPlan(480, 10)).toEqual({ slabs: 1, each: 600, hours: true });
  expect(slabPlan(5000, 1)).toEqual({ slabs: 12, each: 417, hours: false });
  expect(slabPlan(0, 2)).toEqual({ slabs: 8, each: 120, hours: true });
});
