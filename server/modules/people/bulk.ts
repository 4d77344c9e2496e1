import { DomainError, type ErrorCode } from '#shared/errors.ts';
import type { Access } from '../access/index.ts';
import type { Events } from '../events/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { Identity } from '../identity/index.ts';
import type { Clock, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { UnitOfWork } from '../tx.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly access: Pick<Access, 'assignRole'>;
  readonly identity: Pick<Identity, 'confirmAddressOf'>;
  readonly events: Pick<Events, 'emit'>;
}
/** What a command on several users came to. */
interface Outcome {
  readonly done: number;
  readonly refused: { id: string; code: ErrorCode }[];
}

/**
 * Commands on several users at once (behaviour 8.3), each by the rule for one, in a transaction of its own: whoever is
 * refused stops nobody else.
 */
export function createUserBulk(deps: Deps) {
  const { uow, clock, access, identity, events } = deps;

  /** Gives users a role. Throws FORBIDDEN; UNKNOWN at `role` for a role that is not there. */
  function setRole(ctx: SignedIn, userIds: readonly string[], roleId: string): Promise<Outcome> {
    return each(ctx, userIds, (id) => uow.run((tx) => access.assignRole(tx, ctx, id, roleId)));
  }

  /** Confirms the addresses of users. Throws FORBIDDEN. */
  function confirm(ctx: SignedIn, userIds: readonly string[]): Promise<Outcome> {
    return each(ctx, userIds, (id) => identity.confirmAddressOf(ctx, id));
  }

  /**
   * Writes users an e-mail, all in one transaction, once an Idempotency-Key: nobody gets it twice, and it is sent to
   * all or, broken off, to none. Deleted and unknown users are refused as NOT_FOUND. Throws FORBIDDEN.
   */
  function write(
    ctx: SignedIn,
    userIds: readonly string[],
    { subject, text }: { readonly subject: string; readonly text: string },
  ): Promise<Outcome> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.users.edit');
      const refused: Outcome['refused'] = [];
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
async function each(
  ctx: SignedIn,
  userIds: readonly string[],
  command: (id: string) => Promise<void>,
): Promise<Outcome> {
  assertMay(ctx, 'admin.users.edit');
  const refused: Outcome['refused'] = [];
  const ids = new Set(userIds);
  for (const id of ids) {
    try {
      await command(id);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code === 'VALIDATION_FAILED') throw error;
      refused.push({ id, code: error.code });
    }
  }
  return { done: ids.size - refused.length, refused };
}
