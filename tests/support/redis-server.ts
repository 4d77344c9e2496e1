import { RedisClient } from 'bun';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

const SERVER = Bun.which('redis-server');

/** A real Redis of a test, which keeps nothing: killed, it comes back empty. */
export class RedisServer {
  private readonly folder = mkdtempSync(join(tmpdir(), 'spawnpoint-redis-'));
  private child: Bun.Subprocess | null = null;
  private port = 0;

  /** Its address. */
  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }
  /** Starts it and waits until it answers. */
  async start(): Promise<void> {
    if (!SERVER) throw new Error('these tests need redis-server');
    // The same one each time.
    this.port ||= await freePort();
    const words = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--dir', this.folder];
    this.child = Bun.spawn([SERVER, ...words], {
      stdout: 'ignore',
      stderr: 'ignore',
    });
    for (;;) {
      const client = new RedisClient(this.url, { autoReconnect: false });
      const isThere = await client.ping().then(
        () => true,
        () => false,
      );
      client.close();
      if (isThere) return;
      await Bun.sleep(20);
    }
  }
  /** Kills it, as a crash does. */
  async kill(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.child?.exited;
    this.child = null;
  }
  /** Has it hang, or go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.child?.kill(signal);
  }
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
