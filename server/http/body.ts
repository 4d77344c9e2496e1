import type { Endpoint } from '#shared/contract/endpoint.ts';
import { DomainError } from '#shared/errors.ts';

const UTF8 = new TextDecoder();
const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/**
 * Reads a JSON object of at most `max` bytes. Throws DomainError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE or
 * BAD_REQUEST (not JSON, or not an object).
 */
export async function readJson(request: Request, max: number): Promise<object> {
  if (mediaType(request.headers.get('content-type')) !== 'application/json')
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE');
  const text = UTF8.decode(await readBounded(request, max));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DomainError('BAD_REQUEST');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new DomainError('BAD_REQUEST');
  return value;
}

/**
 * Reads a form of at most `max` bytes into memory and checks that it can be parsed. Out: the same request with the body
 * in memory. Throws DomainError UNSUPPORTED_MEDIA_TYPE (not a form, or one without a boundary), PAYLOAD_TOO_LARGE or
 * BAD_REQUEST (malformed or truncated).
 */
export async function bufferForm(request: Request, max: number): Promise<Request> {
  const type = request.headers.get('content-type') ?? '';
  if (
    !FORM_TYPES.includes(mediaType(type)) ||
    (mediaType(type) === 'multipart/form-data' && !/;\s*boundary=/i.test(type))
  )
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE');
  const body = await readBounded(request, max);
  try {
    await new Response(body, { headers: { 'Content-Type': type } }).formData();
  } catch {
    throw new DomainError('BAD_REQUEST');
  }
  return new Request(request.url, { method: request.method, headers: request.headers, body, signal: request.signal });
}

const mediaType = (header: string | null): string => (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/**
 * Reads a file that is sent as the body itself. In: the content types that are taken, and the most bytes it may have.
 * Throws DomainError UNSUPPORTED_MEDIA_TYPE (also where the body is compressed), PAYLOAD_TOO_LARGE or BAD_REQUEST
 * (truncated).
 */
export async function readUpload(
  request: Request,
  { type, also = [], max }: NonNullable<Endpoint['upload']>,
): Promise<Uint8Array<ArrayBuffer>> {
  const sent = mediaType(request.headers.get('content-type'));
  if ((sent !== type && !also.includes(sent)) || request.headers.has('content-encoding'))
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE');
  return readBounded(request, max);
}

/**
 * Reads a body of at most `max` bytes, whether or not its length was declared. Throws PAYLOAD_TOO_LARGE, or BAD_REQUEST
 * where it was truncated.
 */
async function readBounded(request: Request, max: number): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await readBytes(request, max);
  } catch (error) {
    throw error instanceof DomainError ? error : new DomainError('BAD_REQUEST');
  }
}

async function readBytes(request: Request, max: number): Promise<Uint8Array<ArrayBuffer>> {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > max) throw new DomainError('PAYLOAD_TOO_LARGE');
  // The socket delivers no more than the declared length; reading it in one piece costs a tenth.
  if (declared > 0) return new Uint8Array(await request.arrayBuffer());
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > max) throw new DomainError('PAYLOAD_TOO_LARGE');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
