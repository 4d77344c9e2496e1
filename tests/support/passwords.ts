import { createPasswords } from '#server/identity-providers/passwords.ts';
import type { Passwords } from '#server/modules/identity/ports.ts';

/** As many at once as on a large machine, as many waiting as in the product. */
const LEAST = { memoryKib: 8, passes: 1, parallel: 4, waiting: 64 } as const;

/**
 * Passwords hashed and checked as the product does it, but at the least cost that argon2id takes: at the product's own,
 * which tests of its own show, a log-in costs more than most tests.
 */
export const thriftyPasswords = (): Passwords => createPasswords(LEAST);
