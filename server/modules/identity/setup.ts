import { DomainError } from '#shared/errors.ts';
import type { Tx } from '../tx.ts';
import { LINK_LIFE, type IdentityDeps } from './deps.ts';

/** The link by which the first owner registers (behaviour 3.2). */
export function createOwnerSetup({ uow, clock, ids, access }: IdentityDeps) {
  /** Asserts that a token is valid. Throws SETUP_DONE (there is an owner), SETUP_LINK_INVALID. */
  async function assertValid(tx: Tx, token: string): Promise<void> {
    if (await access.hasOwner(tx)) throw new DomainError('SETUP_DONE');
    if (!(await tx.identity.isTokenValid('setup', ids.hash(token), clock.now())))
      throw new DomainError('SETUP_LINK_INVALID');
  }

  /** Uses a token up, in the transaction that creates the owner, so only once. Throws as `assertValid`. */
  async function useToken(tx: Tx, token: string): Promise<void> {
    if (!(await tx.identity.useToken('setup', ids.hash(token), clock.now())))
      throw new DomainError((await access.hasOwner(tx)) ? 'SETUP_DONE' : 'SETUP_LINK_INVALID');
    if (await access.hasOwner(tx)) throw new DomainError('SETUP_DONE');
  }

  /**
   * Creates the one-time token for the first owner's link, valid for 24 h; earlier tokens become invalid. Null when
   * there is an owner. For the start of the server, never over HTTP.
   */
  function createToken(): Promise<string | null> {
    return uow.run(async (tx) => {
      if (await access.hasOwner(tx)) return null;
      const now = clock.now();
      const token = ids.token();
      await tx.identity.voidTokens('setup', null, now);
      await tx.identity.addToken({
        id: ids.uuid(),
        kind: 'setup',
        userId: null,
        tokenHash: ids.hash(token),
        createdMs: now,
        expiresMs: now + LINK_LIFE,
      });
      return token;
    });
  }

  return { assertValid, useToken, createToken };
}
