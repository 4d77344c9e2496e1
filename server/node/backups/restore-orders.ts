import type { Log } from '#server/modules/kernel.ts';
import type { ServerBackupFailure, ServerBackupInput } from '#shared/schemas/server-backups.ts';
import type { CallAnswer } from '../call-socket.ts';
import type { GameServer } from '../server.ts';
import type { Store } from '../store.ts';
import { failureOf, ok, refused } from './answers.ts';
import type { ArchiveOf } from './archive.ts';
import type { createRecords } from './records.ts';
import type { createRestore } from './restore.ts';
import type { ArchiveWork } from './work.ts';

interface RestoreOrdersDeps {
  readonly store: Store;
  readonly log: Log;
  readonly now: () => number;
  readonly records: ReturnType<typeof createRecords>;
  readonly restoring: ReturnType<typeof createRestore>;
  readonly work: ArchiveWork;
}
interface RestoreCall extends ServerBackupInput<'restore'> {
  /** Whether the server shall run afterwards; absent: as it does now. */
  readonly start?: boolean;
}

/** Restores backups, as an order that the server carries out like starting and stopping. */
export function createRestoreOrders({ store, log, now, records, restoring, work }: RestoreOrdersDeps) {
  /** Puts files in place, or says that it failed: then the server has those that it had. Never throws. */
  async function restoreFiles(of: ArchiveOf, backup: string): Promise<void> {
    let failure: ServerBackupFailure | null = null;
    try {
      await work.unpack(of.id, async () => {
        const record = records.find(of.id, backup);
        if (record?.state !== 'ready') throw new Error('the backup is gone');
        await restoring.carryOut(of, records.archive(of.id, backup), record.bytes);
      });
    } catch (error) {
      failure = failureOf(error);
      log.warn('node.restore_failed', { server: of.id, error: String(error) });
    }
    if (store.isDeleting(of.id)) return;
    const record = records.find(of.id, backup);
    if (record) records.write(of.id, { ...record, failure, restoredMs: failure === null ? now() : record.restoredMs });
  }
  const close = async (id: string) => {
    if (!store.isDeleting(id)) await restoring.close(id);
  };
  const begin = (server: GameServer, of: ArchiveOf, { backup, stop, start }: RestoreCall) =>
    server.replaceFiles({
      mayStop: stop,
      start,
      onBegin: (shall) => restoring.order(of.id, { backup, start: shall }),
      work: () => restoreFiles(of, backup),
      onEnd: () => close(of.id),
    });

  function restore(server: GameServer, of: ArchiveOf, { backup, stop }: ServerBackupInput<'restore'>): CallAnswer {
    const going = restoring.read(of.id);
    // The answer to the same order was lost.
    if (going?.backup === backup) return ok(null);
    if (records.find(of.id, backup)?.state !== 'ready') return refused('absent');
    if (work.isBusy(of.id)) return { outcome: 'conflict' };
    const began = begin(server, of, { backup, stop });
    return began === 'begun' ? ok(null) : began === 'running' ? refused('running') : { outcome: 'conflict' };
  }

  return { begin, restore };
}
