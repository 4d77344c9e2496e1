import { afterAll, afterEach, beforeAll, describe, expect, mock, spyOn, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import type { CallInfo } from './implement.types.ts';
import { memoryTransport, remoteTransport } from './transport.ts';

type Handle = (request: Request) => Response | Promise<Response>;
type Visitor = Parameters<ReturnType<typeof remoteTransport>['fetcher']>[0];

let handle: Handle = () => new Response('ok');
let server: ReturnType<typeof Bun.serve>;
let base = '';
beforeAll(() => {
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => handle(request) });
  base = server.url.origin;
});
afterEach(() => {
  handle = () => new Response('ok');
  mock.restore();
});
afterAll(() => server.stop(true));

/** Time that passes only when a test says so: the limits that calls set, and the end of those that are still waited for. */
function stopTime() {
  const limits: number[] = [];
  const waiting = new Map<unknown, () => void>();
  // The real one also has overloads and `__promisify__`, which nothing here calls.
  spyOn(globalThis, 'setTimeout').mockImplementation(((end: () => void, ms: number) => {
    waiting.set(limits.push(ms), end);
    return limits.length;
  }) as unknown as typeof setTimeout);
  spyOn(globalThis, 'clearTimeout').mockImplementation((id) => void waiting.delete(id));
  return {
    limits,
    expire: () => {
      for (const end of waiting.values()) end();
    },
  };
}
/** Something that the other side waits for, or that a test does. */
const gate = () => Promise.withResolvers<void>();

const visitor = (over: Partial<Visitor> = {}): Visitor => ({
  requestId: 'r-1',
  address: '203.0.113.7',
  locale: 'de',
  secret: 'a-secret',
  cookie: 'locale=de',
  userAgent: 'Firefox',
  signal: new AbortController().signal,
  ...over,
});
const info = (over: Partial<CallInfo> = {}): CallInfo => ({
  requestId: 'r-1',
  address: '203.0.113.7',
  locale: 'de',
  secret: 'a-secret',
  keepOpen: () => undefined,
  ...over,
});
const failure = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error,
  );
const UNAVAILABLE = { code: 'SERVER_UNAVAILABLE', status: 503, requestId: 'r-1' };
/** What of a request the other side sees. */
const seen = ({ method, url, headers }: Request, ...names: readonly string[]) => ({
  method,
  path: url.replace(base, ''),
  headers: Object.fromEntries(names.map((name) => [name, headers.get(name)])),
});

describe('the hosting API in this process', () => {
  test('a fetcher acts for its visitor, and hands over the cookies of each answer', async () => {
    const calls: { request: Request; info: CallInfo }[] = [];
    const transport = memoryTransport(
      {
        fetch: async (request, about) => {
          calls.push({ request, info: about });
          return new Response('ok', {
            headers: [
              ['set-cookie', 'a=1'],
              ['set-cookie', 'b=2'],
            ],
          });
        },
      },
      async () => false,
    );
    const cookies: string[] = [];
    const send = transport.fetcher(visitor(), (line) => cookies.push(line));
    expect(await (await send('/api/account', { method: 'PATCH', body: '{}' })).text()).toBe('ok');
    expect(cookies).toEqual(['a=1', 'b=2']);
    const [call] = calls;
    expect(call && seen(call.request, 'cookie', 'user-agent')).toEqual({
      method: 'PATCH',
      path: 'http://api.internal/api/account',
      headers: { cookie: 'locale=de', 'user-agent': 'Firefox' },
    });
    expect(call?.info).toMatchObject({ requestId: 'r-1', address: '203.0.113.7', locale: 'de', secret: 'a-secret' });
    await transport.fetcher(visitor({ cookie: null }), () => undefined)('/api/account', {});
    expect(calls[1]?.request.headers.get('cookie')).toBeNull();
    expect(await transport.ready()).toBe(false);
  });

  test('a call ends with its visitor, or with the signal of its own', async () => {
    const signals: AbortSignal[] = [];
    const transport = memoryTransport(
      {
        fetch: async (request) => {
          signals.push(request.signal);
          return new Response('ok');
        },
      },
      async () => true,
    );
    const [leaving, own] = [new AbortController(), new AbortController()];
    const send = transport.fetcher(visitor({ signal: leaving.signal }), () => undefined);
    await send('/api/account', {});
    await send('/api/account', { signal: own.signal });
    leaving.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    own.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});

describe('a fetcher of the hosting API elsewhere', () => {
  test('a fetcher names its visitor to the other side, and gives the whole answer with its cookies', async () => {
    const requests: object[] = [];
    handle = (request) => {
      requests.push(
        seen(
          request,
          'x-request-id',
          'x-forwarded-for',
          'accept-language',
          'accept-encoding',
          'authorization',
          'cookie',
          'user-agent',
        ),
      );
      return new Response('an answer', {
        status: 422,
        headers: [
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
        ],
      });
    };
    const cookies: string[] = [];
    const answer = await remoteTransport(base).fetcher(visitor(), (line) => cookies.push(line))('/api/account?a=b', {
      method: 'POST',
      body: '{}',
    });
    expect([answer.status, await answer.text(), cookies]).toEqual([422, 'an answer', ['a=1', 'b=2']]);
    const headers = {
      'x-request-id': 'r-1',
      'x-forwarded-for': '203.0.113.7',
      'accept-language': 'de',
      'accept-encoding': 'identity',
      authorization: 'Bearer a-secret',
      cookie: 'locale=de',
      'user-agent': 'Firefox',
    };
    expect(requests).toEqual([{ method: 'POST', path: '/api/account?a=b', headers }]);
    await remoteTransport(base).fetcher(visitor({ secret: null, cookie: null }), () => undefined)('/api/x', {});
    expect(requests[1]).toMatchObject({ method: 'GET', headers: { authorization: null, cookie: null } });
  });

  test('an answer that sends elsewhere is given as it is', async () => {
    handle = ({ url }) =>
      url.endsWith('/api/there')
        ? new Response('there')
        : new Response(null, { status: 302, headers: { location: '/api/there' } });
    const answer = await remoteTransport(base).fetcher(visitor(), () => undefined)('/api/here', {});
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/api/there']);
  });

  test('a read that takes too long is unavailable, also in the middle of its body, and a command may take longer', async () => {
    const time = stopTime();
    let arrived = gate();
    handle = ({ url }) => {
      arrived.resolve();
      return url.endsWith('/slow')
        ? new Promise<Response>(() => undefined)
        : new Response(
            new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('a')) }),
          );
    };
    const send = remoteTransport(base, 60, 120).fetcher(visitor(), () => undefined);
    for (const path of ['/api/slow', '/api/slow-body']) {
      arrived = gate();
      const error = failure(send(path, {}));
      await arrived.promise;
      time.expire();
      expect(await error).toBeInstanceOf(ApiError);
      expect(await error).toMatchObject(UNAVAILABLE);
    }
    handle = () => new Response('done');
    expect(await (await send('/api/slow', { method: 'POST' })).text()).toBe('done');
    expect(time.limits).toEqual([60, 60, 120]);
  });

  test('the reads of one page share a deadline, which a command sets again, and other reads have one each', async () => {
    const { limits } = stopTime();
    let nowMs = 1_000_000;
    spyOn(performance, 'now').mockImplementation(() => nowMs);
    const transport = remoteTransport(base, 250, 9000);
    const [each, page] = [false, true].map((isPage) => transport.fetcher(visitor({ page: isPage }), () => undefined));
    for (const [passedMs, method] of [
      [0, 'GET'],
      [100, 'GET'],
      [500, 'GET'],
      [0, 'POST'],
      [50, 'GET'],
    ] as const) {
      nowMs += passedMs;
      await each?.('/api/a', { method });
      await page?.('/api/a', { method });
    }
    // Of each pair, the read with a deadline of its own comes first.
    expect(limits).toEqual([250, 250, 250, 150, 250, 0, 9000, 9000, 250, 200]);
  });

  test('a visitor who leaves, and a call that is cancelled, end the call and are no failure of the other side', async () => {
    let arrived = 0;
    const both = gate();
    handle = () => {
      arrived += 1;
      if (arrived === 2) both.resolve();
      return new Promise<Response>(() => undefined);
    };
    const [leaving, own] = [new AbortController(), new AbortController()];
    const send = remoteTransport(base).fetcher(visitor({ signal: leaving.signal }), () => undefined);
    const calls = [failure(send('/api/a', {})), failure(send('/api/b', { signal: own.signal }))];
    await both.promise;
    own.abort();
    expect(await calls[1]).toMatchObject({ name: 'AbortError' });
    leaving.abort();
    expect(await calls[0]).toMatchObject({ name: 'AbortError' });
  });

  test('a hosting API is ready where it says so, and not where it does not or cannot be reached', async () => {
    handle = ({ url }) => new Response('', { status: url.endsWith('/readyz') ? 200 : 500 });
    expect(await remoteTransport(base).ready()).toBe(true);
    handle = () => new Response('', { status: 503 });
    expect(await remoteTransport(base).ready()).toBe(false);
    expect(await remoteTransport('http://127.0.0.1:1').ready()).toBe(false);
  });
});

describe('a request that is forwarded', () => {
  const forward = (request: Request, about = info()) => remoteTransport(base).forward(request, about);

  test('a request keeps its method, path, query and body, and only the headers that are for the API', async () => {
    const sent = {
      accept: 'text/csv',
      'accept-encoding': 'zstd',
      'content-type': 'application/json',
      'idempotency-key': 'a-key-of-one',
      'user-agent': 'Firefox',
      cookie: 'locale=de',
      'if-none-match': '"v"',
      'stripe-signature': 's',
      'paypal-auth-algo': '1',
      'paypal-cert-url': '2',
      'paypal-transmission-id': '3',
      'paypal-transmission-sig': '4',
      'paypal-transmission-time': '5',
    };
    const own = {
      'x-request-id': 'r-1',
      'x-forwarded-for': '203.0.113.7',
      'accept-language': 'de',
      authorization: 'Bearer a-secret',
    };
    const never = { origin: null, 'x-forwarded-host': null, 'x-custom': null };
    let request: object = {};
    let body = '';
    handle = async (received) => {
      request = seen(received, ...Object.keys({ ...sent, ...own, ...never }));
      body = await received.text();
      return new Response('ok');
    };
    await forward(
      new Request('https://play.example.com/api/gifts?to=1', {
        method: 'POST',
        body: '{"amount":1}',
        headers: {
          ...sent,
          'x-request-id': 'r-of-somebody',
          'x-forwarded-for': '198.51.100.1',
          authorization: 'Bearer of-somebody',
          origin: 'https://play.example.com',
          'x-forwarded-host': 'a',
          'x-custom': 'b',
        },
      }),
    );
    expect([request, body]).toEqual([
      { method: 'POST', path: '/api/gifts?to=1', headers: { ...sent, ...own, ...never } },
      '{"amount":1}',
    ]);
  });

  test('a body whose length the browser declared is declared to the other side, so that it refuses what is too long', async () => {
    const lengths: (string | null)[] = [];
    handle = (request) => {
      lengths.push(request.headers.get('content-length'), request.headers.get('transfer-encoding'));
      return new Response('ok');
    };
    const send = (headers: Record<string, string>) =>
      forward(new Request('https://play.example.com/api/gifts', { method: 'POST', body: '{"amount":1}', headers }));
    await send({ 'content-length': '12' });
    await send({});
    expect(lengths).toEqual(['12', null, null, 'chunked']);
  });

  test('a request without a session and without codings says so', async () => {
    let headers = new Headers();
    handle = (request) => {
      ({ headers } = request);
      return new Response('ok');
    };
    await forward(new Request('https://play.example.com/api/account'), info({ secret: null }));
    expect([headers.get('authorization'), headers.get('accept-encoding')]).toEqual([null, 'identity']);
  });

  test('an answer keeps its status, its body and the headers that are meant for browsers', async () => {
    const kept = {
      'cache-control': 'no-store',
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'",
      'content-type': 'text/csv',
      etag: '"v"',
      'retry-after': '7',
      vary: 'Accept-Encoding',
      'x-accel-buffering': 'no',
    };
    handle = () =>
      new Response('a,b', {
        status: 418,
        headers: [
          ...Object.entries(kept),
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
          ['x-internal', 'i'],
          ['server', 's'],
        ],
      });
    const answer = await forward(new Request('https://play.example.com/api/account'));
    const { 'set-cookie': _, ...headers } = Object.fromEntries(answer.headers);
    expect([answer.status, await answer.text(), headers]).toEqual([418, 'a,b', kept]);
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  test('a body that the other side compressed stays compressed', async () => {
    const packed = Bun.gzipSync('a long text');
    handle = () => new Response(packed, { headers: { 'content-encoding': 'gzip' } });
    const answer = await forward(
      new Request('https://play.example.com/api/account', { headers: { 'accept-encoding': 'gzip' } }),
    );
    expect([answer.headers.get('content-encoding'), await answer.bytes()]).toEqual(['gzip', packed]);
  });

  test('a connection is kept open for a stream of events, and for nothing else', async () => {
    let kept = 0;
    const about = info({ keepOpen: () => void (kept += 1) });
    for (const [type, times] of [
      ['application/json', 0],
      ['text/event-stream; charset=utf-8', 1],
    ] as const) {
      handle = () => new Response('', { headers: { 'content-type': type } });
      await forward(new Request('https://play.example.com/api/events'), about);
      expect(kept).toBe(times);
    }
  });

  test('T52 a body without declared length is sent up to the ceiling of its endpoint, to the byte', async () => {
    let size = -1;
    handle = async (request) => {
      size = (await request.bytes()).length;
      return new Response('ok');
    };
    let cancelled = false;
    const send = (bytes: number) => {
      let left = bytes;
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            const part = Math.min(left, 65_536);
            if (part === 0) return controller.close();
            left -= part;
            controller.enqueue(new Uint8Array(part));
          },
          cancel: () => void (cancelled = true),
        },
        { highWaterMark: 0 },
      );
      return forward(
        new Request('https://play.example.com/api/account/skin', {
          method: 'PUT',
          body,
          headers: { 'content-type': 'image/png' },
        }),
      );
    };
    expect([(await send(65_536)).status, size, cancelled]).toEqual([200, 65_536, false]);
    expect(await failure(send(65_537))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(cancelled).toBe(true);
  });

  test('a command without a body has none on the other side', async () => {
    let sent: unknown;
    handle = async (request) => {
      sent = [request.method, await request.text()];
      return new Response('ok');
    };
    await forward(new Request('https://play.example.com/api/auth/logout', { method: 'POST' }));
    expect(sent).toEqual(['POST', '']);
  });

  test('an answer that does not begin in time is unavailable, and one that has begun may take as long as it likes', async () => {
    const time = stopTime();
    const [asked, begun] = [gate(), gate()];
    handle = ({ url }) => {
      if (url.endsWith('/hangs')) {
        asked.resolve();
        return new Promise<Response>(() => undefined);
      }
      return new Response(
        new ReadableStream({
          async start(controller) {
            controller.enqueue(new TextEncoder().encode('a'));
            await begun.promise;
            controller.enqueue(new TextEncoder().encode('b'));
            controller.close();
          },
        }),
      );
    };
    const transport = remoteTransport(base, 1, 60);
    const ask = (path: string) => transport.forward(new Request(`https://play.example.com${path}`), info());
    const error = failure(ask('/api/hangs'));
    await asked.promise;
    time.expire();
    expect(await error).toMatchObject(UNAVAILABLE);
    const answer = await ask('/api/slow');
    time.expire();
    begun.resolve();
    expect(await answer.text()).toBe('ab');
    expect(time.limits).toEqual([60, 60]);
  });

  test('a hosting API that cannot be reached is unavailable', async () => {
    const request = new Request('https://play.example.com/api/account');
    expect(await failure(remoteTransport('http://127.0.0.1:1').forward(request, info()))).toMatchObject(UNAVAILABLE);
  });
});
