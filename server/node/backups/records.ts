import { existsSync, readdirSync, rmSync } from 'node:fs';
import * as z from 'zod/mini';
import { SERVER_BACKUP_FAILURES, serverBackupId, type ServerBackupOutput } from '#shared/schemas/server-backups.ts';
import { ensureFolder, readText, replaceFile } from '../files.ts';
import type { Store } from '../store.ts';

const recordSchema = z.object({
  id: serverBackupId,
  name: z.string(),
  createdMs: z.number(),
  locked: z.boolean(),
  state: z.enum(['making', 'ready', 'failed']),
  /** Bytes of the archive, and of the files in it. */
  size: z.number(),
  bytes: z.number(),
  failure: z.nullable(z.enum(SERVER_BACKUP_FAILURES)),
  restoredMs: z.nullable(z.number()),
  /** The backup that goes once this one is whole. */
  replaces: z.nullable(serverBackupId),
});
export type BackupRecord = z.infer<typeof recordSchema>;

/**
 * Backups of servers: per server a folder of root's, beside its own, with a record and an archive a backup. A record is
 * replaced as a whole; an archive has its name only when it is whole.
 */
export function createRecords(store: Store) {
  const known = new Map<string, Map<string, BackupRecord>>();
  const folder = (id: string) => store.backups(id);
  const archive = (id: string, backup: string) => `${folder(id)}/${backup}.tar.gz`;
  const part = (id: string, backup: string) => `${folder(id)}/${backup}.part`;

  function load(id: string): Map<string, BackupRecord> {
    const found = new Map<string, BackupRecord>();
    if (!existsSync(folder(id))) return found;
    for (const name of readdirSync(folder(id)).filter((each) => each.endsWith('.json'))) {
      const read = recordSchema.safeParse(parse(readText(`${folder(id)}/${name}`)));
      if (read.success) found.set(read.data.id, read.data);
    }
    return found;
  }
  const of = (id: string) => known.getOrInsertComputed(id, () => load(id));
  return {
    archive,
    part,
    all: (id: string): BackupRecord[] => [...of(id).values()],
    find: (id: string, backup: string): BackupRecord | null => of(id).get(backup) ?? null,
    /** Those that take a place: a failed one has no archive. */
    count: (id: string): number => [...of(id).values()].filter(({ state }) => state !== 'failed').length,
    write(id: string, record: BackupRecord): void {
      ensureFolder(folder(id), 0o700);
      replaceFile(`${folder(id)}/${record.id}.json`, JSON.stringify(record));
      of(id).set(record.id, record);
    },
    /** The record goes first: what is left of a deletion that broke off is an archive that nobody knows. */
    remove(id: string, backup: string): void {
      rmSync(`${folder(id)}/${backup}.json`, { force: true });
      of(id).delete(backup);
      for (const path of [archive(id, backup), part(id, backup)]) rmSync(path, { force: true });
    },
    /** Removes archives without a record, and unfinished ones. */
    tidy(id: string): void {
      if (!existsSync(folder(id))) return;
      for (const name of readdirSync(folder(id))) {
        const backup = name.split('.')[0] ?? '';
        if (!name.endsWith('.json') && (name.endsWith('.part') || !of(id).has(backup)))
          rmSync(`${folder(id)}/${name}`, { force: true });
      }
    },
    forget: (id: string): boolean => known.delete(id),
  };
}

/** A record as it is shown. `restoring`: its files are being put in place of the server's. */
export const shownBackup = (
  { bytes: _bytes, replaces: _replaces, ...record }: BackupRecord,
  { size, restoring }: { readonly size: number; readonly restoring: boolean },
): ServerBackupOutput<'list'>['backups'][number] => ({
  ...record,
  size,
  state: restoring ? 'restoring' : record.state,
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
