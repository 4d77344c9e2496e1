import type { ScheduledTask } from '../jobs/scheduler.ts';
import { proveLedger, recordFaults, type LedgerFault } from '../modules/ledger/index.ts';
import { DAY } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

/** The proof of the ledger (behaviour 2), for every night and for the command line. */
export function composeLedgerProof(foundation: Foundation) {
  const { long } = foundation;
  const stopping = new AbortController();
  /** Proves the ledger and acts on what is found. Out: the faults. */
  async function prove(): Promise<LedgerFault[]> {
    const faults = await proveLedger(long, stopping.signal);
    await recordFaults(foundation, faults);
    return faults;
  }
  /** A fault is the task's as well. */
  async function proveOrThrow(): Promise<void> {
    const faults = await prove();
    if (faults.length > 0) throw new Error(`the ledger has ${faults.length} faults`);
  }
  const tasks: ScheduledTask[] = [{ name: 'ledger.verify', everyMs: DAY, run: proveOrThrow }];
  return { prove, stop: () => stopping.abort(), tasks };
}
