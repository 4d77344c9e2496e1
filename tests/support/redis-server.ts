import { RedisClient } from 'bun';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SERVER = Bun.which('redis-server');

/** A real Redis of a test, which keeps nothing: killed, it comes back empty. */
export class RedisServer {
  private readonly folder = mkdtempSync(join(tmpdir(), 'spawnpoint-redis-'));
  private child: Bun.Subprocess | null = null;
  readonly url = `redis+unix://${join(this.folder, 'socket')}`;

  /** Starts it and waits until it answers. */
  async start(): Promise<void> {
    if (!SERVER) throw new Error('these tests need redis-server');
    const socket = join(this.folder, 'socket');
    this.child = Bun.spawn([SERVER, '--port', '0', '--unixsocket', socket, '--save', '', '--dir', this.folder], {
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
