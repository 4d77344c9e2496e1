import { RedisClient } from 'bun';
import { SECOND } from '#shared/time.ts';

/** A connection to Redis, as far as it is used here. */
export interface RedisLink {
  /** Sends one command. Rejects where there is no connection. */
  send(command: string, args: string[]): Promise<unknown>;
}

/**
 * Connects to Redis, or goes on trying to with each call: a command without a connection rejects at once and is never
 * kept for later. In: the address (`REDIS_URL`). Out: the link, and what ends it.
 */
export function connectRedis(url: string): RedisLink & { close(): void } {
  const client = new RedisClient(url, {
    connectionTimeout: 2 * SECOND,
    enableOfflineQueue: false,
    autoReconnect: false,
  });
  let connecting: Promise<void> | null = null;
  return {
    async send(command, args) {
      if (!client.connected) {
        connecting ??= client.connect().finally(() => (connecting = null));
        await connecting;
      }
      const answer: unknown = await client.send(command, args);
      return answer;
    },
    close: () => client.close(),
  };
}
