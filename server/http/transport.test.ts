import { describe, expect, spyOn, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import type { CallInfo } from './implement.types.ts';
import { memoryTransport, remoteTransport } from './transport.ts';
import { failure, gate, openOtherSide, stopTime, UNAVAILABLE, visitor } from '#tests/support/transport.ts';

const other = openOtherSide();

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
    expect(call && other.seen(call.request, 'cookie', 'user-agent')).toEqual({
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
    other.handle = (request) => {
      requests.push(
        other.seen(
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
    const answer = await remoteTransport(other.base).fetcher(visitor(), (line) => cookies.push(line))(
      '/api/account?a=b',
      {
        method: 'POST',
        body: '{}',
      },
    );
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
    await remoteTransport(other.base).fetcher(visitor({ secret: null, cookie: null }), () => undefined)('/api/x', {});
    expect(requests[1]).toMatchObject({ method: 'GET', headers: { authorization: null, cookie: null } });
  });

  test('an answer that sends elsewhere is given as it is', async () => {
    other.handle = ({ url }) =>
      url.endsWith('/api/there')
        ? new Response('there')
        : new Response(null, { status: 302, headers: { location: '/api/there' } });
    const answer = await remoteTransport(other.base).fetcher(visitor(), () => undefined)('/api/here', {});
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/api/there']);
  });

  test('a read that takes too long is unavailable, also in the middle of its body, and a command may take longer', async () => {
    const time = stopTime();
    let arrived = gate();
    other.handle = ({ url }) => {
      arrived.resolve();
      return url.endsWith('/slow')
        ? new Promise<Response>(() => undefined)
        : new Response(
            new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('a')) }),
          );
    };
    const send = remoteTransport(other.base, 60, 120).fetcher(visitor(), () => undefined);
    for (const path of ['/api/slow', '/api/slow-body']) {
      arrived = gate();
      const error = failure(send(path, {}));
      await arrived.promise;
      time.expire();
      expect(await error).toBeInstanceOf(ApiError);
      expect(await error).toMatchObject(UNAVAILABLE);
    }
    other.handle = () => new Response('done');
    expect(await (await send('/api/slow', { method: 'POST' })).text()).toBe('done');
    expect(time.limits).toEqual([60, 60, 120]);
  });

  test('the reads of one page share a deadline, which a command sets again, and other reads have one each', async () => {
    const { limits } = stopTime();
    let nowMs = 1_000_000;
    spyOn(performance, 'now').mockImplementation(() => nowMs);
    const transport = remoteTransport(other.base, 250, 9000);
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
    other.handle = () => {
      arrived += 1;
      if (arrived === 2) both.resolve();
      return new Promise<Response>(() => undefined);
    };
    const [leaving, own] = [new AbortController(), new AbortController()];
    const send = remoteTransport(other.base).fetcher(visitor({ signal: leaving.signal }), () => undefined);
    const calls = [failure(send('/api/a', {})), failure(send('/api/b', { signal: own.signal }))];
    await both.promise;
    own.abort();
    expect(await calls[1]).toMatchObject({ name: 'AbortError' });
    leaving.abort();
    expect(await calls[0]).toMatchObject({ name: 'AbortError' });
  });

  test('a hosting API is ready where it says so, and not where it does not or cannot be reached', async () => {
    other.handle = ({ url }) => new Response('', { status: url.endsWith('/readyz') ? 200 : 500 });
    expect(await remoteTransport(other.base).ready()).toBe(true);
    other.handle = () => new Response('', { status: 503 });
    expect(await remoteTransport(other.base).ready()).toBe(false);
    expect(await remoteTransport('http://127.0.0.1:1').ready()).toBe(false);
  });
});
