import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { readCookie } from '#server/http/cookies.ts';
import { UI_COOKIE } from '#shared/constants.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** A file of the client. What is read of it is kept. */
interface Asset {
  readonly type: string;
  /** Weak: the same file comes in several codings. */
  readonly etag: () => string;
  readonly body: () => Bytes;
  /** Null where the build left no copy of that coding. */
  readonly gzip: (() => Bytes) | null;
  readonly brotli: (() => Bytes) | null;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * Serves the files below a folder under /assets/. Their names are read at the start, each file when it is first asked
 * for: all of them in all codings are 13 MB, of which a browser takes the smallest. Compressed copies (`.gz`, `.br`)
 * beside a file are used when the browser takes them. A file whose name or query carries the build is kept for a year;
 * others are asked for again by ETag.
 */
export function createAssets(folder: string, build: string): (path: string, request: Request) => Response | null {
  const names = new Set(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)),
  );
  const reader = (name: string) => once(() => readFileSync(join(folder, name)));
  const files = new Map<string, Asset>();
  for (const name of names) {
    if (/\.(gz|br)$/.test(name)) continue;
    const coded = (ending: string) => (names.has(name + ending) ? reader(name + ending) : null);
    files.set(`/assets/${name.replaceAll('\\', '/')}`, {
      type: TYPES[extname(name)] ?? 'application/octet-stream',
      // Of bytes that are not kept: whoever asks for the ETag hardly ever takes the file as it is.
      etag: once(() => `W/"${sha1(readFileSync(join(folder, name)))}"`),
      body: reader(name),
      gzip: coded('.gz'),
      brotli: coded('.br'),
    });
  }
  return (path, request) => {
    if (!path.startsWith('/assets/')) return null;
    const asset = files.get(path);
    if (!asset)
      return new Response('not found\n', {
        status: 404,
        headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
      });
    return send(asset, /-[a-z0-9]{8,}\.\w+$/.test(path) || request.url.endsWith(`?v=${build}`), request);
  };
}

const sha1 = (bytes: Bytes): string => new Bun.CryptoHasher('sha1').update(bytes).digest('hex').slice(0, 20);

/** Out: a function that makes a value with its first call, and gives the same one with each after it. */
function once<T extends string | object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function send(asset: Asset, immutable: boolean, request: Request): Response {
  // Somebody turned "compress assets" off (specification, section 9): they get the file as it is, and no cache on the
  // way may give that to others.
  const plain =
    readCookie(request.headers.get('cookie'), UI_COOKIE)?.includes('performance.assetCompression:false') === true;
  const etag = asset.etag();
  const headers: Record<string, string> = {
    'Content-Type': asset.type,
    ETag: etag,
    Vary: 'Accept-Encoding',
    'Cache-Control': immutable ? `${plain ? 'private' : 'public'}, max-age=31536000, immutable` : 'no-cache',
  };
  if (request.headers.get('if-none-match')?.includes(etag.slice(2)))
    return new Response(null, { status: 304, headers });
  const accepted = plain ? '' : (request.headers.get('accept-encoding') ?? '');
  const [body, encoding] =
    asset.brotli && /\bbr\b/.test(accepted)
      ? [asset.brotli, 'br']
      : asset.gzip && /\bgzip\b/.test(accepted)
        ? [asset.gzip, 'gzip']
        : [asset.body, null];
  if (encoding) headers['Content-Encoding'] = encoding;
  return new Response(request.method === 'HEAD' ? null : body(), { headers });
}
