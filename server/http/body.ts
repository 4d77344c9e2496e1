import { DomainError } from '#shared/errors.ts';

/** Largest body of a command or a form. */
export const MAX_BODY_BYTES = 64 * 1024;

/**
 * Reads a JSON object. Throws DomainError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE or BAD_REQUEST (not JSON, or not an object).
 */
export async function readJson(request: Request): Promise<object> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new DomainError('UNSUPPORTED_MEDIA_TYPE');
  const text = new TextDecoder().decode(await readBounded(request));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DomainError('BAD_REQUEST');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new DomainError('BAD_REQUEST');
  return value;
}

/** Reads a body up to the limit, whether or not its length was announced. */
export async function readBounded(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw new DomainError('PAYLOAD_TOO_LARGE');
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new DomainError('PAYLOAD_TOO_LARGE');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
