import { zValidator } from '@hono/zod-validator';
import type { MiddlewareHandler } from 'hono';
import { ceilingOf } from '#shared/ceilings.ts';
import type { Endpoint } from '#shared/contract/endpoint.ts';
import { DomainError } from '#shared/errors.ts';
import { fieldErrors } from '#shared/validation.ts';
import type { Ctx } from '#server/modules/kernel.ts';
import { readJson, readUpload } from './body.ts';

/** The validated parts of a request; undefined where the endpoint has none. */
export interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Validates the parameters of the path. An impossible one is a path that does not exist: throws NOT_FOUND. */
export const validateParams = (schema: NonNullable<Endpoint['params']>): MiddlewareHandler =>
  zValidator('param', schema, (result) => {
    if (!result.success) throw new DomainError('NOT_FOUND');
  });

/**
 * Reads and validates the query and the body of a request. In: the validated parameters of its path. Throws DomainError
 * VALIDATION_FAILED with the fields that do not fit, CONFLICT for an `If-Match` that fits nothing, and what reading a
 * body throws (body.ts).
 */
export async function readInput(endpoint: Endpoint, request: Request, params: unknown): Promise<Input> {
  const query = endpoint.query && parseFields(endpoint.query, parseQuery(request.url));
  if (endpoint.upload) return { params, query, body: await readUpload(request, endpoint.upload) };
  const sent = endpoint.body && (await readJson(request, ceilingOf(endpoint)));
  if (sent && endpoint.versioned) takeVersion(sent, request.headers.get('if-match'));
  const body = endpoint.body && sent && parseFields(endpoint.body, sent);
  return { params, query, body };
}

/**
 * What the caller saw of what they change: an `If-Match` stands in for the `updated_at` of the body. `*` and no header
 * leave it as it is. Throws CONFLICT where both are there and differ, or where it is no ETag of ours.
 */
function takeVersion(sent: object, ifMatch: string | null): void {
  if (ifMatch === null || ifMatch.trim() === '*') return;
  const version = /^\s*(?:W\/)?"([^"]{1,40})"\s*$/.exec(ifMatch)?.[1];
  const own: unknown = Object.hasOwn(sent, 'updated_at') ? Reflect.get(sent, 'updated_at') : version;
  if (version === undefined || own !== version) throw new DomainError('CONFLICT');
  Reflect.set(sent, 'updated_at', version);
}

function parseQuery(url: string): Record<string, string> {
  const start = url.indexOf('?');
  return start < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start + 1)));
}

function parseFields(schema: NonNullable<Endpoint['query']>, sent: object): unknown {
  const parsed = schema.safeParse(sent, { reportInput: true });
  if (!parsed.success) throw new DomainError('VALIDATION_FAILED', { fields: fieldErrors(parsed.error) });
  return parsed.data;
}

/**
 * The Idempotency-Key of a request, with a hash of its input. Null where the endpoint takes none or none was sent.
 * Throws DomainError BAD_REQUEST for a key that is not 8 to 200 visible ASCII characters.
 */
export function readIdempotencyKey(
  endpoint: Endpoint & { readonly name: string },
  request: Request,
  input: Input,
  hash: (text: string) => string,
): Ctx['idempotency'] {
  const key = endpoint.idempotent ? request.headers.get('idempotency-key') : null;
  if (key === null) return null;
  if (!/^[\x21-\x7e]{8,200}$/.test(key)) throw new DomainError('BAD_REQUEST');
  return { key, hash: hash(`${endpoint.name}\n${JSON.stringify(input)}`) };
}
