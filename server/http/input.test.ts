import { describe, expect, test } from 'bun:test';
import * as z from 'zod/mini';
import type { Endpoint } from '#shared/contract/endpoint.ts';
import { DomainError } from '#shared/errors.ts';
import { readIdempotencyKey, readInput } from './input.ts';

const ENDPOINT = {
  name: 'any.get',
  method: 'POST',
  path: '/api/any',
  summary: 'Do anything',
  access: 'open',
  errors: [],
} as const;

describe('what was sent', () => {
  test('the fields of a query are read from its first sign to its last, and there may be none', async () => {
    const endpoint: Endpoint = {
      ...ENDPOINT,
      query: z.object({ ab: z.optional(z.string()), c: z.optional(z.string()) }),
    };
    const queryOf = async (address: string) =>
      (await readInput(endpoint, new Request(`http://test${address}`), {})).query;
    expect(await queryOf('/api/any?ab=1&c=x%20y')).toEqual({ ab: '1', c: 'x y' });
    expect(await queryOf('/api/any?c=a?ab=2')).toEqual({ c: 'a?ab=2' });
    expect(await queryOf('/api/any?')).toEqual({});
    expect(await queryOf('/api/any')).toEqual({});
  });

  test('a query that does not fit is refused with its field, and one that nobody asked for is not read', async () => {
    const query = z.object({ page: z.string().check(z.regex(/^\d+$/)) });
    const refused = readInput({ ...ENDPOINT, query }, new Request('http://test/api/any?page=x'), {});
    const error = await refused.catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', fields: { page: expect.anything() } });
    expect(await readInput(ENDPOINT, new Request('http://test/api/any?page=x'), { id: 'a' })).toEqual({
      params: { id: 'a' },
      query: undefined,
      body: undefined,
    });
  });

  test('an If-Match stands in for what the body should say it saw, and one that fits nothing is refused', async () => {
    const endpoint: Endpoint = { ...ENDPOINT, versioned: true, body: z.strictObject({ updated_at: z.string() }) };
    const read = (body: object, ifMatch?: string, from = endpoint) =>
      readInput(
        from,
        new Request('http://test/api/any', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }) },
          body: JSON.stringify(body),
        }),
        {},
      ).then(
        (input) => (input.body as { updated_at: string }).updated_at,
        (error: DomainError) => error.code,
      );
    expect([await read({}, '"v1"'), await read({}, 'W/"v1"'), await read({ updated_at: 'v1' }, '"v1"')]).toEqual([
      'v1',
      'v1',
      'v1',
    ]);
    expect([await read({ updated_at: 'v1' }), await read({ updated_at: 'v1' }, '*')]).toEqual(['v1', 'v1']);
    expect([await read({ updated_at: 'v2' }, '"v1"'), await read({}, 'v1'), await read({}, '"v1", "v2"')]).toEqual(
      Array(3).fill('CONFLICT'),
    );
    expect([await read({}), await read({}, '*')]).toEqual(['VALIDATION_FAILED', 'VALIDATION_FAILED']);
    const { versioned: _, ...plain } = endpoint;
    expect(await read({}, '"v1"', plain)).toBe('VALIDATION_FAILED');
  });

  test('a key of a command has 8 to 200 printed signs, and counts only where the endpoint takes one', () => {
    const input = { params: { id: 'a' }, query: undefined, body: { n: 1 } };
    const read = (key: string | null, more: object = { idempotent: true }, sent = input) =>
      readIdempotencyKey(
        { ...ENDPOINT, ...more },
        new Request('http://test/api/any', { headers: key === null ? {} : { 'Idempotency-Key': key } }),
        sent,
        (text) => text,
      );
    for (const key of ['12345678', 'x'.repeat(200), '!~!~!~!~'])
      expect(read(key)).toEqual({ key, hash: `any.get\n${JSON.stringify(input)}` });
    for (const key of ['1234567', 'x'.repeat(201), '1234 678', 'schlüssel', ''])
      expect(() => read(key)).toThrow(DomainError);
    expect([read(null), read('12345678', {}), read('1', {})]).toEqual([null, null, null]);
    const other = { ...input, body: { n: 2 } };
    expect(read('12345678', { idempotent: true }, other)?.hash).not.toBe(read('12345678')?.hash);
    expect(read('12345678', { idempotent: true, name: 'any.other' })?.hash).not.toBe(read('12345678')?.hash);
  });
});
