import { DAY } from '#shared/time.ts';
import { AUTO_CLOSE_DAYS } from '#shared/tickets.ts';
import { closesMs, closeTicket } from './service.ts';
import type { TicketsDeps } from './deps.ts';

/** Tickets that are closed in one transaction: 2 ms each where their pages come from the disk. */
const BATCH = 8;

/** Closes the answered tickets whose users were silent for too long. For the scheduler; it may run any number of times. */
export async function closeSilent(deps: TicketsDeps): Promise<void> {
  const { uow, clock } = deps;
  for (;;) {
    const now = clock.now();
    const ids = await uow.read((tx) => tx.tickets.listSilent(now - AUTO_CLOSE_DAYS * DAY, BATCH));
    if (ids.length === 0) return;
    await uow.run(async (tx) => {
      for (const id of ids) {
        const ticket = await tx.tickets.lock(id);
        // Its user may have written meanwhile.
        const dueMs = ticket && closesMs(ticket);
        if (ticket && dueMs !== null && dueMs <= now) await closeTicket(deps, tx, ticket, null, 'silence');
      }
    });
  }
}
