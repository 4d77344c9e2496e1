import { createPasswords } from '#server/identity-providers/passwords.ts';
import type { Passwords } from '#server/modules/identity/ports.ts';

const known = new Map<string, Promise<string>>();

/**
 * Passwords as the product hashes and checks them, but each is hashed once in a test file: the people of a test share
 * one password, and fifty hashes cost seconds.
 */
export function thriftyPasswords(): Passwords {
  const { hash, verify } = createPasswords();
  return {
    verify,
    hash(password) {
      const found = known.get(password) ?? hash(password);
      known.set(password, found);
      return found;
    },
  };
}
