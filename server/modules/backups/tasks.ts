import type { BackupFaultCode, BackupStep, BackupTask } from '#shared/backups.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import type { Clock, Log } from '../kernel.ts';
import type { OnStep, Outcome, RemoteBackup } from './ports.ts';

/** What is being done. `all` is null where nobody knows how much there is. */
interface Running {
  readonly task: BackupTask;
  /** The backup it is about; null while it is made. */
  readonly id: string | null;
  readonly sinceMs: number;
  readonly step: BackupStep;
  readonly done: number;
  readonly all: number | null;
}
/** How the last task of this process ended. */
interface Ended {
  readonly task: BackupTask;
  readonly id: string | null;
  readonly atMs: number;
  readonly fault: BackupFaultCode | null;
}
/** What a process does with backups, and how the last task of it ended. */
export interface BackupState {
  running: Running | null;
  last: Ended | null;
  /** When the schedule failed last. */
  failedMs: number | null;
  /** The daily backup that is known to be in the storage elsewhere, and when sending one failed last. */
  sentId: string | null;
  sendFailedMs: number | null;
  /** What that storage said last when it was asked for its backups. */
  remote: RemoteList;
}
/** `place`: of which storage it is. `atMs`: when it was asked; null: not yet. */
export interface RemoteList {
  readonly place: string | null;
  readonly atMs: number | null;
  readonly asking: boolean;
  readonly backups: readonly RemoteBackup[];
  readonly fault: BackupFaultCode | null;
}
export const NO_REMOTE: RemoteList = { place: null, atMs: null, asking: false, backups: [], fault: null };
export const newBackupState = (): BackupState => ({
  running: null,
  last: null,
  failedMs: null,
  sentId: null,
  sendFailedMs: null,
  remote: NO_REMOTE,
});

interface Deps {
  readonly clock: Clock;
  readonly log: Log;
  readonly state: BackupState;
}
export type BackupTasks = ReturnType<typeof createTasks>;

/** Long tasks with backups, one at a time. */
export function createTasks({ clock, log, state }: Deps) {
  /** Runs a task and remembers how it ended. Out: what came of it. Never rejects. */
  async function run<T>(
    task: BackupTask,
    id: string | null,
    work: (onStep: OnStep) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    const sinceMs = clock.now();
    state.running = { task, id, sinceMs, step: 'begin', done: 0, all: null };
    const outcome = await work((step, done, all) => (state.running = { task, id, sinceMs, step, done, all }));
    state.running = null;
    const fault = 'fault' in outcome ? outcome.fault : null;
    state.last = { task, id, atMs: clock.now(), fault };
    if (!('fault' in outcome)) log.info('backup.done', { task, id });
    // A key that was typed wrong is nobody's fault but a finger's.
    else log[fault === 'wrong_key' ? 'warn' : 'error']('backup.failed', { task, id, fault, error: outcome.message });
    return outcome;
  }
  return {
    assertIdle(): void {
      if (state.running) throw new DomainError('BACKUP_BUSY');
    },
    /** Runs a task and remembers how it ended. Out: what it gave; null where it failed. Never rejects. */
    async perform<T>(
      task: BackupTask,
      id: string | null,
      work: (onStep: OnStep) => Promise<Outcome<T>>,
    ): Promise<T | null> {
      const outcome = await run(task, id, work);
      return 'done' in outcome ? outcome.done : null;
    },
    /**
     * Begins a task that opens a backup by what somebody typed, and waits until the file is open, or has to be fetched
     * first: its first step. Throws VALIDATION_FAILED at `key` where it does not open.
     */
    async performWithKey(task: BackupTask, id: string, work: (onStep: OnStep) => Promise<Outcome<unknown>>) {
      const { promise: begun, resolve: onBegun } = Promise.withResolvers<null>();
      const ended = run(task, id, (onStep) =>
        work((...step) => {
          onStep(...step);
          onBegun(null);
        }),
      );
      const outcome = await Promise.race([begun, ended]);
      if (outcome === null || !('fault' in outcome) || outcome.fault !== 'wrong_key') return;
      // It is said at the field.
      state.last = null;
      throw fieldError('key', 'KEY_WRONG');
    },
  };
}
