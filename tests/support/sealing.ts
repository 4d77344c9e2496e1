import { createSealer } from '#server/sealing.ts';

/** Key of test installations. */
export const TEST_KEY: Uint8Array = new Uint8Array(32).fill(42);

/** Seals as a test installation does. */
export const testSealer = createSealer(TEST_KEY);
