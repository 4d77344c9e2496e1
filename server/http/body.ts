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
 * Looks at a form of at most `max` bytes that a browser sent without scripts, before anybody reads fields of it. Out:
 * the request again, whole. Throws DomainError UNSUPPORTED_MEDIA_TYPE (no form, or one without a boundary),
 * PAYLOAD_TOO_LARGE or BAD_REQUEST (a form that cannot be read, or that was cut off).
 */
export async function checkedForm(request: Request, max: number): Promise<Request> {
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
 * Reads a file that is sent as it is. In: its content type and the most bytes it may have. Throws DomainError
 * UNSUPPORTED_MEDIA_TYPE (also where the body is packed) or PAYLOAD_TOO_LARGE.
 */
export async function readUpload(
  request: Request,
  { type, max }: { type: string; max: number },
): Promise<Uint8Array<ArrayBuffer>> {
  if (mediaType(request.headers.get('content-type')) !== type || request.headers.has('content-encoding'))
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE');
  return readBounded(request, max);
}

/**
 * Reads a body up to a limit of bytes, whether or not its length was announced. Throws PAYLOAD_TOO_LARGE, or
 * BAD_REQUEST where it was cut off on the way.
 */
async function readBounded(request: Request, max: number): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await bytesOf(request, max);
  } catch (error) {
    throw error instanceof DomainError ? error : new DomainError('BAD_REQUEST');
  }
}

async function bytesOf(request: Request, max: number): Promise<Uint8Array<ArrayBuffer>> {
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
