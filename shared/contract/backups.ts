import * as z from 'zod/mini';
import {
  BACKUP_FAULTS,
  BACKUP_KINDS,
  BACKUP_LOCKS,
  BACKUP_STEPS,
  BACKUP_TASKS,
  PASSPHRASE_MIN,
  UPLOAD_PART_BYTES,
} from '../backups.ts';
import { id as uuid, isoTime, queryInt, text } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

/** An id as it stands in an address; the handler knows which there are. */
const params = z.object({ id: text(1, 80) });
const count = z.int();
/** A recovery key or passphrase, for a backup that was made by a passphrase or for another installation. */
const key = z.optional(text(1, 500));
/** What an installation holds at a moment, or held when a backup of it was made. */
const figures = z.object({
  made_at: isoTime,
  version: z.string(),
  dialect: z.enum(['sqlite', 'postgres']),
  users: count,
  servers: count,
  /** In circulation. */
  credits: count,
  /** Uploads, and their bytes. */
  files: count,
  file_bytes: z.number(),
});
export type BackupFigures = z.infer<typeof figures>;
const comparison = z.object({
  /** Null where nobody has looked into the file yet. */
  backup: z.nullable(figures),
  /** This installation; null where it could not be counted. */
  now: z.nullable(figures),
});
export type BackupComparison = z.infer<typeof comparison>;
const backup = z.object({
  id: z.string(),
  kind: z.enum(BACKUP_KINDS),
  made_at: isoTime,
  /** The day that a restore asks for: `2026-11-13`, of UTC. */
  day: z.string(),
  bytes: count,
  /** Whether it lies in the folder, and whether in the storage elsewhere. */
  here: z.boolean(),
  remote: z.boolean(),
  /** What opens it; null where it lies in the storage elsewhere only. */
  lock: z.nullable(z.enum(BACKUP_LOCKS)),
  /** Null where nobody has looked into the file yet. */
  users: z.nullable(count),
  servers: z.nullable(count),
  /** The last verification; null: none yet. `fault` null: it opens and its ledger holds. */
  verified: z.nullable(z.object({ at: isoTime, fault: z.nullable(z.enum(BACKUP_FAULTS)) })),
});
export type BackupView = z.infer<typeof backup>;
const page = z.object({
  backups: z.array(backup),
  /** What is being done; `all` is null where nobody knows how much there is. */
  running: z.nullable(
    z.object({
      task: z.enum(BACKUP_TASKS),
      id: z.nullable(z.string()),
      since: isoTime,
      step: z.enum(BACKUP_STEPS),
      done: z.number(),
      all: z.nullable(z.number()),
    }),
  ),
  /** How the last task of this process ended. */
  last: z.nullable(
    z.object({
      task: z.enum(BACKUP_TASKS),
      id: z.nullable(z.string()),
      at: isoTime,
      fault: z.nullable(z.enum(BACKUP_FAULTS)),
    }),
  ),
  /** The storage elsewhere, as it said last; null where none is named. */
  remote: z.nullable(
    z.object({
      place: z.nullable(z.string()),
      asked_at: z.nullable(isoTime),
      asking: z.boolean(),
      fault: z.nullable(z.enum(BACKUP_FAULTS)),
    }),
  ),
  folder: z.string(),
  free_bytes: z.number(),
  /** The schedule, as the settings have it. */
  plan: z.object({ daily: z.boolean(), hour: count, keep: count, keep_remote: count, time_zone: z.string() }),
});
export type BackupsPage = z.infer<typeof page>;

/** Backups of the installation for staff (behaviour 8.6). */
export const adminBackups = group({
  list: {
    method: 'GET',
    path: '/api/admin/backups',
    summary: 'List backups',
    access: 'admin.backups.list',
    errors: [],
    response: page,
  },
  create: {
    method: 'POST',
    path: '/api/admin/backups',
    summary: 'Make a backup',
    description: 'Begins it; the list shows how far it is.',
    access: 'admin.backups.create',
    limit: 'create',
    errors: ['BACKUP_BUSY'],
  },
  createLocked: {
    method: 'POST',
    path: '/api/admin/backups/locked',
    summary: 'Make a backup with a passphrase',
    description: 'Begins it. Only the passphrase opens it, and it is kept nowhere.',
    body: z.object({ passphrase: text(PASSPHRASE_MIN, 500) }),
    access: 'admin.root',
    limit: 'create',
    errors: ['BACKUP_BUSY', 'TRUST_REQUIRED', 'VALIDATION_FAILED'],
  },
  verify: {
    method: 'POST',
    path: '/api/admin/backups/:id/verify',
    summary: 'Verify a backup',
    description: 'Begins to restore it into a copy that is thrown away.',
    params,
    body: z.object({ key }),
    access: 'admin.backups.create',
    limit: 'create',
    errors: ['NOT_FOUND', 'BACKUP_BUSY', 'VALIDATION_FAILED'],
  },
  upload: {
    method: 'PUT',
    path: '/api/admin/backup-uploads/:upload',
    summary: 'Upload a backup in parts',
    description: 'After the last part, `id` is that of the backup.',
    params: z.object({ upload: uuid }),
    query: z.object({ part: queryInt(0, 131_071), parts: queryInt(1, 131_072) }),
    upload: { type: 'application/octet-stream', max: UPLOAD_PART_BYTES },
    ceiling: 'backupPart',
    access: 'admin.root',
    errors: ['NOT_FOUND', 'TRUST_REQUIRED', 'VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    response: z.object({ id: z.nullable(z.string()) }),
  },
  send: {
    method: 'POST',
    path: '/api/admin/backups/:id/send',
    summary: 'Copy a backup to the remote storage',
    description: 'Begins to copy it.',
    params,
    access: 'admin.backups.create',
    limit: 'create',
    errors: ['NOT_FOUND', 'BACKUP_BUSY'],
  },
  fetch: {
    method: 'POST',
    path: '/api/admin/backups/:id/fetch',
    summary: 'Fetch a backup from the remote storage',
    description: 'Begins to copy it.',
    params,
    access: 'admin.backups.create',
    limit: 'create',
    errors: ['NOT_FOUND', 'BACKUP_BUSY'],
  },
  removeRemote: {
    method: 'DELETE',
    path: '/api/admin/backups/:id/remote',
    summary: 'Delete a backup’s remote copy',
    description: 'Begins to delete it.',
    params,
    access: 'admin.backups.delete',
    errors: ['NOT_FOUND', 'BACKUP_BUSY', 'TRUST_REQUIRED'],
  },
  remove: {
    method: 'DELETE',
    path: '/api/admin/backups/:id',
    summary: 'Delete a backup',
    params,
    access: 'admin.backups.delete',
    errors: ['NOT_FOUND', 'BACKUP_BUSY', 'TRUST_REQUIRED'],
  },
  prepare: {
    method: 'POST',
    path: '/api/admin/backups/:id/prepare',
    summary: 'Prepare a backup’s download',
    description: 'Gives the ticket that the download asks for.',
    params,
    access: 'admin.backups.create',
    errors: ['NOT_FOUND', 'TRUST_REQUIRED'],
  },
  download: {
    method: 'GET',
    path: '/api/admin/backups/:id/file',
    summary: 'Download a backup',
    description: 'The encrypted file.',
    params,
    access: 'admin.backups.create',
    format: 'download',
    errors: ['NOT_FOUND', 'TRUST_REQUIRED'],
  },
  showKey: {
    method: 'POST',
    path: '/api/admin/backups/key',
    summary: 'Show the recovery key',
    description: 'It opens every backup of this installation.',
    access: 'admin.root',
    secret: true,
    errors: ['TRUST_REQUIRED'],
    response: z.object({ key: z.string() }),
  },
  compare: {
    method: 'GET',
    path: '/api/admin/backups/:id/comparison',
    summary: 'Compare a backup with this installation',
    description: 'What a restore would replace, and by what.',
    params,
    access: 'admin.root',
    errors: ['NOT_FOUND'],
    response: comparison,
  },
  restore: {
    method: 'POST',
    path: '/api/admin/backups/:id/restore',
    summary: 'Restore a backup',
    description: 'Begins it. `day` repeats the day of the backup, as a guard.',
    params,
    body: z.object({ day: text(1, 20), key }),
    access: 'admin.root',
    limit: 'create',
    errors: ['NOT_FOUND', 'BACKUP_BUSY', 'TRUST_REQUIRED', 'VALIDATION_FAILED'],
  },
});
