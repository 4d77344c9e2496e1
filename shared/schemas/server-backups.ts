import * as z from 'zod/mini';

/** Longest name of a backup of a server, in characters. */
export const SERVER_BACKUP_NAME = 60;
/** Bytes of an archive that one call reads. */
export const ARCHIVE_PART_BYTES = 4_194_304;
/** Backups that a server ever has: far more than are sold. */
export const MOST_SERVER_BACKUPS = 1000;

/** The id of a backup, made by whoever asks for it: asking twice makes one. */
export const serverBackupId = z
  .string()
  .check(z.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'INVALID'));
/** One line without control characters; '' for none. */
export const serverBackupName = z.string().check(
  z.trim(),
  z.maxLength(SERVER_BACKUP_NAME, 'TOO_LARGE'),
  z.refine((name) => name.isWellFormed() && !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(name), 'INVALID'),
);

/** States of a backup (`live:backups.state`). `making` also while it waits for others of this machine. */
export const SERVER_BACKUP_STATES = ['making', 'ready', 'failed', 'restoring'] as const;
/** Why a backup or restoring it failed (`live:backups.failure`). */
export const SERVER_BACKUP_FAILURES = [
  /** The machine has not enough disk space for it. */
  'no_space',
  /** Files could not be read or written. */
  'failed',
] as const;
export type ServerBackupFailure = (typeof SERVER_BACKUP_FAILURES)[number];

const amount = z.int().check(z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER));
const backup = z.object({
  id: serverBackupId,
  name: z.string(),
  createdMs: amount,
  locked: z.boolean(),
  state: z.enum(SERVER_BACKUP_STATES),
  /** Bytes of the archive, so far while it is being made. */
  size: amount,
  /** Of a failed one, or of restoring it last. */
  failure: z.nullable(z.enum(SERVER_BACKUP_FAILURES)),
  /** When the server got its files last; null: never, or it failed. */
  restoredMs: z.nullable(amount),
});
const nothing = z.null();
const one = { backup: serverBackupId };

/** What can be done with the backups of a server: what each call takes and answers. */
export const SERVER_BACKUP_CALLS = {
  list: {
    input: z.strictObject({}),
    output: z.object({ backups: z.array(backup).check(z.maxLength(MOST_SERVER_BACKUPS)) }),
  },
  /**
   * Begins to make one. `most`: how many the server may have; `rotate`: where it has as many, the oldest that is not
   * locked goes once this one is whole.
   */
  make: {
    input: z.strictObject({
      ...one,
      name: serverBackupName,
      most: z.int().check(z.minimum(0), z.maximum(MOST_SERVER_BACKUPS)),
      rotate: z.boolean(),
    }),
    output: nothing,
  },
  /** Begins to put its files in place of the server's. `stop`: a running server is stopped, and started again after. */
  restore: { input: z.strictObject({ ...one, stop: z.boolean() }), output: nothing },
  lock: { input: z.strictObject({ ...one, locked: z.boolean() }), output: nothing },
  delete: { input: z.strictObject(one), output: nothing },
  /** Bytes of the archive from a place on. */
  part: {
    input: z.strictObject({ ...one, from: amount, length: z.int().check(z.minimum(0), z.maximum(ARCHIVE_PART_BYTES)) }),
    output: z.object({ size: amount, createdMs: amount }),
  },
} as const;
export type ServerBackupCall = keyof typeof SERVER_BACKUP_CALLS;
export type ServerBackupInput<N extends ServerBackupCall> = z.output<(typeof SERVER_BACKUP_CALLS)[N]['input']>;
export type ServerBackupOutput<N extends ServerBackupCall> = z.output<(typeof SERVER_BACKUP_CALLS)[N]['output']>;

/** Why a call was refused. */
export const SERVER_BACKUP_REFUSALS = [
  'absent',
  /** The server has as many as it may have, and none that may go. */
  'limit',
  'locked',
  /** The server runs, and nobody said that it may be stopped. */
  'running',
] as const;
export type ServerBackupRefusal = (typeof SERVER_BACKUP_REFUSALS)[number];
