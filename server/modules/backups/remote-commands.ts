import { DomainError } from '#shared/errors.ts';
import { writeAudit } from '../audit/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { permitted } from '../permit.ts';
import type { UnitOfWork } from '../tx.ts';
import type { BackupFiles, BackupWorker, OnStep, Outcome, RemoteBackup, RemoteBackups } from './ports.ts';
import type { createRemoteLister } from './remote.ts';
import type { BackupTasks } from './tasks.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: BackupFiles;
  readonly remote: RemoteBackups;
  readonly remotely: ReturnType<typeof createRemoteLister>;
  readonly worker: BackupWorker;
  readonly tasks: BackupTasks;
  /** Writes down what somebody proven does. Throws TRUST_REQUIRED. */
  readonly record: (ctx: SignedIn, entry: { readonly action: string; readonly target: string }) => Promise<void>;
}

/** Where a backup lies, here or in the storage elsewhere, and what staff do between the two. */
export function createRemoteCommands({ uow, clock, ids, files, remote, remotely, worker, tasks, record }: Deps) {
  const { assertIdle, perform } = tasks;
  /** A backup of the folder. Throws NOT_FOUND. */
  function getHere(id: string) {
    const found = files.find(id);
    if (!found) throw new DomainError('NOT_FOUND');
    return found;
  }
  /** A backup that lies here or in the storage elsewhere, as that said last. Throws NOT_FOUND. */
  function getAnywhere(id: string): RemoteBackup {
    const found = files.find(id) ?? remotely.current()?.backups.find((each) => each.id === id);
    if (!found) throw new DomainError('NOT_FOUND');
    return found;
  }
  return {
    getHere,
    getAnywhere,
    /** Goes on with a backup once it lies here: it is copied from the storage first where it does not. */
    async withHere<T>(id: string, onStep: OnStep, work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
      if (!files.find(id)) {
        const copied = await worker.retrieve(id, onStep);
        if ('fault' in copied) return copied;
      }
      return work();
    },
    commands: {
      /** Begins to copy a backup into the storage elsewhere. Throws NOT_FOUND, BACKUP_BUSY. */
      send: permitted('admin.backups.create', async (ctx: SignedIn, id: string) => {
        getHere(id);
        assertIdle();
        await uow.run((tx) => writeAudit(tx, { clock, ids }, ctx, { action: 'backups.send', target: id }));
        assertIdle();
        void perform('send', id, (onStep) => worker.send(id, onStep)).then(remotely.forget);
      }),
      /** Begins to copy one from there into the folder. Throws NOT_FOUND, BACKUP_BUSY. */
      retrieve: permitted('admin.backups.create', (_ctx: SignedIn, id: string) => {
        getAnywhere(id);
        assertIdle();
        void perform('fetch', id, (onStep) => worker.retrieve(id, onStep));
        return Promise.resolve();
      }),
      /** Begins to delete one there. Throws NOT_FOUND, TRUST_REQUIRED, BACKUP_BUSY. */
      removeRemote: permitted('admin.backups.delete', async (ctx: SignedIn, id: string) => {
        if (!remotely.current()?.backups.some((each) => each.id === id)) throw new DomainError('NOT_FOUND');
        assertIdle();
        await record(ctx, { action: 'backups.delete_remote', target: id });
        assertIdle();
        void perform('removeRemote', id, () => remote.remove(id)).then(remotely.forget);
      }),
    },
  };
}
