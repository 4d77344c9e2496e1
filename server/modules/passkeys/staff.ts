import { DomainError } from '#shared/errors.ts';
import { lockForStaff } from '../identity/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { PasskeysDeps } from './deps.ts';

/** Passkeys of users, for staff (behaviour 8.3). */
export function createStaffPasskeys(deps: Pick<PasskeysDeps, 'uow' | 'clock' | 'events' | 'identities'>) {
  /**
   * Removes a passkey of a user. `evenLast`: also where the user cannot log in without it. Throws as `lockForStaff`,
   * NOT_FOUND where it is not the user's, LAST_WAY_IN.
   */
  function removeOf(ctx: SignedIn, userId: string, id: string, evenLast: boolean): Promise<void> {
    return deps.uow.run(async (tx) => {
      const { username } = await lockForStaff(deps, tx, ctx, userId);
      const passkey = await tx.passkeys.find(id);
      if (passkey?.userId !== userId) throw new DomainError('NOT_FOUND');
      const ways = await deps.identities.listLogins(tx, userId);
      if (!evenLast && !ways.some((way) => way !== id)) throw new DomainError('LAST_WAY_IN');
      await tx.passkeys.remove(id);
      await deps.events.emit(tx, 'user.passkey_taken', { userId, username, name: passkey.name }, ctx);
      tx.touch(`user:${userId}`);
    });
  }

  return { removeOf };
}
