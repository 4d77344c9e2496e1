import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, mock, spyOn, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { FILE_PART_BYTES } from '#shared/schemas/server-files.ts';
import type { CallInfo } from './implement.types.ts';
import { ARRIVAL_HEADER } from './arrival.ts';
import { memoryTransport, remoteTransport, socketTransport } from './transport.ts';

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
  secret: 'a-secret-of-twenty-four-signs',
  cookie: 'locale=de',
  userAgent: 'Firefox',
  signal: new AbortController().signal,
  ...over,
});
const info = (over: Partial<CallInfo> = {}): CallInfo => ({
  requestId: 'r-1',
  address: '203.0.113.7',
  locale: 'de',
  secret: 'a-secret-of-twenty-four-signs',
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
    expect(call?.info).toMatchObject({
      requestId: 'r-1',
      address: '203.0.113.7',
      locale: 'de',
      secret: 'a-secret-of-twenty-four-signs',
    });
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
      authorization: 'Bearer a-secret-of-twenty-four-signs',
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
      authorization: 'Bearer a-secret-of-twenty-four-signs',
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
          authorization: 'Bearer the-secret-of-somebody-else',
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
      location: '/elsewhere',
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

describe('the hosting API of this machine, through its socket', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-transport-'));
  const path = join(folder, 'api.sock');
  let listening: ReturnType<typeof Bun.serve> | null = null;
  const listen = () =>
    (listening = Bun.serve({ unix: path, maxRequestBodySize: 2 ** 30, fetch: (request) => handle(request) }));
  const close = async () => {
    await listening?.stop(true);
    listening = null;
  };
  afterEach(close);
  afterAll(() => rmSync(folder, { recursive: true }));
  const forever = new AbortController().signal;
  const transport = (streams = forever) => socketTransport(path, streams);
  const post = (body: BodyInit) =>
    new Request('https://play.example.com/api/gifts', { method: 'POST', body, headers: { 'content-type': 'a/b' } });

  test('reads and commands wait while nobody listens, with their bodies whole, and are sent once', async () => {
    const bodies: string[] = [];
    handle = async (request) => {
      bodies.push(await request.text());
      return new Response('ok');
    };
    const upload = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const part of ['a', 'b', 'c']) controller.enqueue(new TextEncoder().encode(part));
        controller.close();
      },
    });
    const looked = gate();
    const { sleep } = Bun;
    spyOn(Bun, 'sleep').mockImplementation((ms) => {
      looked.resolve();
      return sleep(ms);
    });
    const answers = [
      transport().fetcher(visitor(), () => undefined)('/api/account', {}),
      transport().forward(post('text'), info()),
      transport().forward(post(upload), info()),
    ];
    await looked.promise;
    listen();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(bodies.toSorted()).toEqual(['', 'abc', 'text']);
  });

  test('T63 a command whose connection was cut is not sent again, and a read is', async () => {
    const cut = async (request: Request): Promise<Response> => {
      await request.text();
      handle = () => new Response('from the next');
      await close();
      listen();
      return new Response('too late');
    };
    let commands = 0;
    listen();
    handle = (request) => {
      commands += 1;
      return cut(request);
    };
    expect(await failure(transport().forward(post('{}'), info()))).toMatchObject(UNAVAILABLE);
    expect(commands).toBe(1);
    handle = cut;
    const read = await transport().fetcher(visitor(), () => undefined)('/api/account', {});
    expect(await read.text()).toBe('from the next');
  });

  test('a hosting API that stays away is unavailable after a while, and is not ready', async () => {
    let nowMs = 0;
    spyOn(performance, 'now').mockImplementation(() => (nowMs += 5_000));
    expect(await failure(transport().forward(post('{}'), info()))).toMatchObject(UNAVAILABLE);
    expect(await transport().ready()).toBe(false);
    handle = () => new Response('');
    listen();
    expect(await transport().ready()).toBe(true);
  });

  test('how a request arrived is said through the socket, and to nobody over HTTP', async () => {
    const arrivals: (string | null)[] = [];
    handle = ({ headers }) => {
      arrivals.push(headers.get(ARRIVAL_HEADER));
      return new Response('ok');
    };
    listen();
    const arrival = () => 'how-it-arrived';
    await transport().forward(post('{}'), info({ arrival }));
    await transport().fetcher(visitor({ arrival }), () => undefined)('/api/account', {});
    await remoteTransport(base).forward(post('{}'), info({ arrival }));
    expect(arrivals).toEqual(['how-it-arrived', 'how-it-arrived', null]);
  });

  test('an event stream ends in order when this process stops, and what it came from is let go', async () => {
    const cancelled = gate();
    handle = () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode(': open')),
          cancel: () => cancelled.resolve(),
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    listen();
    const stopping = new AbortController();
    const answer = await transport(stopping.signal).forward(new Request('https://play.example.com/api/events'), info());
    const reader = answer.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(': open');
    const rest = reader?.read();
    stopping.abort();
    expect((await rest)?.done).toBe(true);
    await cancelled.promise;
  });

  test('T52 a slow reader holds a long answer back, and a slow hosting API a long upload: neither is kept in memory', async () => {
    // As much as a part of a file may have.
    const PARTS = 64;
    const PART = FILE_PART_BYTES / PARTS;
    let made = 0;
    const parts = () => {
      made = 0;
      return new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            made += 1;
            controller.enqueue(new Uint8Array(PART));
            if (made === PARTS) controller.close();
          },
        },
        { highWaterMark: 0 },
      );
    };
    /** What was made when nothing more of it is for a while. */
    const settled = async (): Promise<number> => {
      for (let before = -1; before !== made; await Bun.sleep(100)) before = made;
      return made;
    };
    listen();
    handle = () => new Response(parts(), { headers: { 'content-type': 'application/octet-stream' } });
    const answer = await transport().forward(new Request('https://play.example.com/api/account'), info());
    expect(await settled()).toBeLessThan(PARTS / 2);
    expect((await answer.bytes()).length).toBe(PART * PARTS);

    const begin = gate();
    handle = async (request) => {
      await begin.promise;
      return new Response(String((await request.bytes()).length));
    };
    const path = '/api/servers/01890000-0000-7000-8000-000000000000/file-uploads/a?at=0';
    const sent = transport().forward(
      new Request(`https://play.example.com${path}`, { method: 'PUT', body: parts() }),
      info(),
    );
    expect(await settled()).toBeLessThan(PARTS / 2);
    begin.resolve();
    expect(await (await sent).text()).toBe(String(FILE_PART_BYTES));
  });
});

test('an upload may take as long as it moves: each part begins the time limit again', async () => {
  const time = stopTime();
  handle = async (request) => new Response(String((await request.bytes()).length));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let each = 0; each < 3; each += 1) controller.enqueue(new Uint8Array(10));
      controller.close();
    },
  });
  const request = new Request('https://play.example.com/api/gifts', { method: 'POST', body });
  const answer = await remoteTransport(base, 1, 60).forward(request, info());
  expect(await answer.text()).toBe('30');
  // At first, for each of three parts, and for the end.
  expect(time.limits).toEqual([60, 60, 60, 60, 60]);
});
