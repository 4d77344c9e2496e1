import type { Log } from '#server/modules/kernel.ts';
import type { GameServer } from './server.ts';

/** What of a server is looked at. */
type Server = Pick<GameServer, 'id' | 'countedBytes' | 'stopForReserve'>;

/**
 * Where the machine has less space than it keeps, whoever grew most since the last look is stopped. A server whose
 * files were not counted at both looks did not grow as far as anybody knows: after this program began again, the
 * largest would be stopped for having been counted first. Out: one look.
 */
export function createReserveKeeper(
  servers: () => Iterable<Server>,
  machine: { readonly isBelowReserve: () => boolean },
  log: Log,
): () => Promise<void> {
  /** Bytes of servers at the last look, by id. */
  let counted = new Map<string, number | null>();
  return async () => {
    const now = [...servers()].map((server) => ({ server, bytes: server.countedBytes() }));
    const grown = now
      .map(({ server, bytes }) => {
        const before = counted.get(server.id) ?? null;
        return { server, by: bytes === null || before === null ? 0 : bytes - before };
      })
      .filter(({ by }) => by > 0)
      .sort((a, b) => b.by - a.by);
    counted = new Map(now.map(({ server, bytes }) => [server.id, bytes]));
    if (!machine.isBelowReserve()) return;
    for (const { server, by } of grown) {
      if (!(await server.stopForReserve())) continue;
      log.warn('node.below_reserve', { server: server.id, grown: by });
      return;
    }
  };
}
