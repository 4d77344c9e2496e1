import { DomainError, fieldError } from '#shared/errors.ts';
import { MOST_SHARED_SERVERS, MOST_SUBUSERS, withNeededRights, type SubuserRight } from '#shared/subusers.ts';
import { writeAudit } from '../../audit/index.ts';
import { runOnce } from '../../idempotency/index.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import { lockOwnServer, lockServer, toServerFacts } from '../core/index.ts';
import type { ServerRow } from '../core/ports.ts';
import type { SubusersDeps } from './deps.ts';

/** Why somebody does not work on a server any more. */
type EndReason = 'removed' | 'left' | 'banned';

/** Refuses a server that is operated in its panel: rights given here would mean nothing there. */
function assertOperatedHere(deps: SubusersDeps, server: ServerRow): void {
  if (!deps.panels.find(server.panel)?.console) throw new DomainError('SUBUSERS_UNAVAILABLE');
}

/** The user of a name who can work on a server. Throws VALIDATION_FAILED with USERNAME_UNKNOWN at `username`. */
async function findInvitee(tx: Tx, username: string) {
  const found = await tx.identity.findUserByLogin(username);
  // Locked, so that a ban and another owner's invitation come before or after this one, never beside it.
  const user = found && (await tx.identity.lockUser(found.id));
  // The banned and the deleted are as good as unknown: nobody learns of a ban by it.
  if (user?.status !== 'active') throw fieldError('username', 'USERNAME_UNKNOWN');
  return user;
}

/**
 * Lets somebody work on the caller's server from now on, and notifies them; once an Idempotency-Key. Throws NOT_FOUND,
 * SUBUSERS_UNAVAILABLE, VALIDATION_FAILED at `username`, SUBUSER_IS_OWNER, SUBUSER_EXISTS, SUBUSER_LIMIT,
 * SHARED_SERVER_LIMIT.
 */
export function addSubuser(
  deps: SubusersDeps,
  ctx: SignedIn,
  id: string,
  invited: { readonly username: string; readonly rights: readonly SubuserRight[] },
): Promise<Record<string, never>> {
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    const server = await lockOwnServer(tx, ctx.actor.userId, id);
    assertOperatedHere(deps, server);
    const user = await findInvitee(tx, invited.username);
    if (user.id === server.userId) throw new DomainError('SUBUSER_IS_OWNER');
    if (await tx.subusers.findRights(id, user.id)) throw new DomainError('SUBUSER_EXISTS');
    if ((await tx.subusers.count({ serverId: id })) >= MOST_SUBUSERS) throw new DomainError('SUBUSER_LIMIT');
    if ((await tx.subusers.count({ userId: user.id })) >= MOST_SHARED_SERVERS)
      throw new DomainError('SHARED_SERVER_LIMIT');
    const rights = withNeededRights(invited.rights);
    const now = deps.clock.now();
    if (!(await tx.subusers.add({ serverId: id, userId: user.id, rights, createdMs: now })))
      throw new DomainError('SUBUSER_EXISTS');
    await deps.history.record(tx, server, 'subuserAdded', user.id, ctx.actor.userId);
    await deps.events.emit(
      tx,
      'server.subuser_added',
      { ...toServerFacts(server), subuserId: user.id, owner: ctx.actor.username, rights, addedMs: now },
      ctx,
    );
    return {};
  });
}

/** Other rights for a sub-user of the caller's server, from the next thing they do. Throws NOT_FOUND. */
export function setSubuserRights(
  deps: SubusersDeps,
  ctx: SignedIn,
  id: string,
  subuser: { readonly userId: string; readonly rights: readonly SubuserRight[] },
): Promise<void> {
  return deps.uow.run(async (tx) => {
    const server = await lockOwnServer(tx, ctx.actor.userId, id);
    const { userId } = subuser;
    const before = await tx.subusers.findRights(id, userId);
    const rights = withNeededRights(subuser.rights);
    if (!before || !(await tx.subusers.setRights(id, userId, rights))) throw new DomainError('NOT_FOUND');
    if (before.join() === rights.join()) return;
    await deps.history.record(tx, server, 'subuserChanged', userId, ctx.actor.userId);
    await writeAudit(tx, deps, ctx, {
      action: 'servers.subuser_edit',
      target: id,
      before: { subuser: userId, rights: before },
      after: { subuser: userId, rights },
    });
  });
}

/** Ends it for one user, whose pages and open consoles hear of it. Out: whether it had not ended yet. */
async function endFor(
  deps: SubusersDeps,
  tx: Tx,
  server: ServerRow,
  { userId, reason, by }: { readonly userId: string; readonly reason: EndReason; readonly by: SignedIn | null },
): Promise<boolean> {
  const now = deps.clock.now();
  if (!(await tx.subusers.end(server.id, userId, now))) return false;
  const code = reason === 'left' ? 'subuserLeft' : 'subuserRemoved';
  await deps.history.record(tx, server, code, userId, by?.actor.userId ?? null);
  tx.touch(`servers:${userId}`);
  const [owner, subuser] = [await tx.identity.findUser(server.userId), await tx.identity.findUser(userId)];
  await deps.events.emit(
    tx,
    'server.subuser_removed',
    {
      ...toServerFacts(server),
      subuserId: userId,
      owner: owner?.username ?? '',
      subuser: subuser?.username ?? '',
      reason,
      removedMs: now,
    },
    by,
  );
  return true;
}

/** Takes a sub-user off the caller's server, at once. Throws NOT_FOUND. */
export function removeSubuser(deps: SubusersDeps, ctx: SignedIn, id: string, userId: string): Promise<void> {
  return deps.uow.run(async (tx) => {
    const server = await lockOwnServer(tx, ctx.actor.userId, id);
    if (!(await endFor(deps, tx, server, { userId, reason: 'removed', by: ctx }))) throw new DomainError('NOT_FOUND');
  });
}

/** Leaves a server of somebody else. Throws NOT_FOUND. */
export function leaveServer(deps: SubusersDeps, ctx: SignedIn, id: string): Promise<void> {
  const { userId } = ctx.actor;
  return deps.uow.run(async (tx) => {
    // The owner, staff and strangers have nothing to leave.
    const server = await lockServer(tx, id);
    if (!server || !(await endFor(deps, tx, server, { userId, reason: 'left', by: ctx })))
      throw new DomainError('NOT_FOUND');
  });
}

/** Whoever is banned works on no server of others any more; the end of the ban gives nothing back. */
export async function endForBan(deps: SubusersDeps, tx: Tx, userId: string): Promise<void> {
  for (const { serverId } of await tx.subusers.listShared(userId)) {
    const server = await tx.servers.find(serverId);
    if (server) await endFor(deps, tx, server, { userId, reason: 'banned', by: null });
  }
}
