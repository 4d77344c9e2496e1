import { DomainError, fieldError } from '#shared/errors.ts';
import { normaliseName } from '#shared/names.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { touchUser, type IdentityDeps } from './deps.ts';
import type { UserRow } from './ports.ts';
import { lockForStaff } from './staff-lock.ts';

/** Changing the name by which a user logs in and is known, for staff (behaviour 8.3). */
export function createUsernameChange(deps: Pick<IdentityDeps, 'uow' | 'clock' | 'events'>) {
  const { uow, clock, events } = deps;

  /**
   * Gives a user another username; that of before is free from then on. Throws as `lockForStaff`, and VALIDATION_FAILED
   * with USERNAME_TAKEN at `username`.
   */
  async function setUsernameOf(ctx: SignedIn, userId: string, username: string): Promise<void> {
    try {
      await uow.run(async (tx) => {
        const user = await lockForStaff(deps, tx, ctx, userId);
        if (user.username === username) return;
        await assertFree(tx, user, username);
        await tx.identity.setUsername(userId, username, clock.now());
        await events.emit(tx, 'user.username_changed', { userId, from: user.username, to: username }, ctx);
        touchUser(tx, userId);
      });
    } catch (error) {
      if (error instanceof DomainError) throw error;
      // Two at once who take one name meet at the database: the second is refused as if the first had been earlier.
      const holder = await uow.read((tx) => tx.identity.findUserByLogin(username));
      throw holder !== null && holder.id !== userId ? fieldError('username', 'USERNAME_TAKEN') : error;
    }
  }

  /** Capital letters of one's own name may change. */
  async function assertFree(tx: Tx, user: UserRow, username: string): Promise<void> {
    if (normaliseName(user.username) === normaliseName(username)) return;
    const isTaken =
      (await tx.identity.isUsernameTaken(username)) || (await tx.pending.isNameTaken(username, clock.now()));
    if (isTaken) throw fieldError('username', 'USERNAME_TAKEN');
  }

  return { setUsernameOf };
}
