import type { QueueStep, ServerEvent } from '#shared/server-codes.ts';
import type { Clock, Ids } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';

interface Entry {
  readonly id: string;
  readonly serverId: string;
}
export type ServerHistory = ReturnType<typeof createServerHistory>;

/** What happened to servers, for their owners, and the steps of queue entries. */
export function createServerHistory({ clock, ids }: { readonly clock: Clock; readonly ids: Ids }) {
  /** Records steps of a queue entry that came together, in their order. */
  const logSteps = (tx: Tx, entry: Entry, codes: readonly QueueStep[], detail: string | null = null): Promise<void> =>
    tx.servers.addSteps(
      codes.map((code) => ({
        id: ids.uuid(),
        queueId: entry.id,
        serverId: entry.serverId,
        atMs: clock.now(),
        code,
        detail,
      })),
    );
  return {
    /**
     * Records an event of a server, and has the pages of its owner and sub-users read it. `actorId`: the player who
     * caused it; null: the system or staff.
     */
    async record(
      tx: Tx,
      server: { readonly id: string; readonly userId: string },
      code: ServerEvent,
      detail: string | null = null,
      actorId: string | null = null,
    ): Promise<void> {
      const { id: serverId, userId } = server;
      const event = { id: ids.uuid(), serverId, userId, atMs: clock.now(), code, detail, actorId };
      for (const id of [userId, ...(await tx.servers.addEvent(event))]) tx.touch(`servers:${id}`);
    },
    /** Records a step of a queue entry. */
    logStep: (tx: Tx, entry: Entry, code: QueueStep, detail: string | null = null) =>
      logSteps(tx, entry, [code], detail),
    logSteps,
  };
}
