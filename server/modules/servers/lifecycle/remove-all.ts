import { DomainError } from '#shared/errors.ts';
import { lockServer } from '../core/index.ts';
import { removeServer } from './delete.ts';
import type { LifecycleDeps } from './deps.ts';

/**
 * Starts the removal of all servers of somebody whose account is deleted (behaviour 3.8). One that is being built is
 * left for the next time; nothing is owed any more. Nobody waits for the panel here.
 */
export async function removeAllOf(deps: LifecycleDeps, userId: string): Promise<void> {
  const servers = await deps.uow.read((tx) => tx.servers.listIdsByUser(userId));
  for (const id of servers) {
    try {
      await deps.uow.run(async (tx) => {
        const server = await lockServer(tx, id);
        if (server && server.state !== 'deleted') await removeServer(deps, tx, server, 'staff');
      });
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'SERVER_BUSY')) throw error;
    }
  }
}
