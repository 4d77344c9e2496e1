import type { LifecycleDeps } from './deps.ts';
import { type ErrorCode, DomainError } from '#shared/errors.ts';
import type { REINSTALL } from '#shared/schemas/server.ts';
import { writeAudit } from '../../audit/index.ts';
import { runOnce } from '../../idempotency/index.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import { lockOwnServer, updateRefusal } from '../core/index.ts';
import type { ServerRow } from '../core/ports.ts';
import { lockExistingServer } from './owners.ts';

type ReinstallInput = Pick<ServerRow, 'state' | 'panelState' | 'reinstallMs'>;

/**
 * Why a server cannot be reinstalled now: its state, or its panel that is at it already; null where it can, or was
 * asked for a moment ago.
 */
function reinstallRefusal({ state, panelState, reinstallMs }: ReinstallInput): ErrorCode | null {
  const busy = reinstallMs === null && (panelState === 'installing' || panelState === 'restoring');
  return updateRefusal(state) ?? (busy ? 'SERVER_BUSY' : null);
}

/** Whether a server in use can be reinstalled, or is being so. */
export function reinstallState(server: ReinstallInput): (typeof REINSTALL)[number] {
  if (server.state === 'active' && (server.reinstallMs !== null || server.panelState === 'installing'))
    return 'underWay';
  return reinstallRefusal(server) === null ? 'possible' : 'impossible';
}

/**
 * Asks for a locked server to be reinstalled; one that is asked for already is enough. The panel follows by a job,
 * which suspends it again where it should be. Out: whether it was asked for just now.
 */
async function startReinstall(
  deps: LifecycleDeps,
  tx: Tx,
  server: ServerRow,
  by: 'staff' | { readonly userId: string },
): Promise<boolean> {
  const refusal = reinstallRefusal(server);
  if (refusal) throw new DomainError(refusal);
  if (server.reinstallMs !== null) return false;
  const revision = server.revision + 1;
  await tx.servers.update(server.id, { reinstallMs: deps.clock.now(), revision }, deps.clock.now());
  await deps.jobs.enqueueSync(tx, { id: server.id, revision });
  const [detail, actorId] = by === 'staff' ? ['admin', null] : [null, by.userId];
  await deps.history.record(tx, server, 'reinstalling', detail, actorId);
  return true;
}

/** Reinstalls the caller's server. Throws NOT_FOUND, SERVER_SUSPENDED, SERVER_BUSY, SERVER_NOT_READY. */
export function reinstallServer(deps: LifecycleDeps, ctx: SignedIn, id: string): Promise<Record<string, never>> {
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    const server = await lockOwnServer(tx, ctx.actor.userId, id);
    if (await startReinstall(deps, tx, server, ctx.actor))
      await writeAudit(tx, deps, ctx, { action: 'servers.reinstall', target: id });
    return {};
  });
}

/** The same by staff, for any server. Throws what reinstallServer throws. */
export function reinstallAsStaff(deps: LifecycleDeps, ctx: SignedIn, id: string): Promise<Record<string, never>> {
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    const server = await lockExistingServer(tx, id);
    if (await startReinstall(deps, tx, server, 'staff')) {
      await writeAudit(tx, deps, ctx, {
        action: 'servers.reinstall',
        target: id,
        before: { name: server.name, user: server.userId },
      });
    }
    return {};
  });
}
