import { describe, expect, test } from 'bun:test';
import { remoteTransport } from './transport.ts';
import { failure, gate, info, stopTime, UNAVAILABLE, openOtherSide } from '#tests/support/transport.ts';

const other = openOtherSide();

describe('a request that is forwarded', () => {
  const forward = (request: Request, about = info()) => remoteTransport(other.base).forward(request, about);

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
    other.handle = async (received) => {
      request = other.seen(received, ...Object.keys({ ...sent, ...own, ...never }));
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

  test('a length that the browser declared is declared to the other side, which refuses a long body', async () => {
    const lengths: (string | null)[] = [];
    other.handle = (request) => {
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
    other.handle = (request) => {
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
    other.handle = () =>
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
    other.handle = () => new Response(packed, { headers: { 'content-encoding': 'gzip' } });
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
      other.handle = () => new Response('', { headers: { 'content-type': type } });
      await forward(new Request('https://play.example.com/api/events'), about);
      expect(kept).toBe(times);
    }
  });

  test('T52 a body without declared length is sent up to the ceiling of its endpoint, to the byte', async () => {
    let size = -1;
    other.handle = async (request) => {
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
    other.handle = async (request) => {
      sent = [request.method, await request.text()];
      return new Response('ok');
    };
    await forward(new Request('https://play.example.com/api/auth/logout', { method: 'POST' }));
    expect(sent).toEqual(['POST', '']);
  });

  test('an answer that does not begin in time is unavailable, and one that has begun may take long', async () => {
    const time = stopTime();
    const [asked, begun] = [gate(), gate()];
    other.handle = ({ url }) => {
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
    const transport = remoteTransport(other.base, 1, 60);
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

test('an upload may take as long as it moves: each part begins the time limit again', async () => {
  const time = stopTime();
  other.handle = async (request) => new Response(String((await request.bytes()).length));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let each = 0; each < 3; each += 1) controller.enqueue(new Uint8Array(10));
      controller.close();
    },
  });
  const request = new Request('https://play.example.com/api/gifts', { method: 'POST', body });
  const answer = await remoteTransport(other.base, 1, 60).forward(request, info());
  expect(await answer.text()).toBe('30');
  // At first, for each of three parts, and for the end.
  expect(time.limits).toEqual([60, 60, 60, 60, 60]);
});
