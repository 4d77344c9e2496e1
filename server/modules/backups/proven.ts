import { writeAudit } from '../audit/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { permitted } from '../permit.ts';
import type { UnitOfWork } from '../tx.ts';
import type { BackupFiles, BackupWorker, RemoteBackups, StoredBackup } from './ports.ts';
import type { BackupState, BackupTasks } from './tasks.ts';

/** How long somebody waits who asked for a backup in passing, in ms. */
const PATIENCE_MS = 20_000;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: BackupFiles;
  readonly remote: RemoteBackups;
  readonly worker: BackupWorker;
  readonly state: BackupState;
  readonly tasks: BackupTasks;
}

/** Whether there is a backup that was proven, for the set-up guide. */
export function createProven({ uow, clock, ids, files, remote, worker, state, tasks: { perform } }: Deps) {
  return {
    /** The newest backup that is sound, by its name, and where copies go; null: none. */
    standing: () => ({ proven: files.list().find(isSound)?.id ?? null, elsewhere: remote.place() }),
    /**
     * Makes a backup and proves it where there is none that is sound, and waits for it as long as somebody does who
     * pressed a button. What came of it is in the list.
     */
    ensureProven: permitted('admin.backups.create', async (ctx: SignedIn) => {
      if (state.running || files.list().some(isSound)) return;
      await uow.run((tx) => writeAudit(tx, { clock, ids }, ctx, { action: 'backups.create', target: '' }));
      if (state.running || files.list().some(isSound)) return;
      const proving = perform('create', null, (onStep) => worker.create('manual', onStep)).then(
        (made) => made && perform('verify', made.id, (onStep) => worker.verify(made.id, onStep)),
      );
      await Promise.race([proving, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
    }),
  };
}

const isSound = ({ facts }: StoredBackup): boolean => facts?.verified?.fault === null;
