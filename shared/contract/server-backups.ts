import * as z from 'zod/mini';
import { id, isoTime } from '../schemas/primitives.ts';
import {
  SERVER_BACKUP_FAILURES,
  SERVER_BACKUP_STATES,
  serverBackupId,
  serverBackupName,
} from '../schemas/server-backups.ts';
import { group } from './endpoint.ts';

const params = z.object({ id });
const backupParams = z.object({ id, backup: serverBackupId });
const backup = z.object({
  id: z.string(),
  name: z.string(),
  /** `making`, until all of it is there; `restoring`, while its files are put in place of the server’s. */
  state: z.enum(SERVER_BACKUP_STATES),
  /** Bytes, so far while it is being made. */
  size: z.int(),
  locked: z.boolean(),
  created_at: isoTime,
  restored_at: z.nullable(isoTime),
  /** Why it failed, or why restoring it did. */
  failure: z.nullable(z.enum(SERVER_BACKUP_FAILURES)),
});
export type ServerBackup = z.infer<typeof backup>;

/** What any call about backups may be refused with. */
const ERRORS = [
  'NOT_FOUND',
  'FORBIDDEN',
  'SERVER_SUSPENDED',
  'SERVER_NOT_READY',
  'SERVER_BUSY',
  'NO_GAME_PROCESS',
  'POWER_UNAVAILABLE',
  'PANEL_UNREACHABLE',
  'BACKUPS_UNAVAILABLE',
  'BACKUP_NOT_FOUND',
  'VALIDATION_FAILED',
] as const;

/** Backups of servers that run on this installation's node; those of other panels are in their panel. */
export const serverBackups = group({
  list: {
    method: 'GET',
    path: '/api/servers/:id/backups',
    summary: 'List the backups of a server',
    params,
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: ERRORS,
    response: z.object({ backups: z.array(backup), limit: z.int() }),
  },
  create: {
    method: 'PUT',
    path: '/api/servers/:id/backups/:backup',
    summary: 'Back up a server',
    description: 'The id is yours: the same one again makes no second backup. It is whole once its state is `ready`.',
    params: backupParams,
    body: z.strictObject({ name: serverBackupName }),
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    limit: 'power',
    errors: [...ERRORS, 'BACKUP_LIMIT'],
  },
  restore: {
    method: 'POST',
    path: '/api/servers/:id/backups/:backup/restore',
    summary: 'Restore a backup of a server',
    description: 'All files are replaced. `stop`: a running server is stopped for it, and started again afterwards.',
    params: backupParams,
    body: z.strictObject({ stop: z.boolean() }),
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    limit: 'power',
    errors: [...ERRORS, 'SERVER_RUNNING'],
  },
  lock: {
    method: 'PUT',
    path: '/api/servers/:id/backups/:backup/lock',
    summary: 'Lock or unlock a backup of a server',
    description: 'A locked one cannot be deleted.',
    params: backupParams,
    body: z.strictObject({ locked: z.boolean() }),
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: ERRORS,
  },
  remove: {
    method: 'DELETE',
    path: '/api/servers/:id/backups/:backup',
    summary: 'Delete a backup of a server',
    params: backupParams,
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: [...ERRORS, 'BACKUP_LOCKED'],
  },
  download: {
    method: 'GET',
    path: '/api/servers/:id/backups/:backup/content',
    summary: 'Download a backup of a server',
    description: 'A tar archive, packed with gzip.',
    params: backupParams,
    format: 'download',
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: ERRORS,
  },
});
