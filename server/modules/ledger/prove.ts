import type { LongReads } from '../tx.ts';
import { LEDGER_PROOFS } from '#shared/ledger.ts';
import { HOUR } from '#shared/time.ts';
import type { ArchiveProof, LedgerFault } from './ports.ts';

/** What one question about all postings may take: 6 s a million of them were measured, so this is for billions. */
const LIMIT_MS = 6 * HOUR;

/**
 * Proves the whole ledger away from the thread that answers everybody, part by part: no view of the data is kept for
 * longer than one question takes. In: when to give it up. Out: faults; empty when all is well. Throws
 * SERVER_UNAVAILABLE where it could not be finished, the signal's reason where it was given up.
 */
export async function proveLedger(long: LongReads, signal: AbortSignal): Promise<LedgerFault[]> {
  const faults: LedgerFault[] = [];
  const options = { for: 'job', signal, limitMs: LIMIT_MS } as const;
  for (const proof of LEDGER_PROOFS.filter((each) => each !== 'archive'))
    faults.push(...(await long.read((tx) => tx.ledger.verify(proof), options)));
  const archive = async (begun: ArchiveProof | null): Promise<ArchiveProof | null> => {
    const part = await long.read((tx) => tx.ledger.verifyArchive(begun), options);
    faults.push(...part.faults);
    return part.next;
  };
  for (let next = await archive(null); next; next = await archive(next));
  return faults;
}
