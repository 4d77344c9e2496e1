import { expect, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { DomainError } from '#shared/errors.ts';
import { ARRIVAL_HEADER, arrivalOf, writeArrival } from './arrival.ts';
import type { CallInfo } from './implement.types.ts';
import { createOwnSocketApp } from './own-socket.ts';

const SECRET = 'a-secret-of-twenty-four-signs';

/** The socket's application over a hosting API that a test plays. */
function open(
  answer: (request: Request, info: CallInfo) => Promise<Response> = async () => new Response('ok'),
  local = false,
) {
  const calls: CallInfo[] = [];
  const errors: unknown[] = [];
  let isReady = true;
  let kept = 0;
  const app = createOwnSocketApp({
    transport: {
      ready: async () => isReady,
      forward: (request, info) => {
        calls.push(info);
        return answer(request, info);
      },
      fetcher: () => fetch,
    },
    chooseLocale: (_, accepted) => (accepted === 'de' ? 'de' : 'en'),
    local,
    exchange: (said) => ({ said }),
    metrics: () => new Response('metrics'),
    newId: () => 'r-own',
    log: { info: () => undefined, warn: () => undefined, error: (event) => void errors.push(event) },
  });
  const ask = (path: string, init: RequestInit = {}) =>
    app(new Request(`http://api.internal${path}`, init), { timeout: () => void (kept += 1) });
  return { ask, calls, errors, kept: () => kept, away: () => void (isReady = false) };
}

test('what a web process says of its visitor is what the hosting API goes by', async () => {
  const { ask, calls } = open();
  await ask('/api/account', {
    headers: {
      'x-request-id': 'r-1',
      'x-forwarded-for': '203.0.113.7',
      'accept-language': 'de',
      authorization: `Bearer ${SECRET}`,
      cookie: '__Host-spawnpoint=another-secret-of-a-cookie',
    },
  });
  await ask('/api/account', { headers: { cookie: `__Host-spawnpoint=${SECRET}` } });
  expect(calls[0]).toMatchObject({ requestId: 'r-1', address: '203.0.113.7', locale: 'de', secret: SECRET });
  expect(calls[0]?.readAs).toBeUndefined();
  expect(calls[1]).toMatchObject({ requestId: 'r-own', address: 'unknown', secret: null });
});

test('how a request would be read behind other proxies is known as in one process', async () => {
  const request = new Request('http://10.1.1.1/api/admin/settings?token=secret', {
    headers: {
      host: 'play.example.com',
      'x-forwarded-for': '198.51.100.9',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'play.example.com',
      'user-agent': 'ä',
    },
  });
  const arrival = writeArrival(arrivalOf(request, '10.0.0.2'));
  expect(decodeURIComponent(arrival)).not.toContain('secret');
  const { ask, calls } = open();
  await ask('/api/admin/settings', { headers: { [ARRIVAL_HEADER]: arrival } });
  const readAs = calls[0]?.readAs;
  expect(readAs?.(['10.0.0.0/8'])).toEqual({
    address: '198.51.100.9',
    origin: 'https://play.example.com',
    blocked: false,
  });
  expect(readAs?.([])).toEqual({ address: '10.0.0.2', origin: 'http://play.example.com', blocked: true });
});

test('a visitor on this machine passes the access check under --local alone', async () => {
  const arrival = writeArrival(
    arrivalOf(new Request('http://127.0.0.1:3000/', { headers: { host: '127.0.0.1:3000' } }), '127.0.0.1'),
  );
  const blocked = async (local: boolean) => {
    const { ask, calls } = open(undefined, local);
    await ask('/api/admin/settings', { headers: { [ARRIVAL_HEADER]: arrival } });
    return calls[0]?.readAs?.([]).blocked;
  };
  expect([await blocked(true), await blocked(false)]).toEqual([false, true]);
});

test('an installation that is closed is unavailable, a refusal keeps its code, and a fault is logged and says nothing', async () => {
  const failing = async (error: Error) => {
    const { ask, errors } = open(async () => {
      throw error;
    });
    const response = await ask('/api/account', { headers: { 'x-request-id': 'r-2' } });
    return [response.status, await response.json(), errors];
  };
  expect(await failing(new ApiError('SERVER_UNAVAILABLE', 503, { requestId: 'r' }))).toEqual([
    503,
    { success: false, error_code: 'SERVER_UNAVAILABLE', request_id: 'r-2' },
    [],
  ]);
  expect(await failing(new DomainError('PAYLOAD_TOO_LARGE'))).toMatchObject([
    413,
    { error_code: 'PAYLOAD_TOO_LARGE' },
    [],
  ]);
  expect(await failing(new Error('no such table'))).toEqual([
    500,
    { success: false, error_code: 'SERVER_ERROR', request_id: 'r-2' },
    ['http.failed'],
  ]);
});

test('the socket says whether the installation is ready, gives its metrics, and takes what web processes say', async () => {
  const { ask, away, calls } = open();
  expect((await ask('/readyz')).status).toBe(200);
  away();
  expect((await ask('/readyz')).status).toBe(503);
  expect(await (await ask('/metrics')).text()).toBe('metrics');
  const said = await ask('/web-process', { method: 'POST', body: '{"byClass":[]}' });
  expect(await said.json()).toEqual({ said: { byClass: [] } });
  expect(calls).toEqual([]);
});

test('a stream lifts the time limit of its connection', async () => {
  const { ask, kept } = open(async (_, info) => {
    info.keepOpen();
    return new Response('');
  });
  await ask('/api/events');
  expect(kept()).toBe(1);
});
