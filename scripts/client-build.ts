import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { BunPlugin } from 'bun';
import { minify } from 'terser';
import { assembleTexts } from '../shared/i18n/area-texts.ts';
import { LOCALES } from '../shared/i18n/locales.ts';
import { AREA_ROUTES } from '../shared/routes/area-routes.ts';
import { ROUTE_LIST } from '../shared/routes/table.ts';
import { NAMESPACES, type Namespace } from '../shared/i18n/namespaces.ts';
import { textFileOf } from '../shared/i18n/files-of-namespaces.ts';
import type { Manifest } from '../server/ssr/manifest.ts';
import { CLIENT_PLUGINS } from './client-plugins.ts';

const ROOT = join(import.meta.dir, '..');
export const CLIENT_DIR = join(ROOT, 'dist', 'client');

interface Outputs {
  readonly outputs: Record<string, { entryPoint?: string; imports?: { path: string; kind: string }[] }>;
}

/** The pages of areas share modules: their definitions, and one for each kind of page. */
const AREA_PAGES: Readonly<Record<string, string>> = {
  list: 'client/resource/list.tsx',
  create: 'client/resource/form.tsx',
  edit: 'client/resource/form.tsx',
  delete: 'client/resource/delete.tsx',
};

/** The chunks that hold each screen and layout, found by the modules they begin with. */
function screenSources(): Record<string, readonly string[]> {
  const text = ['screens.ts', 'staff-routes.ts']
    .map((name) => readFileSync(join(ROOT, 'client/app', name), 'utf8'))
    .join('\n');
  const found: Record<string, readonly string[]> = {};
  for (const [, id, path] of text.matchAll(/^  '?([\w.]+)'?: \(\) => import\('#(client\/[^']+)'\)/gm))
    if (id && path) found[id] = [path];
  for (const id of Object.keys(AREA_ROUTES)) {
    const [, area = '', operation = ''] = id.split('.');
    const own = new RegExp(`\\b${area}: async \\(\\) => \\(await import\\('#(client/[^']+)'`).exec(text)?.[1];
    found[id] = ['shared/resources/index.ts', AREA_PAGES[operation] ?? '', ...(own ? [own] : [])];
  }
  const layouts = {
    auth: ['client/features/auth/layout.tsx'],
    app: ['client/app/layouts/player.tsx'],
    // With the routes of staff, which the page needs before it is hydrated.
    admin: ['client/app/layouts/staff.tsx', 'client/app/staff-routes.ts'],
    plain: ['client/app/layouts/plain.tsx'],
  };
  for (const [id, paths] of Object.entries(layouts)) found[`layout.${id}`] = paths;
  found.notFound = ['client/features/system/not-found.tsx'];
  const missing = ROUTE_LIST.filter(({ id }) => !found[id]).map(({ id }) => id);
  if (missing.length > 0) throw new Error(`no screen found for ${missing.join(', ')}`);
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
    // Tiny chunks become one with a neighbour: fewer requests. Not larger ones: pages would load what others need, and
    // what that imports.
    minChunkSize: 512,
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
  // The worker that shows pushes: browsers ask for it by its name for as long as they take pushes.
  const push = await Bun.build({
    entrypoints: [join(ROOT, 'client/push-worker.ts')],
    outdir: CLIENT_DIR,
    target: 'browser',
    format: 'esm',
    minify: options.minify,
    naming: 'push-worker.js',
  });
  const built = [js, css, debugCss, pow, push];
  if (built.some(({ success }) => !success))
    throw new AggregateError(
      built.flatMap(({ logs }) => logs),
      'client build failed',
    );
  if (options.compress) await minifyTwice();
  writeLocales();
  writeFileSync(join(CLIENT_DIR, 'icon.svg'), readFileSync(join(ROOT, 'client/icon.svg')));
  writeFileSync(join(CLIENT_DIR, 'skin.png'), readFileSync(join(ROOT, 'client/skin.png')));
  const manifest = manifestOf(js.metafile as Outputs);
  writeFileSync(join(CLIENT_DIR, 'manifest.json'), JSON.stringify(manifest));
  if (options.compress) compressAll();
  return manifest;
}

/** Functions stay where they are: put in where they are called, they are shorter as text and longer compressed. */
const COMPRESS = { passes: 2, inline: 1, reduce_funcs: false } as const;

/**
 * Goes over the scripts once more: the bundler's own minifier leaves some 2 % that a second pass over whole functions
 * finds (client/decisions/006-no-insides-of-libraries-in-the-build.md).
 */
async function minifyTwice(): Promise<void> {
  for (const name of readdirSync(CLIENT_DIR).filter((each) => each.endsWith('.js'))) {
    const path = join(CLIENT_DIR, name);
    const { code } = await minify(readFileSync(path, 'utf8'), { module: true, ecma: 2020, compress: COMPRESS });
    if (code === undefined) throw new Error(`nothing left of ${name}`);
    writeFileSync(path, code);
  }
}

/** The files of texts as pages load them: what areas say about themselves elsewhere is put there. */
function writeLocales(): void {
  const read = (path: string): object => JSON.parse(readFileSync(path, 'utf8')) as object;
  for (const locale of LOCALES) {
    const from = join(ROOT, 'locales', locale);
    const areas = readdirSync(join(from, 'areas')).map((name) => [name.slice(0, -5), read(join(from, 'areas', name))]);
    // Mails are written on the server only.
    const files = NAMESPACES.filter((ns) => ns !== 'mail').map((ns) => [ns, read(join(from, `${ns}.json`))]);
    const all = assembleTexts(Object.fromEntries(files), Object.fromEntries(areas));
    const to = join(CLIENT_DIR, 'locales', locale);
    mkdirSync(to, { recursive: true });
    const byFile = Object.groupBy(Object.entries(all), ([ns]) => textFileOf(ns as Namespace));
    for (const [file, texts] of Object.entries(byFile))
      writeFileSync(join(to, `${file}.json`), JSON.stringify(Object.fromEntries(texts)));
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
  for (const [id, sources] of Object.entries(screenSources())) {
    const chunks = new Set<string>();
    for (const source of sources) {
      const name = [...byEntry].find(([path]) => path.endsWith(source))?.[1];
      if (!name) throw new Error(`no chunk for ${id} (${source})`);
      closure(name, chunks);
    }
    screens[id] = [...chunks].filter((each) => !shared.has(each)).map(address);
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
