import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';

/**
 * Ports that no system gives to a connection or to who asks for any port (Linux: from 32768, `ip_local_port_range`):
 * what is free here stays free until whoever asked listens, and while it is down for a while. First, and the one after
 * the last.
 */
const PORTS = [12_000, 24_000] as const;
const TRIES = 100;

/** A port of this machine that nobody listens on, and that nobody gets by chance. Throws where none was found. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = randomInt(...PORTS);
    if (await isFree(port)) return port;
  }
  throw new Error('no free port');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
