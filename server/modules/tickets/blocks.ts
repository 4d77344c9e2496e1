import { DomainError } from '#shared/errors.ts';
import { runOnce } from '../idempotency/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { Tx } from '../tx.ts';
import { getLocked, toEventData, touchTicket, type TicketsDeps } from './deps.ts';

export type TicketBlocks = ReturnType<typeof createTicketBlocks>;

/** Throws TICKET_BLOCKED where staff took the right to open tickets from a user. */
export async function assertNotBlocked(tx: Tx, userId: string): Promise<void> {
  if (await tx.ticketMoves.findBlock(userId)) throw new DomainError('TICKET_BLOCKED');
}

/** Users who may not open tickets, or reopen theirs (behaviour 7.3); those that are open go on. */
export function createTicketBlocks(deps: Pick<TicketsDeps, 'uow' | 'clock' | 'events'>) {
  const { uow, clock } = deps;
  return {
    /** Blocks the user of a ticket; nothing happens to one who is. Throws FORBIDDEN, NOT_FOUND. */
    block: (ctx: SignedIn, ticketId: string, reason: string): Promise<void> =>
      runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
        assertMay(ctx, 'admin.tickets.view');
        const ticket = await getLocked(tx, ticketId);
        const { userId } = ticket;
        const isNew = await tx.ticketMoves.addBlock({ userId, reason, byId: ctx.actor.userId, createdMs: clock.now() });
        if (!isNew) return;
        touchTicket(tx, userId);
        await deps.events.emit(tx, 'ticket.sender_blocked', { ...toEventData(ticket), reason }, ctx);
      }),
    /** Lets the user of a ticket open tickets again. Throws FORBIDDEN, NOT_FOUND. */
    unblock: (ctx: SignedIn, ticketId: string): Promise<void> =>
      runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
        assertMay(ctx, 'admin.tickets.view');
        const ticket = await getLocked(tx, ticketId);
        if (!(await tx.ticketMoves.removeBlock(ticket.userId))) return;
        touchTicket(tx, ticket.userId);
        await deps.events.emit(tx, 'ticket.sender_unblocked', toEventData(ticket), ctx);
      }),
  };
}
