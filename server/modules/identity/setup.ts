import { DomainError } from '#shared/errors.ts';
import type { Tx } from '../tx.ts';
import { LINK_LIFE, type IdentityDeps } from './deps.ts';

/** The link by which the first owner registers (behaviour 3.2). */
export function createSetup({ uow, clock, ids, access }: IdentityDeps) {
  /** Throws SETUP_DONE, SETUP_LINK_INVALID. */
  async function check(tx: Tx, token: string): Promise<void> {
    if (await access.hasOwner(tx)) throw new DomainError('SETUP_DONE');
    if (!(await tx.identity.isTokenValid('setup', ids.hash(token), clock.now())))
      throw new DomainError('SETUP_LINK_INVALID');
  }

  /** Uses a token up, in the transaction that makes the owner: so once. Throws as `check`. */
  async function useToken(tx: Tx, token: string): Promise<void> {
    if (!(await tx.identity.useToken('setup', ids.hash(token), clock.now())))
      throw new DomainError((await access.hasOwner(tx)) ? 'SETUP_DONE' : 'SETUP_LINK_INVALID');
    if (await access.hasOwner(tx)) throw new DomainError('SETUP_DONE');
  }

  /**
   * A one-time link's token for the first owner, good for 24 h; the tokens before it are worthless. Null where there is
   * an owner. For the start of the server, and never over HTTP.
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

  return { check, useToken, createToken };
}
