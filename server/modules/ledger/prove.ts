import type { LongReads } from '../tx.ts';
import { LEDGER_PROOFS } from '#shared/ledger.ts';
import type { LedgerFault } from './ports.ts';

/**
 * Proves the whole ledger away from the thread that answers, part by part: no view of the data is kept for longer than
 * one question takes. In: when to give it up. Out: faults; empty when all is well. Throws SERVER_UNAVAILABLE where it
 * could not be finished, the signal's reason where it was given up.
 */
export async function proveLedger(long: LongReads, signal: AbortSignal): Promise<LedgerFault[]> {
  const faults: LedgerFault[] = [];
  for (const proof of LEDGER_PROOFS)
    faults.push(...(await long.read((tx) => tx.ledger.verify(proof), { for: 'job', signal })));
  return faults;
}
