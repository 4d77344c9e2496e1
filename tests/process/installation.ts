import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createApi, type Api } from '#shared/contract/index.ts';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { roomyFolder } from '../support/folder.ts';

/** The binary that the test command builds before it tests. */
export const BINARY = join(import.meta.dir, '../../dist/spawnpoint');

/** The product as a process of its own on a folder that outlives it, so that it can be killed and started again. */
export class Installation {
  readonly dataDir = mkdtempSync(join(roomyFolder(), 'spawnpoint-process-'));
  /** Its variables of the environment beside the folder. */
  readonly environment: Readonly<Record<string, string>>;
  url = '';
  setup = '';
  private child: ChildProcess | null = null;

  /** In: variables of the environment beside the folder. */
  constructor(env: Readonly<Record<string, string>> = {}) {
    this.environment = env;
  }

  async start(...words: string[]): Promise<void> {
    if (!existsSync(BINARY)) throw new Error('build first: bun run build');
    const child = spawn(BINARY, ['serve', '--local', ...words], {
      env: { DATA_DIR: this.dataDir, PORT: '0', LOG_LEVEL: 'error', ...this.environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.child = child;
    this.url = await new Promise<string>((resolve, reject) => {
      let text = '';
      child.once('exit', (code) => reject(new Error(`ended with ${code}: ${text}`)));
      child.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const setup = /setup=(\S+)/.exec(text)?.[1];
        if (setup) this.setup = setup;
        const ready = /is ready: (http:\S+)\n/.exec(text)?.[1];
        if (ready) resolve(ready);
      });
    });
  }

  /** Id of the running process. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Ends the process with a signal and waits until it is gone. Out: its exit code (null after a kill). */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const { child } = this;
    // One that could not start has ended by itself.
    if (!child || child.exitCode !== null) return null;
    const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    child.kill(signal);
    this.child = null;
    return gone;
  }

  /** Runs a sub-command on the same data. */
  run(...args: string[]): Promise<{ code: number; output: string }> {
    return this.runWith({}, ...args);
  }

  /** Runs a sub-command with other variables of the environment. One that serves is ended after a while. */
  async runWith(env: Readonly<Record<string, string>>, ...args: string[]): Promise<{ code: number; output: string }> {
    const child = Bun.spawn([BINARY, ...args], {
      env: { DATA_DIR: this.dataDir, ...this.environment, ...env },
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: 60_000,
    });
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code, output: out + err };
  }

  /** A client that acts over the network, with the session a log-in or registration gave it. */
  client(session: { secret: string | null } = { secret: null }): Api {
    return createApi(
      async (path, init) => {
        const headers = new Headers(init.headers);
        headers.set('Origin', this.url);
        if (session.secret) headers.set('Cookie', `${SESSION_COOKIE}=${session.secret}`);
        const response = await fetch(this.url + path, { ...init, headers });
        for (const line of response.headers.getSetCookie()) {
          const secret = new RegExp(`^${SESSION_COOKIE}=([^;]+)`).exec(line)?.[1];
          if (secret) session.secret = secret;
        }
        return response;
      },
      () => crypto.randomUUID(),
    );
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** Asks until the answer satisfies, at most for a while. */
export async function until<T>(ask: () => Promise<T>, good: (value: T) => boolean, ms = 30_000): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const value = await ask();
    if (good(value)) return value;
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${JSON.stringify(value).slice(0, 400)}`);
    await Bun.sleep(200);
  }
}

/** The code that gives two givers what they give away: of so many credits, without bounds of time or age. */
export const giversCode = (credits: number) => ({
  code: 'FOR-GIVERS',
  note: '',
  credits,
  uses_total: 2,
  starts_at: null,
  ends_at: null,
  enabled: true,
  min_age_days: 0,
});
