import { DomainError } from '#shared/errors.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { ApiTokensDeps } from './deps.ts';
import type { ApiTokenRow } from './ports.ts';

/** Ends tokens, at once for those in use. */
export function createRevoker({ events }: Pick<ApiTokensDeps, 'events'>) {
  /** Revokes one token of a user. Throws NOT_FOUND when it is not theirs. */
  async function one(tx: Tx, by: Ctx | null, userId: string, tokenId: string): Promise<void> {
    const gone = await tx.apiTokens.remove(tokenId, userId);
    if (!gone) throw new DomainError('NOT_FOUND');
    await announce(tx, by, userId, [gone]);
  }

  /** Revokes all tokens of a user. Out: how many there were. */
  async function all(tx: Tx, by: Ctx | null, userId: string): Promise<number> {
    const gone = await tx.apiTokens.removeAll(userId);
    await announce(tx, by, userId, gone);
    return gone.length;
  }

  async function announce(
    tx: Tx,
    by: Ctx | null,
    userId: string,
    gone: readonly Pick<ApiTokenRow, 'id' | 'name'>[],
  ): Promise<void> {
    for (const { id, name } of gone) {
      tx.touch(`token:${id}`);
      await events.emit(tx, 'user.token_revoked', { userId, tokenId: id, name }, by);
    }
  }

  return { one, all };
}
export type Revoker = ReturnType<typeof createRevoker>;
