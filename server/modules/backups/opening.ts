import { fieldError } from '#shared/errors.ts';
import type { SignedIn } from '../kernel.ts';
import { permitted } from '../permit.ts';
import { assertKeyGiven, assertPassphrase } from './keys.ts';
import type { BackupFiles, BackupWorker } from './ports.ts';
import type { createRemoteCommands } from './remote-commands.ts';
import type { BackupTasks } from './tasks.ts';

interface Deps {
  readonly files: BackupFiles;
  readonly worker: BackupWorker;
  readonly tasks: BackupTasks;
  readonly places: ReturnType<typeof createRemoteCommands>;
  /** Writes down what somebody proven does. Throws TRUST_REQUIRED. */
  readonly record: (ctx: SignedIn, entry: { readonly action: string; readonly target: string }) => Promise<void>;
}

/** What locks a backup with a passphrase, and what opens one. */
export function createOpening({ files, worker, tasks, places, record }: Deps) {
  const { assertIdle, perform, performWithKey } = tasks;
  const { getAnywhere, withHere } = places;
  /** Begins a task with a backup. What was typed to open it is tried before the answer. */
  async function begin(
    task: 'verify' | 'restore',
    id: string,
    key: string | undefined,
    work: Parameters<typeof performWithKey>[2],
  ): Promise<void> {
    if (key === undefined) void perform(task, id, work);
    else await performWithKey(task, id, work);
  }
  return {
    /**
     * Begins a backup that a passphrase opens, and nothing else: who chooses it and fetches the file has everything.
     * Throws BACKUP_BUSY, TRUST_REQUIRED, VALIDATION_FAILED at `passphrase`.
     */
    createLocked: permitted('admin.root', async (ctx: SignedIn, passphrase: string) => {
      assertPassphrase(passphrase);
      assertIdle();
      await record(ctx, { action: 'backups.create_locked', target: '' });
      assertIdle();
      void perform('create', null, (onStep) => worker.create('manual', onStep, passphrase));
    }),
    /**
     * Begins to restore a backup into a copy that is thrown away; `key`: a recovery key or passphrase. Throws
     * NOT_FOUND, BACKUP_BUSY, VALIDATION_FAILED at `key` where it is missing or wrong.
     */
    verify: permitted('admin.backups.create', async (_ctx: SignedIn, id: string, key?: string) => {
      getAnywhere(id);
      assertKeyGiven(files.find(id), key);
      assertIdle();
      await begin('verify', id, key, (onStep) => withHere(id, onStep, () => worker.verify(id, onStep, key)));
    }),
    /**
     * Begins a restore: `day` repeats the backup's own (UTC), so that nobody restores another than they meant; `key`
     * opens it where it was made for another installation or by a passphrase. Once the backup is proven, this
     * installation closes, is copied, replaced and opened again. Throws NOT_FOUND, BACKUP_BUSY, TRUST_REQUIRED,
     * VALIDATION_FAILED at `day`, and at `key` where it is missing or wrong.
     */
    restore: permitted(
      'admin.root',
      async (ctx: SignedIn, id: string, { day, key }: { readonly day: string; readonly key?: string | undefined }) => {
        const found = getAnywhere(id);
        if (day.trim() !== new Date(found.atMs).toISOString().slice(0, 10)) throw fieldError('day', 'INVALID');
        assertKeyGiven(files.find(id), key);
        assertIdle();
        await record(ctx, { action: 'backups.restore', target: id });
        assertIdle();
        await begin('restore', id, key, (onStep) =>
          withHere(id, onStep, async () => {
            const staged = await worker.stage(id, onStep, key);
            return 'fault' in staged ? staged : worker.replace(id, onStep);
          }),
        );
      },
    ),
  };
}
