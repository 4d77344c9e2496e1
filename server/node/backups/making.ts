import { renameSync, rmSync } from 'node:fs';
import type { Log } from '#server/modules/kernel.ts';
import type { ServerBackupInput } from '#shared/schemas/server-backups.ts';
import type { CallAnswer } from '../call-socket.ts';
import type { Store } from '../store.ts';
import { failureOf, ok, refused } from './answers.ts';
import type { Archiver, ArchiveOf } from './archive.ts';
import type { BackupRecord, createRecords } from './records.ts';
import type { ArchiveWork } from './work.ts';

interface MakingDeps {
  readonly store: Store;
  readonly log: Log;
  readonly now: () => number;
  /** Bytes that the files of a server take; null: not known. */
  readonly usedBytes: (id: string, slot: number) => Promise<number | null>;
  readonly records: ReturnType<typeof createRecords>;
  readonly archiver: Pick<Archiver, 'pack'>;
  readonly work: ArchiveWork;
}

/** Makes backups: a record first, which says what is to come of it, and then the archive. */
export function createMaking({ store, log, now, usedBytes, records, archiver, work }: MakingDeps) {
  async function pack(of: ArchiveOf, record: BackupRecord): Promise<BackupRecord> {
    const part = records.part(of.id, record.id);
    rmSync(part, { force: true });
    try {
      const used = (await usedBytes(of.id, of.slot)) ?? of.disk * 1_048_576;
      const packed = await archiver.pack(of, part, used);
      renameSync(part, records.archive(of.id, record.id));
      return { ...record, ...packed, state: 'ready' };
    } catch (error) {
      rmSync(part, { force: true });
      log.warn('node.backup_failed', { server: of.id, error: String(error) });
      return { ...record, state: 'failed', failure: failureOf(error), replaces: null };
    }
  }
  /** Makes what was ordered, or says that it failed. Never throws. */
  const make = (of: ArchiveOf, backup: string): Promise<void> =>
    work.pack(of.id, async () => {
      const record = records.find(of.id, backup);
      if (!record || store.isDeleting(of.id)) return;
      const made = await pack(of, record);
      if (store.isDeleting(of.id)) return;
      // Its lock may have changed meanwhile.
      const locked = records.find(of.id, backup)?.locked ?? record.locked;
      records.write(of.id, { ...made, locked, replaces: null });
      const old = made.replaces === null ? null : records.find(of.id, made.replaces);
      if (old && !old.locked) records.remove(of.id, old.id);
    });

  function order(of: ArchiveOf, { backup, name, most, rotate }: ServerBackupInput<'make'>): CallAnswer {
    const { id } = of;
    if (records.find(id, backup)) return ok(null);
    const all = records.all(id);
    let replaces: string | null = null;
    if (records.count(id) >= most) {
      const going = new Set(all.map((record) => record.replaces));
      const oldest = all
        .filter(({ state, locked, id: each }) => state === 'ready' && !locked && !going.has(each))
        .toSorted((a, b) => a.createdMs - b.createdMs)[0];
      if (!rotate || most === 0 || !oldest) return refused('limit');
      replaces = oldest.id;
    }
    for (const record of all) if (record.state === 'failed') records.remove(id, record.id);
    const fresh = { size: 0, bytes: 0, failure: null, restoredMs: null, locked: false };
    // No two of a server have one time, or the list and whatever gives up the oldest might order them differently.
    let createdMs = now();
    while (all.some((record) => record.createdMs === createdMs)) createdMs += 1;
    records.write(id, { ...fresh, id: backup, name, createdMs, state: 'making', replaces });
    void make(of, backup);
    return ok(null);
  }

  return { make, order };
}
