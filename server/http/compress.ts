import { once } from 'node:events';
import { constants, createGzip, createZstdCompress, gzipSync, zstdCompressSync } from 'node:zlib';

/** A coding that we write. */
type Coding = 'zstd' | 'gzip';

/** Below this many bytes a body goes as it is: the coding would cost more than it saves. */
export const COMPRESS_FROM = 1024;
/**
 * Most bytes that are compressed in one go. More would hold up other visitors, and the first of them would wait for the
 * last.
 */
const SLICE = 64 * 1024;
/** Types that compress well. Never an event stream: its lines must not wait for one another. */
const TYPES = /^(text\/(html|csv|plain|css|javascript)|application\/json|image\/svg\+xml)\b/;

const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const GZIP = { level: 1 };
const CODECS = {
  zstd: {
    open: () => createZstdCompress(ZSTD),
    flush: constants.ZSTD_e_flush,
    whole: (body: Uint8Array) => zstdCompressSync(body, ZSTD),
  },
  gzip: {
    open: () => createGzip(GZIP),
    flush: constants.Z_SYNC_FLUSH,
    whole: (body: Uint8Array) => gzipSync(body, GZIP),
  },
};

/**
 * The coding that a caller likes best. In: its Accept-Encoding header. Out: zstd before gzip where it likes both as
 * much; null where it takes neither.
 */
export function codingFor(accepted: string | null): Coding | null {
  if (!accepted) return null;
  const liked = { zstd: 0, gzip: 0 };
  for (const part of accepted.slice(0, 500).split(',')) {
    const [name = '', ...parameters] = part.trim().toLowerCase().split(';');
    const weight =
      parameters
        .find((each) => each.trim().startsWith('q='))
        ?.trim()
        .slice(2) ?? '1';
    if (name.trim() === 'zstd' || name.trim() === 'gzip') liked[name.trim() as Coding] = Number(weight) || 0;
  }
  if (liked.zstd === 0 && liked.gzip === 0) return null;
  return liked.zstd >= liked.gzip ? 'zstd' : 'gzip';
}

/**
 * An answer in the coding that its caller takes. Its body streams as before: each part is sent as soon as it is there.
 * Left alone are answers that must not be changed (`Cache-Control: no-transform`: they hold something that is shown
 * once, whose length must not be guessed from what is sent along with it), that are coded already, that are short, and
 * those of other types. In: the request, and its answer.
 */
export async function compressed(request: Request, response: Response): Promise<Response> {
  const { headers } = response;
  if (
    !TYPES.test(headers.get('Content-Type') ?? '') ||
    headers.has('Content-Encoding') ||
    headers.get('Cache-Control')?.includes('no-transform')
  )
    return response;
  if (!headers.get('Vary')?.includes('Accept-Encoding')) headers.append('Vary', 'Accept-Encoding');
  // Before this the tag named one row of bytes; now the same state comes in several.
  const tag = headers.get('ETag');
  if (tag?.startsWith('"')) headers.set('ETag', `W/${tag}`);
  const coding = request.method === 'HEAD' ? null : codingFor(request.headers.get('accept-encoding'));
  return coding && response.body ? encoded(response, response.body, coding) : response;
}

async function encoded(response: Response, body: ReadableStream<Uint8Array>, coding: Coding): Promise<Response> {
  const source = createSource(body);
  const first = await source.next();
  const answer = (content: BodyInit, encoding: Coding | null) => {
    const headers = new Headers(response.headers);
    headers.delete('Content-Length');
    if (encoding) headers.set('Content-Encoding', encoding);
    return new Response(content, { status: response.status, headers });
  };
  if (first.last) {
    return first.bytes.length < COMPRESS_FROM
      ? answer(first.bytes, null)
      : answer(new Uint8Array(CODECS[coding].whole(first.bytes)), coding);
  }
  return answer(encodedStream(source, first.bytes, coding), coding);
}

/**
 * The parts of a body in a coding, each flushed, so that it can be read before the next is made. Reads no further than
 * it is read.
 */
function encodedStream(source: Source, first: Uint8Array, coding: Coding): ReadableStream<Uint8Array> {
  const { open, flush } = CODECS[coding];
  const codec = open();
  let made: Uint8Array[] = [];
  codec.on('data', (bytes: Uint8Array) => made.push(bytes));
  // Told to whoever waits for the codec; without a listener it would end the process.
  codec.on('error', () => undefined);
  let given: { bytes: Uint8Array; last: boolean } | null = { bytes: first, last: false };
  const write = async (bytes: Uint8Array) => {
    if (bytes.length > 0 && !codec.write(bytes)) await once(codec, 'drain');
    await new Promise<void>((resolve) => codec.flush(flush, () => resolve()));
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const part = given ?? (await source.next());
        given = null;
        if (codec.destroyed) return;
        if (part.last) {
          const ended = once(codec, 'end');
          codec.end(part.bytes);
          await ended;
        } else await write(part.bytes);
        for (const bytes of made) controller.enqueue(bytes);
        made = [];
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
  /** The next part, at most a slice: what is there without waiting. `last`: nothing comes after it. */
  next(): Promise<{ bytes: Uint8Array<ArrayBuffer>; last: boolean }>;
  cancel(reason: unknown): Promise<void>;
}

/** Reads a body in parts: small ones that come together are joined, large ones are cut. */
function createSource(body: ReadableStream<Uint8Array>): Source {
  const reader = body.getReader();
  let rest: Uint8Array = new Uint8Array();
  let under: ReturnType<typeof reader.read> | null = null;
  let ended = false;
  return {
    async next() {
      const parts = [rest];
      let size = rest.length;
      while (!ended && size < SLICE) {
        under ??= reader.read();
        // It may fail while nobody waits for it; whoever does next gets the error.
        under.catch(() => undefined);
        // Nothing yet: wait for it. Something already: take what else is there, and no more.
        const read = size === 0 ? await under : await Promise.race([under, pause()]);
        if (!read) break;
        under = null;
        if (read.done) ended = true;
        else {
          parts.push(read.value);
          size += read.value.length;
        }
      }
      const all = parts.length === 2 && rest.length === 0 ? (parts[1] ?? rest) : Buffer.concat(parts);
      rest = all.subarray(SLICE);
      return { bytes: new Uint8Array(all.subarray(0, SLICE)), last: ended && rest.length === 0 };
    },
    cancel: (reason) => reader.cancel(reason),
  };
}

/** Until everything that is ready has run. */
function pause(): Promise<null> {
  return new Promise((resolve) => void setImmediate(() => resolve(null)));
}
