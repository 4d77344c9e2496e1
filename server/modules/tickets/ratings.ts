import { DomainError } from '#shared/errors.ts';
import { DAY } from '#shared/time.ts';
import { RATING_DAYS } from '#shared/tickets.ts';
import { runOnce } from '../idempotency/index.ts';
import type { SignedIn } from '../kernel.ts';
import { getOwn, touchTicket, type TicketsDeps } from './deps.ts';
import type { TicketRow } from './ports.ts';

export type Ratings = ReturnType<typeof createRatings>;

/** Whether its user may say what they thought of it, for the first time or anew: for some days after it was closed. */
export const isRateable = ({ closedMs, answeredSeq, mergedInto }: TicketRow, nowMs: number): boolean =>
  closedMs !== null && answeredSeq > 0 && mergedInto === null && nowMs < closedMs + RATING_DAYS * DAY;

/** What users thought of how their tickets were answered (behaviour 7.3). */
export function createRatings({ uow, clock }: Pick<TicketsDeps, 'uow' | 'clock'>) {
  return {
    /**
     * Keeps what the caller thought of a closed ticket: 1 (bad) to 5 (good), and words ('' for none). Throws NOT_FOUND,
     * TICKET_CLOSED where it is too late, or there was no answer.
     */
    rate: (ctx: SignedIn, id: string, input: { readonly rating: number; readonly text: string }): Promise<void> =>
      runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
        const ticket = await getOwn(tx, ctx, id);
        if (!isRateable(ticket, clock.now())) throw new DomainError('TICKET_CLOSED');
        await tx.tickets.update(id, { rating: input.rating, ratingText: input.text, ratedMs: clock.now() });
        touchTicket(tx, ticket.userId);
      }),
  };
}
