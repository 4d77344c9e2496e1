import type { UnitOfWork } from '#server/modules/tx.ts';

/** Archives everything in the ledger that is older than a moment, however young it is, of everybody. */
export async function archiveBefore(uow: UnitOfWork, beforeMs: number): Promise<void> {
  for (let after: string | null = ''; after !== null;) {
    const from: string = after;
    const { userIds, last } = await uow.read((tx) => tx.ledgerArchive.findOld(from, beforeMs, 100));
    for (const userId of userIds) while ((await uow.run((tx) => tx.ledgerArchive.archive(userId, beforeMs))).more);
    after = last;
  }
}
