import type { QueueStep, ServerEvent } from '#shared/server-codes.ts';
import type { Clock, Ids, SignedIn } from '../../kernel.ts';
import { writeAudit } from '../../audit/index.ts';
import type { Tx } from '../../tx.ts';
import type { ServerAccess } from './access.ts';

/** Something that somebody did on a server. */
export interface ServerAct {
  /** What its history says; null: nothing. */
  readonly event: ServerEvent | null;
  readonly detail?: string;
  /**
   * What the audit log says where staff did it, or whoever it was (`ofAll`): the action, and what was done. No secret,
   * and no text of a command.
   */
  readonly audit: {
    readonly action: `servers.${string}`;
    readonly after?: Readonly<Record<string, unknown>>;
    readonly ofAll?: true;
  };
}
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
  /** Records an event, and has the pages of its owner and sub-users read it. */
  async function addEvent(
    tx: Tx,
    server: { readonly id: string; readonly userId: string },
    event: { readonly code: ServerEvent; readonly detail: string | null; actorId: string | null; byStaff: boolean },
  ): Promise<void> {
    const { id: serverId, userId } = server;
    const added = { id: ids.uuid(), serverId, userId, atMs: clock.now(), ...event };
    for (const id of [userId, ...(await tx.servers.addEvent(added))]) tx.touch(`servers:${id}`);
  }
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
      await addEvent(tx, server, { code, detail, actorId, byStaff: false });
    },
    /**
     * Records what somebody who was let in did on a server: in its history under their name or as staff, and in the
     * audit log where staff did it (decision 085).
     */
    async recordAct(tx: Tx, ctx: SignedIn, { server, as }: ServerAccess, act: ServerAct): Promise<void> {
      const byStaff = as === 'staff';
      const { event: code, detail = null } = act;
      const actorId = byStaff ? null : ctx.actor.userId;
      if (code !== null) await addEvent(tx, server, { code, detail, actorId, byStaff });
      const { action, after, ofAll } = act.audit;
      if (!byStaff && !ofAll) return;
      await writeAudit(tx, { clock, ids }, ctx, { action, target: server.id, after: { name: server.name, ...after } });
    },
    /** Records a step of a queue entry. */
    logStep: (tx: Tx, entry: Entry, code: QueueStep, detail: string | null = null) =>
      logSteps(tx, entry, [code], detail),
    logSteps,
  };
}
