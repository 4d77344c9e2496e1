import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeWeb } from '#server/compose/web.ts';
import { readConfig } from '#server/env.ts';
import { createLog } from '#server/http/log.ts';
import { createOwnSocketApp } from '#server/http/own-socket.ts';
import { remoteTransport, socketTransport, type ApiTransport } from '#server/http/transport.ts';
import { chooseLocale } from '#server/ssr/texts.ts';
import { listenOnSocket } from '#server/workers/socket-listener.ts';
import { ApiError } from '#shared/contract/client.ts';
import { createApi } from '#shared/contract/index.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages } from '#tests/support/pages.ts';

/**
 * The same behaviour, whether the hosting API is a function of this process, another process over HTTP, or one of this
 * machine through its socket (architecture, section 9; decision 120).
 */
let harness: Harness;
let player: Person;
let server: ReturnType<typeof Bun.serve>;
let socket: ReturnType<typeof listenOnSocket>;
const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-remote-'));
const streams = new AbortController();
const transports: Record<string, ApiTransport> = {};

beforeAll(async () => {
  harness = await openHarness({ sample: true });
  player = await harness.person('player', { credits: 100 });
  const { host, clock } = harness;
  const api = await composeWeb({
    config: readConfig({}),
    transport: harness.transport,
    clock,
    ids: host.services.ids,
    log: createLog('silent', clock.now),
    local: false,
    pages: false,
    apiOnly: true,
  });
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request, own) => api(request, own) });
  transports.memory = harness.transport;
  transports.remote = remoteTransport(`http://127.0.0.1:${server.port}`);
  const path = join(folder, 'api.sock');
  const own = createOwnSocketApp({
    transport: harness.transport,
    chooseLocale,
    local: true,
    exchange: () => ({}),
    metrics: () => new Response(''),
    newId: host.services.ids.uuid,
    log: harness.log,
  });
  socket = listenOnSocket(path, own);
  transports.socket = socketTransport(path, streams.signal);
});
afterAll(async () => {
  await server.stop(true);
  await socket.stop(1000);
  await harness.close();
  rmSync(folder, { recursive: true });
});

describe.each(['memory', 'remote', 'socket'])('the hosting API over %s', (kind) => {
  const transport = () => transports[kind] ?? harness.transport;
  const as = (secret: string | null, cookies: string[] = []) =>
    createApi(
      transport().fetcher(
        {
          requestId: 'r',
          address: '203.0.113.20',
          locale: 'en',
          secret,
          cookie: null,
          userAgent: 'test',
          signal: new AbortController().signal,
        },
        (line) => cookies.push(line),
      ),
      () => crypto.randomUUID(),
    );

  test('the hosting API answers, refuses and names fields alike', async () => {
    expect((await as(player.secret).session.get()).billing.credits).toBe(100);
    const refused = await as(null)
      .session.get()
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect(refused).toMatchObject({ code: 'SESSION_EXPIRED', status: 200 });
    const guest = await as(null)
      .dashboard.get()
      .catch((error: unknown) => error);
    expect(guest).toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
    const fields = await as(player.secret)
      .redeem.redeem({ body: { code: '' } })
      .catch((error: unknown) => error);
    expect(fields).toMatchObject({ code: 'VALIDATION_FAILED', status: 422, fields: { code: ['REQUIRED'] } });
    const absent = await as(player.secret)
      .servers.get({ params: { id: '01890000-0000-7000-8000-000000000000' } })
      .catch((error: unknown) => error);
    expect(absent).toMatchObject({ code: 'NOT_FOUND', status: 404 });
  });

  test('the hosting API passes cookies of a log-in on', async () => {
    const cookies: string[] = [];
    await as(null, cookies).auth.login({ body: { login: 'player', password: PASSWORD } });
    expect(cookies.some((line) => line.startsWith('__Host-spawnpoint='))).toBe(true);
  });

  /** What answers browsers in front of the hosting API, without pages. */
  function openWeb() {
    const { clock, host } = harness;
    return composeWeb({
      config: readConfig({}),
      transport: transport(),
      clock,
      ids: host.services.ids,
      log: createLog('silent', clock.now),
      local: true,
      pages: false,
    });
  }

  test('the hosting API renders a page and takes a form', async () => {
    const pages = await openPages(harness, { transport: transport() });
    const page = await pages.get('/dashboard', { secret: player.secret });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('player');
    const login = await pages.post('/auth/login', { login: 'player', password: PASSWORD });
    expect([login.status, login.headers.get('location')]).toEqual([302, '/dashboard']);
  });

  test("the hosting API passes a browser's request through", async () => {
    const handle = await openWeb();
    const send = (path: string, init: RequestInit = {}) =>
      handle(new Request(`http://127.0.0.1${path}`, init), {
        requestIP: () => ({ address: '127.0.0.1' }),
        timeout: () => undefined,
      });
    const cookie = { Cookie: `__Host-spawnpoint=${player.secret}` };
    const session = await send('/api/user/session', { headers: cookie });
    expect(session.headers.get('cache-control')).toContain('no-store');
    expect(((await session.json()) as { success: boolean }).success).toBe(true);
    const csv = await send('/api/account/statement.csv', { headers: cookie });
    expect(csv.headers.get('content-disposition')).toContain('attachment');
    expect((await csv.text()).split('\n').length).toBeGreaterThan(1);
    const foreign = await send('/api/auth/logout', {
      method: 'POST',
      headers: { ...cookie, Origin: 'https://elsewhere.example' },
    });
    expect(foreign.status).toBe(403);
  });

  test('a redirect and an event stream come through as they are', async () => {
    const handle = await openWeb();
    let kept = 0;
    const send = (path: string, headers: Record<string, string> = {}) =>
      handle(new Request(`http://127.0.0.1${path}`, { headers }), {
        requestIP: () => ({ address: '127.0.0.1' }),
        timeout: () => void (kept += 1),
      });
    const cookie = { Cookie: `__Host-spawnpoint=${player.secret}` };
    const stream = await send('/api/events', cookie);
    expect([stream.status, stream.headers.get('content-type'), kept]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      1,
    ]);
    const reader = stream.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain(': open');
    await reader?.cancel();
    const redirect = await send('/api/webhooks/unsubscribe/a-token-of-a-mail-to-somebody');
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, expect.stringContaining('unsubscribe')]);
  });

  test('a cookie that no header may hold is that of a guest', async () => {
    for (const secret of ['two\r\nlines-of-a-secret-that-is-long', 'ü'.repeat(24), 'short']) {
      const refused = await as(secret)
        .dashboard.get()
        .catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
    }
  });

  test('the hosting API says whether it is ready', async () => expect(await transport().ready()).toBe(true));
});

test('a hosting API that is away is a 503 of its own kind, for pages and calls', async () => {
  const away = remoteTransport('http://127.0.0.1:1');
  expect(await away.ready()).toBe(false);
  const api = createApi(
    away.fetcher(
      {
        requestId: 'r',
        address: '203.0.113.20',
        locale: 'en',
        secret: null,
        cookie: null,
        userAgent: '',
        signal: new AbortController().signal,
      },
      () => undefined,
    ),
    () => 'k',
  );
  expect(await api.system.settings().catch((error: unknown) => error)).toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    status: 503,
  });
  const pages = await openPages(harness, { transport: away });
  const page = await pages.get('/dashboard');
  expect(page.status).toBe(503);
});
