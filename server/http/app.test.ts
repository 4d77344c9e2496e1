import { describe, expect, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { DomainError } from '#shared/errors.ts';
import { createHttpApp, type PageCall } from './app.ts';
import type { CallInfo } from './implement.ts';
import { peerReader } from './peer.ts';

type Deps = Parameters<typeof createHttpApp>[0];

const SECRET = 'a-secret-of-a-session';
const COOKIE = `__Host-spawnpoint=${SECRET}`;
/** What a visitor's browser sends through the proxy of a host that is set up well. */
const WELL = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'play.example.com' };
const SAME_SITE = { origin: 'https://play.example.com' };

/** The application behind a trusted proxy, with services that record how they were called. */
function setUp(over: Partial<Deps> = {}) {
  const calls: { request: Request; info: CallInfo }[] = [];
  const pages: PageCall[] = [];
  const publicPages: { kind: string; call: PageCall; more: unknown }[] = [];
  const lines: { level: string; event: string; fields: Record<string, unknown> }[] = [];
  const timeouts: number[] = [];
  const note =
    (level: string) =>
    (event: string, fields: Record<string, unknown> = {}) =>
      void lines.push({ level, event, fields });
  let now = 1000;
  const shown = (kind: string) => async (call: PageCall, more?: unknown) => {
    publicPages.push({ kind, call, more });
    return new Response(kind);
  };
  const app = createHttpApp({
    readPeer: peerReader(['127.0.0.1', '198.51.100.1']),
    local: false,
    appOrigin: 'https://app.example.com',
    compression: true,
    hstsSubdomains: false,
    ceiling: (method, path) => (method === 'POST' && path === '/api/large' ? 20 : 10),
    apiOnly: false,
    transport: {
      fetcher: () => throwing(new Error('not asked for')),
      forward: async (request, info) => {
        calls.push({ request, info });
        return new Response('an answer');
      },
      ready: async () => true,
    },
    assets: (path) => (path === '/assets/a.css' ? new Response('x'.repeat(2000), CSS) : null),
    page: async (call) => {
      pages.push(call);
      return new Response('x'.repeat(2000), { headers: { 'content-type': 'text/html' } });
    },
    publicPages: {
      blocked: shown('blocked'),
      proxyHelp: shown('proxyHelp'),
      apiDocs: shown('apiDocs'),
      failed: shown('failed'),
    },
    chooseLocale: (cookie, accepted) => (cookie?.includes('locale=ro') || accepted === 'ro' ? 'ro' : 'en'),
    ready: async () => true,
    openapi: () => '{"openapi":"3.1.0"}',
    newId: () => 'r-1',
    now: () => (now += 5),
    log: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') },
    buildId: 'b-1',
    ...over,
  });
  const send = (path: string, init: RequestInit = {}, socket = '127.0.0.1', known: object = WELL) =>
    app(new Request(`http://127.0.0.1:3000${path}`, { ...init, headers: { ...known, ...init.headers } }), {
      requestIP: () => ({ address: socket }),
      timeout: (_, seconds) => void timeouts.push(seconds),
    });
  return { app, send, calls, pages, publicPages, lines, timeouts };
}
const CSS = { headers: { 'content-type': 'text/css' } };
/** A service that fails. */
const throwing = (reason: unknown) => async (): Promise<never> => {
  throw reason as Error;
};
const codeOf = async (response: Response) => ((await response.json()) as { error_code: string }).error_code;

describe('the headers and the line of every answer', () => {
  test('every answer has its security headers, build and request id, and HSTS where it came by HTTPS', async () => {
    const { send } = setUp();
    const expected = {
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'strict-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-build': 'b-1',
      'x-request-id': 'r-1',
    };
    for (const path of ['/healthz', '/api/x', '/', '/assets/a.css', '/docs/reverse-proxy']) {
      const { headers } = await send(path);
      expect(Object.fromEntries(headers)).toMatchObject(expected);
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
    }
    const byHttp = await send('/', {}, '127.0.0.1', {});
    expect([byHttp.headers.get('strict-transport-security'), byHttp.headers.get('x-frame-options')]).toEqual([
      null,
      'DENY',
    ]);
    const all = setUp({ hstsSubdomains: true });
    expect((await all.send('/')).headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
  });

  test('an answer keeps a header of its own', async () => {
    const { send } = setUp({ assets: () => new Response('', { headers: { 'x-frame-options': 'SAMEORIGIN' } }) });
    expect((await send('/hat.png')).headers.get('x-frame-options')).toBe('SAMEORIGIN');
  });

  test('a request leaves one line in the log: what was asked, what came of it and how long it took', async () => {
    const { send, lines } = setUp();
    await send('/api/x?secret=1', { method: 'POST', headers: SAME_SITE });
    const fields = { request_id: 'r-1', method: 'POST', path: '/api/x', status: 200, ms: 5, address: '203.0.113.7' };
    expect(lines).toEqual([{ level: 'info', event: 'http.request', fields }]);
    await send('/api/x', { method: 'POST', headers: { origin: 'https://elsewhere.example' } });
    const refused = { ...fields, status: 403, code: 'ORIGIN_REFUSED' };
    expect(lines.slice(1)).toEqual([{ level: 'info', event: 'http.request', fields: refused }]);
  });

  test('a file of the product that is served is below the level of other requests, one that is missing is not', async () => {
    const { send, lines } = setUp({ page: async () => new Response('', { status: 404 }) });
    await send('/assets/a.css');
    await send('/assets/b.css');
    expect(lines.map(({ level, fields }) => [level, fields?.status])).toEqual([
      ['debug', 200],
      ['info', 404],
    ]);
  });

  test('pages and answers are compressed where the operator wants it, and assets never', async () => {
    const gzip = { headers: { 'accept-encoding': 'gzip' } };
    const coding = async (on: boolean, path: string) =>
      (await setUp({ compression: on }).send(path, gzip)).headers.get('content-encoding');
    expect([await coding(true, '/'), await coding(false, '/'), await coding(true, '/assets/a.css')]).toEqual([
      'gzip',
      null,
      null,
    ]);
  });

  test('a stream may keep its connection open, and a request without a server behind it may as well', async () => {
    const { app, send, calls, timeouts } = setUp();
    await send('/api/live');
    calls[0]?.info.keepOpen();
    expect(timeouts).toEqual([0]);
    await app(new Request('https://play.example.com/api/live'), null);
    expect(() => calls[1]?.info.keepOpen()).not.toThrow();
  });
});

describe('who answers', () => {
  test('whoever watches the process learns that it lives and whether it is ready, whatever way they came', async () => {
    const { send } = setUp();
    const live = await send('/healthz', {}, '127.0.0.1', {});
    expect([
      live.status,
      await live.text(),
      live.headers.get('content-type'),
      live.headers.get('cache-control'),
    ]).toEqual([200, 'ok\n', 'text/plain; charset=utf-8', 'no-store']);
    const ready = await send('/readyz', {}, '127.0.0.1', {});
    expect([ready.status, await ready.text()]).toEqual([200, 'ready\n']);
    const not = await setUp({ ready: async () => false }).send('/readyz');
    expect([not.status, await not.text()]).toEqual([503, 'not ready\n']);
  });

  test('search engines are kept from everything where there are no pages', async () => {
    const text = async (over: Partial<Deps>) => (await setUp(over).send('/robots.txt')).text();
    expect(await text({ page: null })).toBe('User-agent: *\nDisallow: /\n');
    expect((await text({})).split('\n')).toContain('Disallow: /mc-admin');
  });

  test('assets answer reads, pages answer reads and forms, and everything below /api goes to the API', async () => {
    const { send, calls, pages } = setUp({ assets: () => new Response('an asset') });
    for (const method of ['GET', 'HEAD']) expect(await (await send('/x', { method })).text()).toBe('an asset');
    for (const path of ['/api', '/api/x']) expect(await (await send(path)).text()).toBe('an answer');
    expect(calls).toHaveLength(2);
    const body = new URLSearchParams({ a: '1' });
    expect((await send('/x', { method: 'POST', headers: SAME_SITE, body })).status).toBe(200);
    expect(pages.map(({ request }) => request.method)).toEqual(['POST']);
    // What only begins with the same letters is a page.
    const other = setUp();
    await other.send('/apiary');
    await other.send('/x', { method: 'HEAD' });
    expect([other.calls.length, other.pages.map(({ url }) => url.pathname)]).toEqual([0, ['/apiary', '/x']]);
    const deleted = await other.send('/x', { method: 'DELETE', headers: SAME_SITE });
    expect([deleted.status, other.pages.length]).toEqual([405, 2]);
  });

  test('a process without pages has none, and one without assets none of those', async () => {
    const { send } = setUp({ page: null, publicPages: null, assets: null });
    const answer = await send('/x');
    expect([answer.status, await codeOf(answer)]).toEqual([404, 'NOT_FOUND']);
  });

  test('the description of the API is JSON', async () => {
    const answer = await setUp().send('/api/openapi.json');
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual([
      'application/json; charset=utf-8',
      '{"openapi":"3.1.0"}',
    ]);
  });

  test('a visitor at a wrong address sees the overlay, calls are refused, and the help is open to everybody', async () => {
    const { send, publicPages, calls, pages } = setUp();
    const byHttp = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-host': 'play.example.com' };
    expect(await (await send('/', {}, '127.0.0.1', byHttp)).text()).toBe('blocked');
    expect(publicPages[0]?.more).toMatchObject({ reached: { protocol: 'http', hostname: 'play.example.com' } });
    const call = await send('/api/x', {}, '127.0.0.1', byHttp);
    expect([call.status, await codeOf(call), calls.length, pages.length]).toEqual([403, 'ACCESS_BLOCKED', 0, 0]);
    expect(await (await send('/docs/reverse-proxy', {}, '127.0.0.1', byHttp)).text()).toBe('proxyHelp');
    expect(publicPages[1]?.call.info).toMatchObject({ address: '203.0.113.7', requestId: 'r-1' });
    // Its own backend-for-frontend has checked the way.
    const behind = setUp({ publicPages: null, page: null });
    expect(await (await behind.send('/api/x', {}, '127.0.0.1', byHttp)).text()).toBe('an answer');
  });

  test('T18 only a local visitor passes the access check, and only under serve --local', async () => {
    const asked = async (local: boolean, known: object, socket = '127.0.0.1') => {
      const { send, pages } = setUp({ local });
      const text = await (await send('/', {}, socket, known)).text();
      return text === 'blocked' ? 'blocked' : (pages[0]?.local ?? null);
    };
    expect(await asked(true, {})).toBe(true);
    expect(await asked(false, {})).toBe('blocked');
    expect(await asked(true, { 'x-forwarded-for': '203.0.113.7' })).toBe('blocked');
    expect(await asked(true, {}, '203.0.113.9')).toBe('blocked');
    expect(await asked(false, WELL)).toBe(false);
    expect(await asked(true, WELL)).toBe(false);
  });
});

describe('who a call is for', () => {
  const info = async (headers: Record<string, string>, over: Partial<Deps> = {}, path = '/api/x', socket?: string) => {
    const { send, calls } = setUp(over);
    await send(path, { headers }, socket);
    return calls[0]?.info;
  };

  test('a session comes by cookie or as a bearer token of at least twenty characters, and the token wins', async () => {
    const token = `${'t'.repeat(19)}-`;
    expect(await info({ cookie: COOKIE, 'accept-language': 'ro' })).toMatchObject({
      secret: SECRET,
      address: '203.0.113.7',
      locale: 'ro',
      requestId: 'r-1',
    });
    expect(await info({ cookie: COOKIE, authorization: `Bearer ${token}` })).toMatchObject({ secret: token });
    for (const authorization of ['Bearer short', `Basic ${token}`, `Bearer ${'t'.repeat(201)}`, `x Bearer ${token}`])
      expect(await info({ cookie: COOKIE, authorization })).toMatchObject({ secret: SECRET });
    expect(await info({ cookie: 'locale=ro' })).toMatchObject({ secret: null, locale: 'ro' });
  });

  test('T37 a process that serves only its own frontend ignores cookies, and one for browsers accepts them', async () => {
    expect(await info({ cookie: COOKIE }, { apiOnly: true })).toMatchObject({ secret: null });
    expect(await info({ authorization: `Bearer ${SECRET}` }, { apiOnly: true })).toMatchObject({ secret: SECRET });
  });

  test('a webhook has neither session nor language, and a token only where our own frontend forwards it', async () => {
    const both = { cookie: `${COOKIE}; locale=ro`, authorization: `Bearer ${SECRET}` };
    expect(await info(both, {}, '/api/webhooks/stripe')).toMatchObject({ secret: null, locale: 'en' });
    expect(await info(both, { apiOnly: true }, '/api/webhooks/stripe')).toMatchObject({ secret: SECRET });
  });

  test('T59 a number of a request is taken over from our own frontend on this machine alone', async () => {
    const given = { 'x-request-id': 'theirs', authorization: `Bearer ${SECRET}` };
    const known = { 'x-forwarded-for': '127.0.0.1' };
    expect(await info({ ...given, ...known })).toMatchObject({ requestId: 'theirs' });
    expect(await info({ ...known, authorization: given.authorization })).toMatchObject({ requestId: 'r-1' });
    expect(await info({ ...known, 'x-request-id': 'theirs' })).toMatchObject({ requestId: 'r-1' });
    expect(await info(given, {}, '/api/x', '198.51.100.1')).toMatchObject({ requestId: 'r-1' });
  });
});

describe('T37 a change that another site asks for', () => {
  const status = async (headers: Record<string, string>, over: Partial<Deps> = {}, path = '/api/x') => {
    const { send, calls } = setUp(over);
    const answer = await send(path, { method: 'POST', headers });
    return [answer.status, calls.length];
  };
  const TAKEN = [200, 1];
  const REFUSED = [403, 0];

  test('T37 a change is taken from the own origin, in any case, and from the address of the installation', async () => {
    expect(await status(SAME_SITE)).toEqual(TAKEN);
    expect(await status({ origin: 'HTTPS://Play.example.com' })).toEqual(TAKEN);
    expect(await status({ origin: 'https://app.example.com' })).toEqual(TAKEN);
    expect(await status({ 'sec-fetch-site': 'same-origin' })).toEqual(TAKEN);
  });

  test('T37 a change from another origin or without one is refused, whatever other headers say', async () => {
    for (const origin of ['https://elsewhere.example', 'http://play.example.com', 'null', ''])
      expect(await status({ origin, 'sec-fetch-site': 'same-origin' })).toEqual(REFUSED);
    expect(await status({ origin: 'https://app.example.com' }, { appOrigin: null })).toEqual(REFUSED);
    for (const site of ['same-site', 'cross-site', 'none'])
      expect(await status({ 'sec-fetch-site': site })).toEqual(REFUSED);
    expect(await status({ cookie: COOKIE })).toEqual(REFUSED);
  });

  test('T37 a change with a token, to our own frontend or as a webhook needs no origin', async () => {
    expect(await status({ authorization: `Bearer ${SECRET}` })).toEqual(TAKEN);
    expect(await status({}, { apiOnly: true })).toEqual(TAKEN);
    expect(await status({}, {}, '/api/webhooks/stripe')).toEqual(TAKEN);
    const { send, calls } = setUp();
    await send('/api/x', { headers: { origin: 'https://elsewhere.example' } });
    expect(calls).toHaveLength(1);
  });
});

describe('what goes wrong', () => {
  const sized = (bytes: number) => ({
    method: 'POST',
    headers: { ...SAME_SITE, 'content-length': String(bytes), 'content-type': 'application/x-www-form-urlencoded' },
    body: 'x'.repeat(bytes),
  });

  test('T52 a body beyond the ceiling of its path is refused unread, and its connection closes', async () => {
    const { send, calls, publicPages, pages } = setUp();
    expect((await send('/api/x', sized(10))).status).toBe(200);
    expect((await send('/api/large', sized(20))).status).toBe(200);
    const call = await send('/api/x', sized(11));
    expect([call.status, await codeOf(call), call.headers.get('connection')]).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
      'close',
    ]);
    expect((await send('/api/large', sized(21))).status).toBe(413);
    expect(calls).toHaveLength(2);
    // A form without scripts gets a page.
    expect([await (await send('/x', sized(11))).text(), publicPages[0]?.more, pages.length]).toEqual([
      'failed',
      'PAYLOAD_TOO_LARGE',
      0,
    ]);
    const bare = await setUp({ publicPages: null }).send('/x', sized(11));
    expect([bare.status, await codeOf(bare)]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test('a connection closes where a refused body may still be coming, and stays open after a success', async () => {
    const connection = async (status: number, headers: object) =>
      (
        await setUp({
          assets: () => new Response('', { status }),
        }).send('/x', { headers: { ...headers } })
      ).headers.get('connection');
    const chunked = { 'transfer-encoding': 'chunked' };
    expect([
      await connection(400, chunked),
      await connection(399, chunked),
      await connection(200, chunked),
      await connection(400, {}),
      await connection(413, {}),
    ]).toEqual(['close', null, null, null, 'close']);
  });

  test('a form that is none, or too large without saying so, gets the page of what went wrong', async () => {
    const { send, publicPages, pages } = setUp();
    await send('/x', { method: 'POST', headers: { ...SAME_SITE, 'content-type': 'text/plain' }, body: 'a' });
    const endless = new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(new Uint8Array(8)) });
    await send('/x', { ...sized(0), headers: { ...SAME_SITE, 'content-type': FORM }, body: endless });
    expect([publicPages.map(({ more }) => more), pages]).toEqual([['UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE'], []]);
  });

  test('T59 a page that fails says its code, and a fault of ours is logged once and shown to nobody', async () => {
    const failing = (reason: unknown) => setUp({ page: throwing(reason) });
    const known = failing(new ApiError('SERVER_UNAVAILABLE', 503));
    await known.send('/x');
    expect([known.publicPages[0]?.more, known.lines.map(({ event }) => event)]).toEqual([
      'SERVER_UNAVAILABLE',
      ['http.request'],
    ]);
    const refused = failing(new DomainError('FORBIDDEN'));
    await refused.send('/x');
    expect(refused.publicPages[0]?.more).toBe('FORBIDDEN');
    const fault = failing(new Error('a secret of ours'));
    await fault.send('/x');
    expect(fault.publicPages[0]?.more).toBe('SERVER_ERROR');
    expect(fault.lines[0]).toMatchObject({ level: 'error', event: 'page.failed', fields: { path: '/x' } });
    expect(String(fault.lines[0]?.fields.error)).toContain('a secret of ours');
    expect(fault.lines).toHaveLength(2);
  });

  test('T59 a failed call answers its code and status, and an internal error only the request id', async () => {
    const failing = (reason: unknown) =>
      setUp({
        transport: {
          fetcher: () => throwing(new Error('not asked for')),
          forward: throwing(reason),
          ready: async () => true,
        },
      });
    const fault = failing('a text of ours');
    const answer = await fault.send('/api/x');
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { success: false, error_code: 'SERVER_ERROR', request_id: 'r-1' },
    ]);
    expect(fault.lines).toMatchObject([
      { level: 'error', event: 'http.failed', fields: { error: 'a text of ours', path: '/api/x', request_id: 'r-1' } },
      { level: 'info', event: 'http.request', fields: { status: 500, code: 'SERVER_ERROR' } },
    ]);
    const limited = failing(new DomainError('RATE_LIMITED', { retryAfterS: 7 }));
    const wait = await limited.send('/api/x');
    expect([wait.status, wait.headers.get('retry-after'), limited.lines.length]).toEqual([429, '7', 1]);
    // Not its own error page: the pages have none.
    const away = await setUp({ publicPages: null, page: throwing(new DomainError('FORBIDDEN')) }).send('/x');
    expect([away.status, await codeOf(away)]).toEqual([403, 'FORBIDDEN']);
  });

  test('S9 a visitor who left before the answer is no fault of ours, of a page or of a call', async () => {
    const gone = new AbortController();
    const leaving = () => {
      gone.abort();
      return Promise.reject(new Error('the line is cut'));
    };
    const { send, publicPages, lines } = setUp({ page: leaving });
    expect((await send('/x', { signal: gone.signal })).status).toBe(499);
    expect([publicPages, lines.map(({ event, fields }) => [event, fields.status])]).toEqual([
      [],
      [['http.request', 499]],
    ]);
  });
});

const FORM = 'application/x-www-form-urlencoded';
