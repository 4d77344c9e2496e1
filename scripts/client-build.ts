import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { BunPlugin } from 'bun';
import { LOCALES } from '../shared/i18n/locales.ts';
import { NAMESPACES } from '../shared/i18n/namespaces.ts';
import type { Manifest } from '../server/ssr/manifest.ts';
import { CLIENT_PLUGINS } from './client-plugins.ts';

const ROOT = join(import.meta.dir, '..');
export const CLIENT_DIR = join(ROOT, 'dist', 'client');

interface Outputs {
  readonly outputs: Record<string, { entryPoint?: string; imports?: { path: string; kind: string }[] }>;
}

/** The chunk that holds each screen and layout, found by the module it begins with. */
function screenSources(): Record<string, string> {
  const text = readFileSync(join(ROOT, 'client/app/screens.ts'), 'utf8');
  const found: Record<string, string> = {};
  for (const [, id, path] of text.matchAll(/'([\w.]+)': \(\) => import\('#(client\/[^']+)'\)/g))
    if (id && path) found[id] = path;
  const layouts = {
    auth: 'client/features/auth/layout.tsx',
    app: 'client/app/layouts/player.tsx',
    admin: 'client/app/layouts/staff.tsx',
    plain: 'client/app/layouts/plain.tsx',
  };
  for (const [id, path] of Object.entries(layouts)) found[`layout.${id}`] = path;
  found.notFound = 'client/features/system/not-found.tsx';
  return found;
}

/**
 * Builds the browser's part into dist/client: chunks with hashed names, the stylesheet, the locale files, compressed
 * copies, the manifest. `compress` costs seconds and is left out in development.
 */
export async function buildClient(options: {
  compress: boolean;
  minify: boolean;
  plugins?: BunPlugin[];
}): Promise<Manifest> {
  rmSync(CLIENT_DIR, { recursive: true, force: true });
  mkdirSync(CLIENT_DIR, { recursive: true });
  const js = await Bun.build({
    entrypoints: [join(ROOT, 'client/entry.tsx')],
    root: ROOT,
    outdir: CLIENT_DIR,
    target: 'browser',
    format: 'esm',
    splitting: true,
    // Small chunks that go together become one: fewer requests, and text compresses better in larger pieces.
    minChunkSize: 16_384,
    // Its table of every chunk's imports would stand in the entry; ours is fetched later (client/app/chunk-map.ts).
    modulePreload: false,
    minify: options.minify,
    sourcemap: 'none',
    metafile: true,
    publicPath: '/assets/',
    naming: { entry: 'entry-[hash].js', chunk: 'c-[hash].js' },
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [...CLIENT_PLUGINS, ...(options.plugins ?? [])],
  });
  const css = await Bun.build({
    entrypoints: [join(ROOT, 'client/main.css')],
    outdir: CLIENT_DIR,
    minify: options.minify,
    naming: 'main.css',
  });
  // The debug panel's own, fetched when it is first opened.
  const debugCss = await Bun.build({
    entrypoints: [join(ROOT, 'client/app/debug/debug.css')],
    outdir: CLIENT_DIR,
    minify: options.minify,
    naming: 'debug.css',
  });
  // The worker that solves challenges, fetched when one is to be solved.
  const pow = await Bun.build({
    entrypoints: [join(ROOT, 'client/lib/pow-worker.ts')],
    outdir: CLIENT_DIR,
    target: 'browser',
    format: 'esm',
    minify: options.minify,
    naming: 'pow.js',
  });
  if (!js.success || !css.success || !debugCss.success || !pow.success)
    throw new AggregateError([...js.logs, ...css.logs, ...debugCss.logs, ...pow.logs], 'client build failed');
  writeLocales();
  writeFileSync(join(CLIENT_DIR, 'icon.svg'), readFileSync(join(ROOT, 'client/icon.svg')));
  writeFileSync(join(CLIENT_DIR, 'skin.png'), readFileSync(join(ROOT, 'client/skin.png')));
  const manifest = manifestOf(js.metafile as Outputs);
  writeFileSync(join(CLIENT_DIR, 'manifest.json'), JSON.stringify(manifest));
  if (options.compress) compressAll();
  return manifest;
}

function writeLocales(): void {
  for (const locale of LOCALES) {
    mkdirSync(join(CLIENT_DIR, 'locales', locale), { recursive: true });
    for (const ns of NAMESPACES) {
      // Mails are written on the server only.
      if (ns === 'mail') continue;
      const text: unknown = JSON.parse(readFileSync(join(ROOT, 'locales', locale, `${ns}.json`), 'utf8'));
      writeFileSync(join(CLIENT_DIR, 'locales', locale, `${ns}.json`), JSON.stringify(text));
    }
  }
}

function manifestOf(meta: Outputs): Manifest {
  const outputs = new Map(Object.entries(meta.outputs).map(([path, output]) => [basename(path), output]));
  const address = (name: string) => `/assets/${name}`;
  const closure = (name: string, into: Set<string>): Set<string> => {
    if (into.has(name)) return into;
    into.add(name);
    for (const each of outputs.get(name)?.imports ?? [])
      if (each.kind === 'import-statement') closure(basename(each.path), into);
    return into;
  };
  const byEntry = new Map(
    [...outputs]
      .filter(([, output]) => output.entryPoint)
      .map(([name, output]) => [String(output.entryPoint).replaceAll('\\', '/'), name]),
  );
  const entry = [...byEntry].find(([source]) => source.endsWith('client/entry.tsx'))?.[1];
  if (!entry) throw new Error('no entry chunk in the build');
  const shared = closure(entry, new Set());
  const screens: Record<string, string[]> = {};
  for (const [id, source] of Object.entries(screenSources())) {
    const name = [...byEntry].find(([path]) => path.endsWith(source))?.[1];
    if (!name) throw new Error(`no chunk for ${id} (${source})`);
    screens[id] = [...closure(name, new Set())].filter((each) => !shared.has(each)).map(address);
  }
  const hash = new Bun.CryptoHasher('sha256');
  for (const name of readdirSync(CLIENT_DIR, { recursive: true }).map(String).sort()) {
    if (/\.\w+$/.test(name)) hash.update(name).update(readFileSync(join(CLIENT_DIR, name)));
  }
  const build = hash.digest('hex').slice(0, 12);
  return {
    build,
    entry: address(entry),
    shared: [...shared].filter((name) => name !== entry).map(address),
    css: `/assets/main.css?v=${build}`,
    screens,
  };
}

function compressAll(): void {
  for (const name of readdirSync(CLIENT_DIR, { recursive: true }).map(String)) {
    if (!/\.(js|css|json|svg)$/.test(name)) continue;
    const body = readFileSync(join(CLIENT_DIR, name));
    writeFileSync(join(CLIENT_DIR, `${name}.gz`), gzipSync(body, { level: 9 }));
    writeFileSync(
      join(CLIENT_DIR, `${name}.br`),
      brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    );
  }
}
