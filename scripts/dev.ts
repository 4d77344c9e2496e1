import { watch } from 'node:fs';
import { join } from 'node:path';
import type { Subprocess } from 'bun';

/**
 * `bun run dev`: the production pipeline without compression, rebuilt on every change. The server runs from source; pages reload
 * themselves over an event stream when a new build is up (about half a second after the edit).
 */
const ROOT = join(import.meta.dir, '..');
const reloaders = new Set<ReadableStreamDefaultController<Uint8Array>>();
let child: Subprocess | null = null;
let building: Promise<void> | null = null;
let again = false;

async function build(): Promise<boolean> {
  const run = Bun.spawn([process.execPath, '-e', `import {buildClient} from '${join(ROOT, 'scripts/client-build.ts')}'; await buildClient({compress:false,minify:false})`], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return (await run.exited) === 0;
}

async function cycle(): Promise<void> {
  const begun = performance.now();
  if (!(await build())) return;
  child?.kill('SIGTERM');
  await child?.exited;
  child = Bun.spawn([process.execPath, join(ROOT, 'server/main.ts'), 'serve', '--local', ...process.argv.slice(2)], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production', SPAWNPOINT_DEV_RELOAD: String(reload.port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const address = `http://127.0.0.1:${process.env.PORT ?? 3000}/healthz`;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    try {
      if ((await fetch(address)).ok) break;
    } catch {
      await Bun.sleep(20);
    }
  }
  console.log(`ready after ${Math.round(performance.now() - begun)} ms`);
  for (const controller of reloaders) controller.enqueue(new TextEncoder().encode('event: reload\ndata: 1\n\n'));
}

/** Tells open pages to reload. Loopback only. */
const reload = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request, server) {
    server.timeout(request, 0);
    let own: ReadableStreamDefaultController<Uint8Array> | null = null;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        own = controller;
        reloaders.add(controller);
        controller.enqueue(new TextEncoder().encode(': open\n\n'));
      },
      cancel() {
        if (own) reloaders.delete(own);
      },
    });
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream', 'Access-Control-Allow-Origin': '*' } });
  },
});

function schedule(): void {
  if (building) {
    again = true;
    return;
  }
  building = cycle().finally(() => {
    building = null;
    if (!again) return;
    again = false;
    schedule();
  });
}

let timer: ReturnType<typeof setTimeout> | undefined;
for (const folder of ['server', 'client', 'shared', 'locales']) {
  watch(join(ROOT, folder), { recursive: true }, (_, name) => {
    if (name?.endsWith('~') || name?.includes('.test.')) return;
    clearTimeout(timer);
    timer = setTimeout(schedule, 30);
  });
}
process.on('SIGINT', () => {
  child?.kill('SIGTERM');
  process.exit(0);
});
schedule();
