import { DomainError, fieldError } from '#shared/errors.ts';
import type { SignedIn } from '../../kernel.ts';
import { getServerFor, lockServerFor, updateRefusal } from '../core/index.ts';
import type { LifecycleDeps } from './deps.ts';

/**
 * Makes one of a server's ports the primary one, by its owner, staff or whoever has the right `startup`: its address is
 * what players are given, and its process listens there from the next start. Choosing it again changes nothing. Throws
 * NOT_FOUND, FORBIDDEN, SERVER_SUSPENDED, SERVER_BUSY, SERVER_NOT_READY, PRIMARY_PORT_UNAVAILABLE where it is chosen in
 * the panel, VALIDATION_FAILED at `port` for one that is not the server's.
 */
export async function setPrimaryPort(deps: LifecycleDeps, ctx: SignedIn, id: string, port: number): Promise<void> {
  const { server: seen } = await deps.uow.read((tx) => getServerFor(tx, ctx.actor, id, 'startup'));
  const unready = updateRefusal(seen.state);
  if (unready || seen.panelId === null) throw new DomainError(unready ?? 'SERVER_NOT_READY');
  const addressesOf = deps.panels.find(seen.panel)?.addresses;
  if (!addressesOf) throw new DomainError('PRIMARY_PORT_UNAVAILABLE');
  // The panel gives ports by itself: only it knows which ones the server has.
  const address = (await addressesOf(seen.panelId)).find((each) => each.endsWith(`:${port}`));
  if (address === undefined) throw fieldError('port', 'PORT_UNKNOWN');
  await deps.uow.run(async (tx) => {
    const access = await lockServerFor(tx, ctx.actor, id, 'startup');
    const { server } = access;
    const refusal = updateRefusal(server.state);
    if (refusal) throw new DomainError(refusal);
    if (server.address === address && (server.primaryPort ?? port) === port) return;
    const revision = server.revision + 1;
    await tx.servers.update(id, { primaryPort: port, address, revision }, deps.clock.now());
    await deps.jobs.enqueueSync(tx, { id, revision });
    await deps.history.recordAct(tx, ctx, access, {
      event: 'updated',
      detail: 'primaryPort',
      audit: { action: 'servers.port', after: { from: server.address, to: address } },
    });
  });
}
