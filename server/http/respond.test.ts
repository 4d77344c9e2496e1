import { describe, expect, test } from 'bun:test';
import * as z from 'zod/mini';
import type { Endpoint } from '#shared/contract/endpoint.ts';
import { DomainError } from '#shared/errors.ts';
import { testLog } from '#tests/support/log.ts';
import { SerializedJson, type CallInfo, type HandlerCtx } from './implement.types.ts';
import { respond, toErrorResponse, withCookies } from './respond.ts';

/** An answer of an endpoint in this format, to a request with these headers. */
function answer(
  format: NonNullable<Endpoint['format']>,
  output: unknown,
  headers: Record<string, string> = {},
  info = {} as CallInfo,
) {
  const endpoint: Endpoint = {
    method: 'GET',
    path: '/api/any',
    summary: 'Do anything',
    access: 'open',
    format,
    errors: [],
    ...(format === 'json' ? { response: z.object({ a: z.number() }) } : {}),
  };
  const ctx = { idempotency: null, signal: new AbortController().signal } as HandlerCtx;
  const request = new Request('http://test/api/any', { headers });
  return respond(endpoint, output, { ctx, info, request });
}

describe('answers in each format', () => {
  test('an answer that was serialised before is sent as it is, and every other one as its schema says', async () => {
    expect(await answer('json', new SerializedJson('{"ready":true}')).text()).toBe('{"ready":true}');
    expect(await answer('json', { a: 1, b: 2 }).json()).toEqual({ success: true, error_code: null, a: 1 });
    expect(() => answer('json', { a: 'one' })).toThrow();
  });

  test('an event stream keeps its connection open however long it is silent, and no other answer does', async () => {
    let kept = 0;
    const info = { keepOpen: () => void (kept += 1) } as Partial<CallInfo> as CallInfo;
    async function* nothing() {}
    const stream = answer('events', nothing(), {}, info);
    expect([kept, stream.headers.get('content-type')]).toEqual([1, 'text/event-stream; charset=utf-8']);
    expect(await stream.text()).toBe(': open\n\n');
    answer('json', { a: 1 }, {}, info);
    expect(kept).toBe(1);
  });

  test('a redirect sends the browser on, and nobody keeps it', () => {
    const { status, headers } = answer('redirect', { to: '/account' });
    expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([302, '/account', 'no-store']);
  });

  test('T29 a download is UTF-8 with its mark, whole or in parts, under a name that adds no header', async () => {
    const csv = answer('csv', { filename: 'a b"\r\nX: 1.csv', body: 'é,1' });
    expect(csv.headers.get('content-disposition')).toBe(
      `attachment; filename="a_b___X__1.csv"; filename*=UTF-8''a%20b%22__X%3A%201.csv`,
    );
    expect([csv.headers.get('content-type'), csv.headers.get('cache-control')]).toEqual([
      'text/csv; charset=utf-8',
      'no-store',
    ]);
    async function* parts() {
      yield 'é,';
      yield '1';
    }
    const mark = [0xef, 0xbb, 0xbf];
    for (const response of [csv, answer('csv', { filename: 'a.csv', body: parts() })]) {
      const bytes = [...new Uint8Array(await response.arrayBuffer())];
      expect(bytes).toEqual([...mark, ...new TextEncoder().encode('é,1')]);
    }
  });

  test('a text is kept for a year under the address of its state, and asked for again under any other', async () => {
    const text = { type: 'text/css', body: 'a{}', version: 's1' } as const;
    const kept = answer('text', { ...text, immutable: true });
    expect([kept.status, kept.headers.get('etag'), await kept.text()]).toEqual([200, '"s1"', 'a{}']);
    expect(kept.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(kept.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer('text', { ...text, immutable: false }).headers.get('cache-control')).toBe('no-cache');
  });

  test.each(['text', 'file'] as const)(
    'whoever has the state of a %s already is sent nothing of it',
    async (format) => {
      const ask = async (has: string) => {
        const output = { type: 'text/css', body: new TextEncoder().encode('body'), version: 's1', immutable: false };
        const response = answer(format, output, has === '' ? {} : { 'If-None-Match': has });
        return [response.status, await response.text(), response.headers.get('etag')];
      };
      const whole = [200, 'body', '"s1"'];
      const nothing = [304, '', '"s1"'];
      for (const has of ['"s1"', 'W/"s1"', '"s0", "s1"', '"s1" , W/"s2"'])
        expect([has, await ask(has)]).toEqual([has, nothing]);
      for (const has of ['', '"s2"', 's1', '*"s1"', '"s0", "s2"']) expect([has, await ask(has)]).toEqual([has, whole]);
    },
  );

  test('T42 a file runs nothing, stays with the asking browser, and is saved only where it has a name', () => {
    const file = { type: 'image/png', body: new Uint8Array([1]), version: 's1' };
    const { headers } = answer('file', file);
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(headers.get('content-disposition')).toBe('inline');
    const saved = answer('file', { ...file, filename: 'receipt 7.pdf' });
    expect(saved.headers.get('content-disposition')).toBe(
      `attachment; filename="receipt_7.pdf"; filename*=UTF-8''receipt%207.pdf`,
    );
    const named = (filename: string) => answer('file', { ...file, filename }).headers.get('content-disposition');
    expect(named('latest.log')).toBe('attachment; filename="latest.log"');
    expect(named("o'(1)*\uD800.txt")).toBe(
      `attachment; filename="o__1___.txt"; filename*=UTF-8''o%27%281%29%2A%EF%BF%BD.txt`,
    );
  });

  test('cookies are added to an answer, each in a line of its own', () => {
    const response = new Response(null, { headers: { 'Set-Cookie': 'a=1' } });
    expect(withCookies(response, ['b=2; Secure', 'c=3']).headers.getSetCookie()).toEqual(['a=1', 'b=2; Secure', 'c=3']);
    expect(withCookies(new Response(), []).headers.getSetCookie()).toEqual([]);
  });

  test('a failed session is an answer of the session’s own endpoint, and a failure of every other call', () => {
    const info = { requestId: 'r' } as CallInfo;
    const statusOf = (error: Error, endpoint?: string) =>
      toErrorResponse(testLog(), error, info, endpoint === undefined ? undefined : { name: endpoint }).status;
    expect(statusOf(new DomainError('SESSION_EXPIRED'), 'session.get')).toBe(200);
    expect(statusOf(new DomainError('TW0_FA_BLOCKED'), 'session.get')).toBe(200);
    expect(statusOf(new DomainError('SERVER_UNAVAILABLE'), 'session.get')).toBe(503);
    expect(statusOf(new DomainError('TW0_FA_BLOCKED'), 'account.get')).toBeGreaterThanOrEqual(400);
    expect(statusOf(new DomainError('UNAUTHENTICATED'))).toBe(401);
    expect(statusOf(new Error('broken'), 'session.get')).toBe(500);
  });

  test('an error has its code, its fields, the whole seconds to wait, and no success', async () => {
    const info = { requestId: 'r' } as CallInfo;
    const details = { retryAfterS: 1.2, fields: { name: ['REQUIRED'] } } satisfies Partial<DomainError>;
    const limited = toErrorResponse(testLog(), new DomainError('RATE_LIMITED', details), info);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '2']);
    expect(await limited.json()).toEqual({
      success: false,
      error_code: 'RATE_LIMITED',
      fields: { name: ['REQUIRED'] },
      request_id: 'r',
    });
    const absent = toErrorResponse(testLog(), new DomainError('NOT_FOUND'), info);
    expect([absent.headers.get('retry-after'), await absent.json()]).toEqual([
      null,
      { success: false, error_code: 'NOT_FOUND', request_id: 'r' },
    ]);
  });

  test('a fault of ours is logged once with the request and the endpoint, and what the caller did wrong is not', () => {
    const log = testLog();
    const info = { requestId: 'r-7' } as CallInfo;
    toErrorResponse(log, new DomainError('NOT_FOUND'), info, { name: 'account.get' });
    toErrorResponse(log, new DOMException('gone', 'AbortError'), info, { name: 'account.get' });
    expect(log.events()).toEqual([]);
    toErrorResponse(log, new Error('broken'), info, { name: 'account.get' });
    toErrorResponse(log, 'a text', info);
    expect(log.events()).toEqual(['api.failed', 'api.failed']);
    expect(JSON.stringify(log.lines[0])).toContain('r-7');
  });
});
