import { DomainError } from '#shared/errors.ts';
import { writeAudit } from '../audit/index.ts';
import { isProven } from '../identity/index.ts';
import type { Clock, Ids, Log, SignedIn } from '../kernel.ts';
import { permitted } from '../permit.ts';
import type { Settings } from '../settings/index.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import { createPartUpload, type IncomingFiles } from '../uploads/index.ts';
import type { BackupFiles, BackupWorker, RemoteBackups } from './ports.ts';
import { createComparison } from './comparison.ts';
import { createOpening } from './opening.ts';
import { createProven } from './proven.ts';
import { createRemoteCommands } from './remote-commands.ts';
import { createRemoteLister } from './remote.ts';
import { createSchedule, dailyBeyond } from './schedule.ts';
import { createTasks, type BackupState } from './tasks.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: Pick<Settings, 'current'>;
  readonly files: BackupFiles;
  readonly incoming: IncomingFiles;
  /** The storage elsewhere. */
  readonly remote: RemoteBackups;
  readonly worker: BackupWorker;
  /** Outlives the service while the installation is replaced. */
  readonly state: BackupState;
}
export type Backups = ReturnType<typeof createBackups>;

/**
 * Backups of the installation (behaviour 8.6): one task at a time, in a process of its own; what reaches further than
 * its rights say (fetching, deleting, the recovery key, restoring) only for whoever showed who they are a moment ago.
 */
export function createBackups(deps: Deps) {
  const { uow, clock, ids, files, worker, state } = deps;
  const tasks = createTasks(deps);
  const remotely = createRemoteLister(deps);
  const { assertIdle, perform } = tasks;
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
  const places = createRemoteCommands({ ...deps, remotely, tasks, record });
  const { getHere, getAnywhere } = places;
  return {
    /** Every backup, what is being done, and how the last task ended. */
    list: permitted('admin.backups.list', (_ctx: SignedIn) =>
      Promise.resolve({
        backups: files.list(),
        remote: remotely.current(),
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
    /** Throws NOT_FOUND, TRUST_REQUIRED; BACKUP_BUSY where something is done with it. */
    remove: permitted('admin.backups.delete', async (ctx: SignedIn, id: string) => {
      getHere(id);
      if (state.running?.id === id) throw new DomainError('BACKUP_BUSY');
      await record(ctx, { action: 'backups.delete', target: id });
      files.remove(id);
    }),
    /** Refuses what `download` would refuse, and does nothing else. Throws NOT_FOUND, TRUST_REQUIRED. */
    prepare: permitted('admin.backups.create', async (ctx: SignedIn, id: string) => {
      getHere(id);
      await uow.read((tx) => assertProven(tx, ctx));
    }),
    /** The file, for whoever saves it elsewhere. Throws NOT_FOUND, TRUST_REQUIRED. */
    download: permitted('admin.backups.create', async (ctx: SignedIn, id: string) => {
      const { bytes } = getHere(id);
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
    ...places.commands,
    ...createOpening({ ...deps, tasks, places, record }),
    ...createComparison({
      ...deps,
      factsOf(id) {
        getAnywhere(id);
        return files.find(id)?.facts ?? null;
      },
    }),
    ...uploading(deps, record),
    ...createProven({ ...deps, tasks }),
    /** How many of today's daily backups go with the next one, where so many are kept from now on. */
    countDropped: (keep: number): number => dailyBeyond(files, keep - 1).length,
    runDaily: createSchedule({ ...deps, tasks }),
  };
}

/** Takes a part of a backup from elsewhere: `createPartUpload`. Throws TRUST_REQUIRED as well. */
const uploading = (deps: Deps, record: Parameters<typeof createRemoteCommands>[0]['record']) => ({
  uploadPart: permitted(
    'admin.root',
    createPartUpload({
      ...deps,
      freeBytes: deps.files.freeBytes,
      begin: (ctx, name) => record(ctx, { action: 'backups.upload', target: name }),
    }),
  ),
});
