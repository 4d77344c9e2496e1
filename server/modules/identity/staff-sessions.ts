import { DomainError } from '#shared/errors.ts';
import { writeAudit } from '../audit/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay, assertOutranks } from '../permit.ts';
import { touchSessions, type IdentityDeps } from './deps.ts';
import type { SessionRow } from './ports.ts';

/** A session as staff see it: where and on what, never its secret. */
type StaffSession = Pick<SessionRow, 'id' | 'device' | 'address' | 'createdMs' | 'seenMs' | 'factorMs'>;

/** Sessions of users for staff (behaviour 8.3). */
export function createStaffSessions(deps: IdentityDeps) {
  const { uow, clock } = deps;

  /** A user's sessions, last used first. Throws FORBIDDEN, NOT_FOUND. */
  async function listOf(ctx: SignedIn, userId: string): Promise<StaffSession[]> {
    assertMay(ctx, 'admin.users.edit');
    return uow.read(async (tx) => {
      if (!(await tx.identity.findUser(userId))) throw new DomainError('NOT_FOUND');
      const rows = await tx.identity.listSessions(userId, clock.now());
      return rows.map(({ id, device, address, createdMs, seenMs, factorMs }) => ({
        id,
        device,
        address,
        createdMs,
        seenMs,
        factorMs,
      }));
    });
  }

  /**
   * Ends one session of a user, or all of them (null). Returns how many ended. Throws NOT_FOUND, and FORBIDDEN for a
   * user of the caller's rank or above.
   */
  function endOf(ctx: SignedIn, userId: string, sessionId: string | null): Promise<number> {
    return uow.run(async (tx) => {
      assertMay(ctx, 'admin.users.edit');
      const user = await tx.identity.lockUser(userId);
      if (!user) throw new DomainError('NOT_FOUND');
      await assertOutranks(tx, ctx, user.roleId);
      let ended: string[];
      if (sessionId === null) ended = await tx.identity.endSessions(userId, null);
      else if (await tx.identity.endSession(sessionId, userId)) ended = [sessionId];
      else throw new DomainError('NOT_FOUND');
      touchSessions(tx, ended);
      if (ended.length > 0)
        await writeAudit(tx, deps, ctx, {
          action: 'users.sessions_end',
          target: userId,
          after: { username: user.username, ended: ended.length },
        });
      return ended.length;
    });
  }

  return { listSessionsOf: listOf, endSessionsOf: endOf };
}
