import type { BackupFaultCode, BackupKind, BackupStep, BackupTask } from '#shared/backups.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import { HOUR } from '#shared/time.ts';
import { wallTime, wallTimeToMs } from '#shared/zoned.ts';
import { writeAudit } from '../audit/index.ts';
import { isProven } from '../identity/index.ts';
import type { Clock, Ids, Log, SignedIn } from '../kernel.ts';
import { permitted } from '../permit.ts';
import type { Settings } from '../settings/index.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { BackupFiles, BackupWorker, OnStep, Outcome, StoredBackup } from './ports.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: Pick<Settings, 'current'>;
  readonly files: BackupFiles;
  readonly worker: BackupWorker;
  /** Outlives the service while the installation is replaced. */
  readonly state: BackupState;
}
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
}
export const newBackupState = (): BackupState => ({ running: null, last: null, failedMs: null });
export type Backups = ReturnType<typeof createBackups>;

/** After a failure the schedule waits so long before it tries again. */
const RETRY_MS = 2 * HOUR;

/**
 * Backups of the installation (behaviour 8.6): one task at a time, in a process of its own; what reaches further than
 * its rights say (fetching, deleting, the recovery key, restoring) only for whoever showed who they are a moment ago.
 */
export function createBackups(deps: Deps) {
  const { uow, clock, ids, log, settings, files, worker, state } = deps;
  const startedMs = clock.now();

  /** Asserts that whoever sits there showed who they are a moment ago (attacks T49). Throws TRUST_REQUIRED. */
  async function assertProven(tx: Tx, ctx: SignedIn): Promise<void> {
    const session = await tx.identity.findSession(ctx.actor.sessionId);
    if (!session || !isProven(session, clock.now())) throw new DomainError('TRUST_REQUIRED');
  }
  /** Writes down what somebody proven does. */
  const record = (ctx: SignedIn, entry: { readonly action: string; readonly target: string }) =>
    uow.run(async (tx) => {
      await assertProven(tx, ctx);
      await writeAudit(tx, { clock, ids }, ctx, entry);
    });
  function getBackup(id: string): StoredBackup {
    const found = files.find(id);
    if (!found) throw new DomainError('NOT_FOUND');
    return found;
  }
  function assertIdle(): void {
    if (state.running) throw new DomainError('BACKUP_BUSY');
  }

  /** Runs a task and remembers how it ended. Out: what it gave; null where it failed. Never rejects. */
  async function perform<T>(
    task: BackupTask,
    id: string | null,
    work: (onStep: OnStep) => Promise<Outcome<T>>,
  ): Promise<T | null> {
    const sinceMs = clock.now();
    state.running = { task, id, sinceMs, step: 'begin', done: 0, all: null };
    const outcome = await work((step, done, all) => (state.running = { task, id, sinceMs, step, done, all }));
    state.running = null;
    const fault = 'fault' in outcome ? outcome.fault : null;
    state.last = { task, id, atMs: clock.now(), fault };
    if ('fault' in outcome) log.error('backup.failed', { task, id, fault, error: outcome.message });
    else log.info('backup.done', { task, id });
    return 'done' in outcome ? outcome.done : null;
  }

  /**
   * Whether the day's backup is to be made now: its hour has come and there is none of today. The first one waits for
   * an hour that comes while the process runs: a new installation has nothing to save yet.
   */
  function isDue(): boolean {
    const { backup_daily: on, backup_hour: hour, app_timezone: zone } = settings.current();
    if (!on || state.running) return false;
    const now = clock.now();
    if (state.failedMs !== null && now - state.failedMs < RETRY_MS) return false;
    const dayOf = (ms: number) => wallTime(ms, zone).slice(0, 10);
    const dueMs = wallTimeToMs(`${dayOf(now)}T${String(hour).padStart(2, '0')}:00`, zone) ?? now;
    const made = files.list().filter(({ kind }) => kind === 'daily');
    const isFirst = made.length === 0;
    return now >= dueMs && (!isFirst || dueMs > startedMs) && !made.some(({ atMs }) => dayOf(atMs) === dayOf(now));
  }

  return {
    /** Every backup, what is being done, and how the last task ended. */
    list: permitted('admin.backups.list', (_ctx: SignedIn) =>
      Promise.resolve({
        backups: files.list(),
        running: state.running,
        last: state.last,
        folder: files.folder,
        freeBytes: files.freeBytes(),
      }),
    ),
    /** Begins a backup. Throws BACKUP_BUSY. */
    create: permitted('admin.backups.create', async (ctx: SignedIn) => {
      assertIdle();
      await uow.run((tx) => writeAudit(tx, { clock, ids }, ctx, { action: 'backups.create', target: '' }));
      assertIdle();
      void perform('create', null, (onStep) => worker.create('manual', onStep));
    }),
    /** Begins to restore a backup into a copy that is thrown away. Throws NOT_FOUND, BACKUP_BUSY. */
    verify: permitted('admin.backups.create', (_ctx: SignedIn, id: string) => {
      getBackup(id);
      assertIdle();
      void perform('verify', id, (onStep) => worker.verify(id, onStep));
      return Promise.resolve();
    }),
    /** Throws NOT_FOUND, TRUST_REQUIRED; BACKUP_BUSY where something is done with it. */
    remove: permitted('admin.backups.delete', async (ctx: SignedIn, id: string) => {
      getBackup(id);
      if (state.running?.id === id) throw new DomainError('BACKUP_BUSY');
      await record(ctx, { action: 'backups.delete', target: id });
      files.remove(id);
    }),
    /** Refuses what `download` would refuse, and does nothing else. Throws NOT_FOUND, TRUST_REQUIRED. */
    prepare: permitted('admin.backups.create', async (ctx: SignedIn, id: string) => {
      getBackup(id);
      await uow.read((tx) => assertProven(tx, ctx));
    }),
    /** The file, for whoever saves it elsewhere. Throws NOT_FOUND, TRUST_REQUIRED. */
    download: permitted('admin.backups.create', async (ctx: SignedIn, id: string) => {
      const { bytes } = getBackup(id);
      await record(ctx, { action: 'backups.download', target: id });
      const body = files.read(id);
      if (!body) throw new DomainError('NOT_FOUND');
      return { body, bytes, filename: `${id}.age` };
    }),
    /** The recovery key: who has it and a file has everything. Throws TRUST_REQUIRED. */
    recoveryKey: permitted('admin.root', async (ctx: SignedIn) => {
      await record(ctx, { action: 'backups.key', target: '' });
      return files.recoveryKey();
    }),
    /**
     * Begins a restore: `day` repeats the backup's own (UTC), so that nobody restores another than they meant. Once the
     * backup is proven, this installation closes, is copied, replaced and opened again. Throws NOT_FOUND, BACKUP_BUSY,
     * TRUST_REQUIRED, VALIDATION_FAILED at `day`.
     */
    restore: permitted('admin.root', async (ctx: SignedIn, id: string, day: string) => {
      const found = getBackup(id);
      if (day.trim() !== new Date(found.atMs).toISOString().slice(0, 10)) throw fieldError('day', 'INVALID');
      assertIdle();
      await record(ctx, { action: 'backups.restore', target: id });
      assertIdle();
      void perform('restore', id, async (onStep) => {
        const staged = await worker.stage(id, onStep);
        return 'fault' in staged ? staged : worker.replace(id, onStep);
      });
    }),
    /** Makes the day's backup where it is due, proves it, and throws away the oldest of those it made. */
    async runDaily(): Promise<void> {
      if (!isDue()) return;
      const made = await perform('create', null, (onStep) => worker.create('daily', onStep));
      state.failedMs = made ? null : clock.now();
      if (!made) throw new Error(`the backup of the day failed: ${state.last?.fault}`);
      for (const { id } of overKept(files.list(), settings.current().backup_keep)) files.remove(id);
      await perform('verify', made.id, (onStep) => worker.verify(made.id, onStep));
    },
    stop: () => worker.stop(),
  };
}

/** Backups of the schedule beyond those that are kept, the oldest. What somebody made by hand is never among them. */
function overKept(backups: readonly StoredBackup[], keep: number): readonly StoredBackup[] {
  const kind: BackupKind = 'daily';
  return backups.filter((backup) => backup.kind === kind).slice(keep);
}
