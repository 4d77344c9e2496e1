import type { Access } from '../access/index.ts';
import type { Events } from '../events/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { Identity } from '../identity/index.ts';
import type { Clock, Log, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import { runEach, type EachOutcome } from '../run-each.ts';
import type { UnitOfWork } from '../tx.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  readonly access: Pick<Access, 'assignRole'>;
  readonly identity: Pick<Identity, 'confirmAddressOf'>;
  readonly events: Pick<Events, 'emit'>;
}
/**
 * Commands on several users at once (behaviour 8.3), each by the rule for one, in a transaction of its own: whoever is
 * refused stops nobody else.
 */
export function createUserBulk(deps: Deps) {
  const { uow, clock, log, access, identity, events } = deps;

  /** Gives users a role. Throws FORBIDDEN; UNKNOWN at `role` for a role that is not there. */
  function setRole(ctx: SignedIn, userIds: readonly string[], roleId: string): Promise<EachOutcome> {
    return each(log, ctx, userIds, (id) => uow.run((tx) => access.assignRole(tx, ctx, id, roleId)));
  }

  /** Confirms the addresses of users. Throws FORBIDDEN. */
  function confirm(ctx: SignedIn, userIds: readonly string[]): Promise<EachOutcome> {
    return each(log, ctx, userIds, (id) => identity.confirmAddressOf(ctx, id));
  }

  /**
   * Writes users an e-mail, all in one transaction, once an Idempotency-Key: nobody gets it twice, and it is sent to
   * all or, broken off, to none. Deleted and unknown users are refused as NOT_FOUND. Throws FORBIDDEN.
   */
  function write(
    ctx: SignedIn,
    userIds: readonly string[],
    { subject, text }: { readonly subject: string; readonly text: string },
  ): Promise<EachOutcome> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.users.edit');
      const refused: EachOutcome['refused'] = [];
      let done = 0;
      for (const id of new Set(userIds)) {
        const user = await tx.identity.findUser(id);
        if (!user || user.status === 'deleted') {
          refused.push({ id, code: 'NOT_FOUND' });
          continue;
        }
        await events.emit(tx, 'user.written', { userId: id, username: user.username, subject, text }, ctx);
        done += 1;
      }
      return { done, refused };
    });
  }

  return { setRole, confirm, write };
}
export type UserBulk = ReturnType<typeof createUserBulk>;

/** Runs a command for each of some users. A fault that concerns them all is thrown: a right, or the input. */
function each(
  log: Pick<Log, 'error'>,
  ctx: SignedIn,
  userIds: readonly string[],
  command: (id: string) => Promise<void>,
): Promise<EachOutcome> {
  assertMay(ctx, 'admin.users.edit');
  return runEach(log, userIds, command, ({ code }) => code === 'VALIDATION_FAILED');
}
