import { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportFiles } from '../modules/imports/index.ts';
import type { IncomingFiles } from '../modules/uploads/index.ts';
import { partFile } from '../part-file.ts';
import { ImportFault, toImportFault } from './fault.ts';
import { readProgress } from './progress.ts';
import { listNotes, reportLines } from './report.ts';

const PART = '.part';
const nameOf = (upload: string): string => `upload-${upload}`;

/** A file that was brought by the browser. In: the folder of imports, and the upload's UUID. */
export const uploadPath = (folder: string, upload: string): string => join(folder, nameOf(upload));
/** The working file of a run. */
export const runPath = (folder: string, runId: string): string => join(folder, `${runId}.sqlite`);

/** Removes the working file of a run, and what SQLite keeps beside it. */
export function removeRunFile(folder: string, runId: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (name.startsWith(`${runId}.sqlite`)) rmSync(join(folder, name), { force: true });
}

/** Files of imports beside the installation. In: their folder, and whether some process holds a lock. */
export function createImportFiles(folder: string, isLocked: (path: string) => boolean): ImportFiles {
  /** Reads from a run's working file; null where it is gone. */
  function read<T>(runId: string, work: (db: Database) => T): T | null {
    if (!existsSync(runPath(folder, runId))) return null;
    const db = new Database(runPath(folder, runId), { readwrite: true, create: false, strict: true });
    try {
      return work(db);
    } finally {
      db.close(false);
    }
  }
  return {
    freeBytes() {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize;
    },
    running: () => readProgress(folder, isLocked),
    hasUpload: (upload) => existsSync(uploadPath(folder, upload)),
    removeUpload: (upload) => rmSync(uploadPath(folder, upload), { force: true }),
    hasRun: (runId) => existsSync(runPath(folder, runId)),
    removeRun: (runId) => removeRunFile(folder, runId),
    listNotes: (runId, asked) => read(runId, (db) => listNotes(db, asked)),
    report(runId) {
      if (!existsSync(runPath(folder, runId))) return null;
      // Some at a time, with a moment between them for everybody else.
      return (async function* () {
        for (const part of reportLines((asked) => read(runId, (db) => listNotes(db, asked)) ?? [])) {
          yield part;
          await Bun.sleep(0);
        }
      })();
    },
    removeOldUploads(beforeMs) {
      for (const name of existsSync(folder) ? readdirSync(folder) : [])
        if (
          name.startsWith(nameOf('')) &&
          (statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0) < beforeMs
        )
          rmSync(join(folder, name), { force: true });
    },
  };
}

/** Dumps and stores that a browser sends in parts. What they are is said by whoever reads them. In: their folder. */
export function createImportUploads(folder: string): IncomingFiles {
  const fileOf = (upload: string) => partFile(uploadPath(folder, upload) + PART);
  return {
    find: (upload) => (existsSync(uploadPath(folder, upload)) ? upload : null),
    received: (upload) => fileOf(upload).received(),
    async write(upload, { at, bytes }) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      try {
        await fileOf(upload).write(at, bytes);
        return true;
      } catch (error) {
        await fileOf(upload).remove();
        if (toImportFault(error) instanceof ImportFault) return false;
        throw error;
      }
    },
    async finish(upload) {
      await rename(uploadPath(folder, upload) + PART, uploadPath(folder, upload));
      return upload;
    },
  };
}
