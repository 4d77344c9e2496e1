import { once } from 'node:events';
import { constants, createGzip, createZstdCompress, gzipSync, zstdCompressSync } from 'node:zlib';

/** A content coding that we write. */
type Coding = 'zstd' | 'gzip';

/** Bodies of fewer bytes are not compressed: it would cost more than it saves. */
const MIN_COMPRESSED_BYTES = 1024;
/** Most bytes that are compressed at once: while they are, no other request is served. */
const MAX_PART_BYTES = 64 * 1024;
/** Media types that compress well. Never an event stream: its events must not wait in a buffer. */
const COMPRESSIBLE = /^(text\/(html|csv|plain|css|javascript)|application\/json|image\/svg\+xml)\b/;

const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const GZIP = { level: 1 };
const CODECS = {
  zstd: {
    create: () => createZstdCompress(ZSTD),
    flush: constants.ZSTD_e_flush,
    compress: (body: Uint8Array) => zstdCompressSync(body, ZSTD),
  },
  gzip: {
    create: () => createGzip(GZIP),
    flush: constants.Z_SYNC_FLUSH,
    compress: (body: Uint8Array) => gzipSync(body, GZIP),
  },
};

/**
 * Chooses the coding that a caller prefers. In: its Accept-Encoding header. Out: zstd rather than gzip where both have
 * the same weight; null where it accepts neither.
 */
export function chooseCoding(accepted: string | null): Coding | null {
  if (!accepted) return null;
  const weights = { zstd: 0, gzip: 0 };
  for (const part of accepted.slice(0, 500).split(',')) {
    const [name = '', ...parameters] = part.trim().toLowerCase().split(';');
    const weight =
      parameters
        .find((each) => each.trim().startsWith('q='))
        ?.trim()
        .slice(2) ?? '1';
    if (name.trim() === 'zstd' || name.trim() === 'gzip') weights[name.trim() as Coding] = Number(weight) || 0;
  }
  if (weights.zstd === 0 && weights.gzip === 0) return null;
  return weights.zstd >= weights.gzip ? 'zstd' : 'gzip';
}

/**
 * Compresses a response with the coding that its request prefers. Its body still streams: each part is sent as soon as
 * it is there. Out: the response as it was where it must not be changed (`Cache-Control: no-transform`: it holds a
 * secret that is shown once, which the length of a compressed body could help to guess), has a coding already, is
 * short, or is of another type.
 */
export async function compressResponse(request: Request, response: Response): Promise<Response> {
  const { headers } = response;
  if (
    !COMPRESSIBLE.test(headers.get('Content-Type') ?? '') ||
    headers.has('Content-Encoding') ||
    headers.get('Cache-Control')?.includes('no-transform')
  )
    return response;
  if (!headers.get('Vary')?.includes('Accept-Encoding')) headers.append('Vary', 'Accept-Encoding');
  // The tag named one sequence of bytes; now the same version has several.
  const tag = headers.get('ETag');
  if (tag?.startsWith('"')) headers.set('ETag', `W/${tag}`);
  const coding = request.method === 'HEAD' ? null : chooseCoding(request.headers.get('accept-encoding'));
  return coding && response.body ? encode(response, response.body, coding) : response;
}

async function encode(response: Response, body: ReadableStream<Uint8Array>, coding: Coding): Promise<Response> {
  const source = createSource(body);
  const first = await source.next();
  const respond = (content: BodyInit, encoding: Coding | null) => {
    const headers = new Headers(response.headers);
    headers.delete('Content-Length');
    if (encoding) headers.set('Content-Encoding', encoding);
    return new Response(content, { status: response.status, headers });
  };
  if (first.last) {
    return first.bytes.length < MIN_COMPRESSED_BYTES
      ? respond(first.bytes, null)
      : respond(new Uint8Array(CODECS[coding].compress(first.bytes)), coding);
  }
  return respond(encodeStream(source, first.bytes, coding), coding);
}

/**
 * Encodes a body part by part and flushes after each, so that a caller can decode a part before the next one exists.
 * In: the source and its first part. Reads the source no faster than the stream is read.
 */
function encodeStream(source: Source, first: Uint8Array, coding: Coding): ReadableStream<Uint8Array> {
  const { create, flush } = CODECS[coding];
  const codec = create();
  let encodedParts: Uint8Array[] = [];
  codec.on('data', (bytes: Uint8Array) => encodedParts.push(bytes));
  // Whoever awaits the codec gets the error; without a listener it would end the process.
  codec.on('error', () => undefined);
  let unread: { bytes: Uint8Array; last: boolean } | null = { bytes: first, last: false };
  const write = async (bytes: Uint8Array) => {
    codec.write(bytes);
    // Its callback runs when all that was written before has been encoded.
    await new Promise<void>((resolve) => codec.flush(flush, () => resolve()));
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const part = unread ?? (await source.next());
        unread = null;
        if (codec.destroyed) return;
        if (part.last) {
          const ended = once(codec, 'end');
          codec.end(part.bytes);
          await ended;
        } else await write(part.bytes);
        for (const bytes of encodedParts) controller.enqueue(bytes);
        encodedParts = [];
        if (part.last) controller.close();
      } catch (error) {
        codec.destroy();
        controller.error(error);
      }
    },
    cancel(reason) {
      codec.destroy();
      return source.cancel(reason);
    },
  });
}

interface Source {
  /** The next part, of at most `MAX_PART_BYTES`: what has arrived. `last`: nothing comes after it. */
  next(): Promise<{ bytes: Uint8Array<ArrayBuffer>; last: boolean }>;
  cancel(reason: unknown): Promise<void>;
}

/** Reads a body in parts: small chunks that are there at the same time are joined, large ones are split. */
function createSource(body: ReadableStream<Uint8Array>): Source {
  const reader = body.getReader();
  let rest: Uint8Array = new Uint8Array();
  let pendingRead: ReturnType<typeof reader.read> | null = null;
  let ended = false;
  return {
    async next() {
      const parts = [rest];
      let size = rest.length;
      while (!ended && size < MAX_PART_BYTES) {
        pendingRead ??= reader.read();
        // With nothing read yet, wait; otherwise take what has arrived, and no more.
        const read = size === 0 ? await pendingRead : await Promise.race([pendingRead, afterPendingEvents()]);
        if (!read) break;
        pendingRead = null;
        if (read.done) ended = true;
        else {
          parts.push(read.value);
          size += read.value.length;
        }
      }
      const all = parts.length === 2 && rest.length === 0 ? (parts[1] ?? rest) : Buffer.concat(parts);
      rest = all.subarray(MAX_PART_BYTES);
      return { bytes: new Uint8Array(all.subarray(0, MAX_PART_BYTES)), last: ended && rest.length === 0 };
    },
    cancel: (reason) => reader.cancel(reason),
  };
}

/** Resolves with null when all callbacks that are ready have run. */
function afterPendingEvents(): Promise<null> {
  return new Promise((resolve) => void setImmediate(() => resolve(null)));
}
