import type { Harness } from './harness.ts';

/** Something that many hear of: staff give credits. Only the event is emitted; nothing is posted. */
export const emitAdjustment = ({ db, host }: Harness, userId: string, amount: number): Promise<void> =>
  db.uow.run((tx) =>
    host.services.events.emit(tx, 'credits.adjusted', {
      userId,
      adjustmentId: crypto.randomUUID(),
      amount,
      reason: 'a gift of the house',
    }),
  );
