import type { ScheduledTask } from '../jobs/scheduler.ts';
import { proveLedger, recordFaults, type LedgerFault } from '../modules/ledger/index.ts';
import { DAY } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

/** Most staff who are notified of one event. */
const STAFF_MAX = 100;

/** The proof of the ledger (behaviour 2), for every night and for the command line. */
export function composeLedgerProof(foundation: Foundation) {
  const { long, notifications } = foundation;
  const stopping = new AbortController();
  /** Notifies those who look after the installation: who may see its health. */
  const notifyStaff: Parameters<typeof recordFaults>[0]['notifyStaff'] = async (tx, kind, data, key) => {
    for (const userId of await tx.access.holders(['admin.root', 'admin.health.view'], STAFF_MAX))
      await notifications.notify(tx, userId, kind, data, `${key}:${userId}`);
  };
  /** Proves the ledger and acts on what is found. Out: the faults. */
  async function prove(): Promise<LedgerFault[]> {
    const faults = await proveLedger(long, stopping.signal);
    await recordFaults({ ...foundation, notifyStaff }, faults);
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
