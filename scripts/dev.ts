import { watch } from 'node:fs';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { LOCALE_COOKIE, STORAGE } from '../shared/constants.ts';

/**
 * `bun run dev`: the production pipeline without compression, rebuilt on every change. The server runs from source
 * behind a small front that adds one script to each page: it reloads the page when a new build is up (about half a
 * second after the edit).
 */
const ROOT = join(import.meta.dir, '..');
const PORT = Number(process.env.PORT ?? 3000);
const BACK = PORT + 1;
const RELOAD_PATH = '/__reload';
const pages = new Set<ReadableStreamDefaultController<Uint8Array>>();
const encoder = new TextEncoder();
let child: Subprocess | null = null;
let running = false;
let again = false;

async function build(): Promise<boolean> {
  const from = (name: string) => JSON.stringify(join(ROOT, 'scripts', name));
  const code = `import { buildClient, CLIENT_DIR } from ${from('client-build.ts')}; import { pseudoLocale, writePseudo } from ${from('pseudo-locale.ts')};
    await buildClient({ compress: false, minify: false, plugins: [pseudoLocale] }); writePseudo(CLIENT_DIR);`;
  const run = Bun.spawn([process.execPath, '-e', code], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  return (await run.exited) === 0;
}

async function up(): Promise<boolean> {
  for (let attempt = 0; attempt < 250; attempt += 1) {
    try {
      if ((await fetch(`http://127.0.0.1:${BACK}/healthz`)).ok) return true;
    } catch {
      await Bun.sleep(20);
    }
  }
  return false;
}

async function cycle(): Promise<void> {
  const begun = performance.now();
  if (!(await build())) return;
  child?.kill('SIGTERM');
  await child?.exited;
  child = Bun.spawn(
    [
      process.execPath,
      '--preload',
      join(ROOT, 'scripts/pseudo-preload.ts'),
      join(ROOT, 'server/main.ts'),
      'serve',
      '--local',
      ...process.argv.slice(2),
    ],
    {
      cwd: ROOT,
      env: {
        LOG_LEVEL: 'warn',
        APP_URL: `http://127.0.0.1:${PORT}`,
        ...process.env,
        NODE_ENV: 'production',
        PORT: String(BACK),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  if (!(await up())) return;
  console.log(`http://127.0.0.1:${PORT} is up after ${Math.round(performance.now() - begun)} ms`);
  for (const page of pages) page.enqueue(encoder.encode('data: reload\n\n'));
}

async function schedule(): Promise<void> {
  if (running) {
    again = true;
    return;
  }
  running = true;
  do {
    again = false;
    await cycle();
  } while (again);
  running = false;
}

function reloads(): Response {
  let own: ReadableStreamDefaultController<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      own = controller;
      pages.add(controller);
      controller.enqueue(encoder.encode(': open\n\n'));
    },
    cancel() {
      if (own) pages.delete(own);
    },
  });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
}

/** `?locale=pseudo` (or any other language) on a page's address: remembers it and shows the page again without it. */
function choosesLocale(request: Request, url: URL): Response | null {
  const locale = url.searchParams.get('locale');
  if (locale === null || !/^[a-z]+$/.test(locale) || request.method !== 'GET') return null;
  url.searchParams.delete('locale');
  // The saved language would win over the cookie.
  const page = `<script>localStorage.removeItem('${STORAGE.locale}');location.replace(${JSON.stringify(url.pathname + url.search).replaceAll('<', '\\u003c')})</script>`;
  return new Response(page, {
    headers: {
      'Content-Type': 'text/html',
      'Set-Cookie': `${LOCALE_COOKIE}=${locale}; Path=/; Max-Age=31536000; SameSite=Lax`,
    },
  });
}

/** A page with the reloading script behind it, under the page's own nonce. */
function withReload(response: Response): Response {
  const nonce = /'nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '')?.[1];
  if (!nonce || !response.body || !(response.headers.get('content-type') ?? '').startsWith('text/html'))
    return response;
  const script = `<script nonce="${nonce}">new EventSource('${RELOAD_PATH}').onmessage=()=>location.reload()</script>`;
  const added = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({ flush: (out) => out.enqueue(encoder.encode(script)) }),
  );
  return new Response(added, { status: response.status, headers: response.headers });
}

Bun.serve({
  hostname: '127.0.0.1',
  port: PORT,
  idleTimeout: 75,
  async fetch(request, server) {
    const url = new URL(request.url);
    server.timeout(request, 0);
    if (url.pathname === RELOAD_PATH) return reloads();
    const chosen = choosesLocale(request, url);
    if (chosen) return chosen;
    const headers = new Headers(request.headers);
    headers.set('x-forwarded-host', url.host);
    headers.set('x-forwarded-proto', 'http');
    const body = request.method === 'GET' || request.method === 'HEAD' ? undefined : await request.arrayBuffer();
    try {
      const init: RequestInit = { method: request.method, headers, redirect: 'manual', signal: request.signal };
      if (body) init.body = body;
      return withReload(await fetch(`http://127.0.0.1:${BACK}${url.pathname}${url.search}`, init));
    } catch {
      return new Response('The server is starting. This page can be loaded again in a moment.\n', { status: 503 });
    }
  },
});

let timer: ReturnType<typeof setTimeout> | undefined;
for (const folder of ['server', 'client', 'shared', 'locales']) {
  watch(join(ROOT, folder), { recursive: true }, (_, name) => {
    if (!name || name.endsWith('~') || name.includes('.test.')) return;
    clearTimeout(timer);
    timer = setTimeout(() => void schedule(), 30);
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    child?.kill('SIGTERM');
    process.exit(0);
  });
}
void schedule();
