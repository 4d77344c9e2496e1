import { DomainError } from '#shared/errors.ts';
import { runOnce } from '../idempotency/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { lockOwn, record, wakeSync, type ServersDeps } from './deps.ts';
import { updateRefusal } from './policy.ts';
import type { ServerRow } from './ports.ts';

/** Asks for a locked server to be installed anew; one that is asked for already is enough. The panel follows by a job, which suspends it again where it should be. */
export async function startReinstall(deps: ServersDeps, tx: Tx, server: ServerRow): Promise<void> {
  if (server.reinstallMs !== null) return;
  const revision = server.revision + 1;
  await tx.servers.change(server.id, { reinstallMs: deps.clock.now(), revision }, deps.clock.now());
  await wakeSync(deps, tx, { id: server.id, revision });
  await record(deps, tx, server, 'reinstalling');
}

/** Installs the caller's server anew. Throws NOT_FOUND, SERVER_SUSPENDED, SERVER_BUSY, SERVER_NOT_READY. */
export function reinstallServer(deps: ServersDeps, ctx: SignedIn, id: string): Promise<Record<string, never>> {
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    const server = await lockOwn(tx, ctx.actor.userId, id);
    const refusal = updateRefusal(server.state);
    if (refusal) throw new DomainError(refusal);
    await startReinstall(deps, tx, server);
    return {};
  });
}
