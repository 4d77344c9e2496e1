import type { Database } from '../data/open.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createLedgerArchive, proveLedger, recordFaults, type LedgerFault } from '../modules/ledger/index.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

/** How long a run of the archive takes at most: others write in between, and the next one goes on. */
const ARCHIVE_MS = 5 * MINUTE;
/** Slices of the archive that share a commit of SQLite, which closes it after 10 ms. */
const TOGETHER = 16;
/** Between two of its steps, which take some ms each. */
const REST_MS = 5;

/** The proof of the ledger (behaviour 2), for every night and for the command line, and its archive (decision 124). */
export function composeLedgerProof(foundation: Foundation, { dialect }: Pick<Database, 'dialect'>) {
  const { long, uow, clock, settings } = foundation;
  const archive = createLedgerArchive({
    uow,
    clock,
    together: dialect === 'sqlite' ? TOGETHER : 1,
    days: () => settings.current().ledger_archive_days,
    rest: () => Bun.sleep(REST_MS),
  });
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
  const tasks: ScheduledTask[] = [
    { name: 'ledger.verify', everyMs: DAY, run: proveOrThrow },
    {
      name: 'ledger.archive',
      everyMs: HOUR,
      async run() {
        await archive.run(stopping.signal, ARCHIVE_MS);
      },
    },
  ];
  return { prove, stop: () => stopping.abort(), tasks };
}
