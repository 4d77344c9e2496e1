import { DomainError } from '#shared/errors.ts';
import type { ImportFaultCode, ImportStep, ImportTask } from '#shared/imports.ts';
import type { Clock, Log } from '../kernel.ts';
import type { ImportFiles, ImportOutcome, OnImportStep, RunningImport } from './ports.ts';

/** How the last task of this process ended; `runId` is null where a check failed. */
interface Ended {
  readonly task: ImportTask;
  readonly runId: string | null;
  readonly atMs: number;
  readonly fault: ImportFaultCode | null;
}
/** What a process does about imports, and how the last task of it ended. */
export interface ImportWork {
  running: RunningImport | null;
  last: Ended | null;
}
export const newImportWork = (): ImportWork => ({ running: null, last: null });

interface Deps {
  readonly clock: Clock;
  readonly log: Log;
  readonly work: ImportWork;
  readonly files: Pick<ImportFiles, 'running'>;
}

/** Imports, one at a time: two would decide on the same names twice. */
export function createImportTasks({ clock, log, work, files }: Deps) {
  return {
    assertIdle(): void {
      if (work.running ?? files.running()) throw new DomainError('IMPORT_BUSY');
    },
    /** Runs a task and remembers how it ended. Never rejects. */
    async perform(
      task: ImportTask,
      runId: string | null,
      run: (onStep: OnImportStep) => Promise<ImportOutcome>,
    ): Promise<void> {
      const sinceMs = clock.now();
      const at = (step: ImportStep, done: number) => (work.running = { task, runId, sinceMs, step, done });
      at('begin', 0);
      const outcome = await run(at);
      work.running = null;
      const fault = 'fault' in outcome ? outcome.fault : null;
      const about = 'done' in outcome ? outcome.done : runId;
      work.last = { task, runId: about, atMs: clock.now(), fault };
      // A source that cannot be read is somebody's mistake and stands on the page; what was stopped has its reason here.
      if ('fault' in outcome) log.warn('import.ended', { task, run: about, fault, error: outcome.message });
      else log.info('import.done', { task, run: about });
    },
  };
}
