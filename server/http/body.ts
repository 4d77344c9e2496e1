import { DomainError } from '#shared/errors.ts';

/** Largest body of a command or a form. */
const MAX_BODY_BYTES = 64 * 1024;
/** Largest body of all: a form with a file, as browsers without scripts send it. What is in it is bounded again where it is read. */
export const MAX_REQUEST_BYTES = 2 * MAX_BODY_BYTES;

const UTF8 = new TextDecoder();

/**
 * Reads a JSON object. Throws DomainError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE or BAD_REQUEST (not JSON, or not an object).
 */
export async function readJson(request: Request): Promise<object> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new DomainError('UNSUPPORTED_MEDIA_TYPE');
  const text = UTF8.decode(await readBounded(request, MAX_BODY_BYTES));
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
 * Reads a file that is sent as it is. In: its content type and the most bytes it may have.
 * Throws DomainError UNSUPPORTED_MEDIA_TYPE (also where the body is packed) or PAYLOAD_TOO_LARGE.
 */
export async function readUpload(request: Request, { type, max }: { type: string; max: number }): Promise<Uint8Array<ArrayBuffer>> {
  const given = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (given !== type || request.headers.has('content-encoding')) throw new DomainError('UNSUPPORTED_MEDIA_TYPE');
  return readBounded(request, max);
}

/** Reads a body up to a limit of bytes, whether or not its length was announced. */
async function readBounded(request: Request, max: number): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > max) throw new DomainError('PAYLOAD_TOO_LARGE');
  // Of an announced body the socket hands over no byte more; read in one piece it costs a tenth.
  if (announced > 0) return new Uint8Array(await request.arrayBuffer());
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
