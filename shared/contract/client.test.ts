import { describe, expect, test } from 'bun:test';
import { ERRORS, statusOf } from '../errors.ts';
import { ApiError, readAnswer } from './client.ts';
import { createApi } from './index.ts';

const failed = (status: number, body: BodyInit | null, headers: Record<string, string> = {}) =>
  readAnswer(new Response(body, { status, headers }));
async function errorOf(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (error instanceof ApiError) return error;
  throw new Error('no ApiError', { cause: error });
}

describe('an answer that is none of ours', () => {
  test.each([500, 501, 502, 504, 520, 599])('S8.5 HTTP %d is SERVER_ERROR', async (status) => {
    expect(await errorOf(failed(status, '<h1>Bad gateway</h1>'))).toMatchObject({ code: 'SERVER_ERROR', status });
  });
  test('S8.5 HTTP 503 is SERVER_UNAVAILABLE, with or without words of ours', async () => {
    expect(await errorOf(failed(503, 'busy'))).toMatchObject({ code: 'SERVER_UNAVAILABLE', status: 503 });
    expect(await errorOf(failed(503, '{"success":false,"error_code":"NO_CODE_OF_OURS"}'))).toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      status: 503,
    });
    expect([statusOf('SERVER_UNAVAILABLE'), statusOf('SERVER_ERROR')]).toEqual([503, 500]);
  });
  test.each([
    [500, 'SERVER_ERROR'],
    [503, 'SERVER_UNAVAILABLE'],
  ] as const)('S8.5 from 500 on the status counts, whatever the body says: %d', async (status, code) => {
    expect(await errorOf(failed(status, '{"success":false,"error_code":"NOT_FOUND"}'))).toMatchObject({ code, status });
  });
  test.each(['', 'not found', '<b>', 'a.b', '__proto__', 7, null])(
    'what does not look like a code is none: %p',
    async (said) => {
      expect(await errorOf(failed(404, JSON.stringify({ success: false, error_code: said })))).toMatchObject({
        code: 'SERVER_ERROR',
        status: 404,
      });
    },
  );
  test('S8.5 no other code of the catalogue stands for 500 or above', () => {
    expect(Object.entries(ERRORS).filter(([, status]) => status >= 500)).toEqual([
      ['SERVER_ERROR', 500],
      ['SERVER_UNAVAILABLE', 503],
    ]);
  });
  test('a coded refusal keeps its code, fields, request and waiting time', async () => {
    const body = JSON.stringify({
      success: false,
      error_code: 'RATE_LIMITED',
      fields: { a: ['REQUIRED'] },
      request_id: 'r1',
    });
    expect(await errorOf(failed(429, body, { 'Retry-After': '7' }))).toMatchObject({
      code: 'RATE_LIMITED',
      fields: { a: ['REQUIRED'] },
      requestId: 'r1',
      retryAfterS: 7,
    });
  });
});

describe('a question', () => {
  async function sent(ask: (api: ReturnType<typeof createApi>) => Promise<unknown>) {
    const seen: { path: string; init: RequestInit }[] = [];
    const api = createApi(
      async (path, init) => {
        seen.push({ path, init });
        return Response.json({ success: true, error_code: null });
      },
      () => 'key',
    );
    await ask(api);
    const [first] = seen;
    if (!first) throw new Error('nothing was sent');
    return { path: first.path, init: first.init, headers: new Headers(first.init.headers) };
  }

  test('S7.1 the session is asked for past every cache', async () => {
    const { path, init, headers } = await sent((api) => api.session.get());
    expect([path, init.method, init.cache, headers.get('cache-control'), headers.get('pragma')]).toEqual([
      '/api/user/session',
      'GET',
      'no-store',
      'no-cache',
      'no-cache',
    ]);
  });
  test('other questions may be answered by a cache that is allowed to', async () => {
    const { init, headers } = await sent((api) => api.system.settings());
    expect([init.cache, headers.get('cache-control')]).toEqual([undefined, null]);
  });
});
