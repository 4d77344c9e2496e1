import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { readCookie } from '#server/http/cookies.ts';
import { UI_COOKIE } from '#shared/constants.ts';

/** A file of the client, ready to be sent. */
interface Asset {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer> | null;
  readonly brotli: Uint8Array<ArrayBuffer> | null;
  readonly type: string;
  readonly etag: string;
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
 * Serves the files below a folder under /assets/. Read once at start; compressed copies (`.gz`, `.br`) beside a file
 * are used when the browser takes them. A file whose name or query carries the build is kept for a year; others are
 * asked for again by ETag.
 */
export function createAssets(folder: string, build: string): (path: string, request: Request) => Response | null {
  const files = new Map<string, Asset>();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const read = (path: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(path));
  for (const entry of names) {
    const full = join(entry.parentPath, entry.name);
    const name = full.slice(folder.length + 1).replaceAll('\\', '/');
    if (/\.(gz|br)$/.test(name)) continue;
    const body = read(full);
    const sibling = (ending: string) =>
      names.some((other) => other.parentPath === entry.parentPath && other.name === entry.name + ending)
        ? read(full + ending)
        : null;
    files.set(`/assets/${name}`, {
      body,
      gzip: sibling('.gz'),
      brotli: sibling('.br'),
      type: TYPES[extname(name)] ?? 'application/octet-stream',
      // Weak: the same file comes in several codings.
      etag: `W/"${new Bun.CryptoHasher('sha1').update(body).digest('hex').slice(0, 20)}"`,
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

function send(asset: Asset, immutable: boolean, request: Request): Response {
  // Somebody turned "compress assets" off (specification, section 9): they get the file as it is, and no cache on the
  // way may give that to others.
  const plain =
    readCookie(request.headers.get('cookie'), UI_COOKIE)?.includes('performance.assetCompression:false') === true;
  const headers: Record<string, string> = {
    'Content-Type': asset.type,
    ETag: asset.etag,
    Vary: 'Accept-Encoding',
    'Cache-Control': immutable ? `${plain ? 'private' : 'public'}, max-age=31536000, immutable` : 'no-cache',
  };
  if (request.headers.get('if-none-match')?.includes(asset.etag.slice(2)))
    return new Response(null, { status: 304, headers });
  const accepted = plain ? '' : (request.headers.get('accept-encoding') ?? '');
  const [body, encoding] =
    asset.brotli && /\bbr\b/.test(accepted)
      ? [asset.brotli, 'br']
      : asset.gzip && /\bgzip\b/.test(accepted)
        ? [asset.gzip, 'gzip']
        : [asset.body, null];
  if (encoding) headers['Content-Encoding'] = encoding;
  return new Response(request.method === 'HEAD' ? null : body, { headers });
}
