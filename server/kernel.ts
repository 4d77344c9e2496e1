import type { Clock, Ids } from '#server/modules/kernel.ts';

/** The system's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Identifiers and secrets from the system's source of randomness. */
export const systemIds: Ids = {
  uuid: () => Bun.randomUUIDv7(),
  token: () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url'),
  hash: (text) => Bun.CryptoHasher.hash('sha256', text, 'hex'),
};
