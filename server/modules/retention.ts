import type { Tx, UnitOfWork } from './tx.ts';

/** Most rows that one transaction deletes: other writers wait meanwhile. */
const SLICE = 500;

/** Deletes what is old enough, a slice a transaction. In: what deletes at most `limit` rows and says how many it found. */
export async function deleteInSlices(
  uow: UnitOfWork,
  remove: (tx: Tx, limit: number) => Promise<number>,
): Promise<void> {
  while ((await uow.run((tx) => remove(tx, SLICE))) === SLICE);
}
