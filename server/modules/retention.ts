import type { Tx, UnitOfWork } from './tx.ts';

/**
 * Most rows that one transaction deletes. Their pages, of every index, may have to come from the disk, 0.2 ms each, and
 * nobody is answered meanwhile (decision 087).
 */
const SLICE = 25;

/** Deletes what is old enough, a slice a transaction. In: what deletes at most `limit` rows and says how many it found. */
export async function deleteInSlices(
  uow: UnitOfWork,
  remove: (tx: Tx, limit: number) => Promise<number>,
): Promise<void> {
  while ((await uow.run((tx) => remove(tx, SLICE))) === SLICE);
}

/**
 * Goes through a table by its key and deletes what is old enough, a slice a transaction: for tables without an index of
 * time. In: what looks at the next `limit` rows after a key, and gives the key to go on after, or null at the end.
 */
export async function walkInSlices(
  uow: UnitOfWork,
  remove: (tx: Tx, afterKey: string, limit: number) => Promise<string | null>,
): Promise<void> {
  for (let key: string | null = ''; key !== null;) {
    const after: string = key;
    key = await uow.run((tx) => remove(tx, after, SLICE));
  }
}
