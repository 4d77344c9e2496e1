import * as z from 'zod/mini';

/** Longest name of a file, and longest path below a server's folder, in bytes (Linux: NAME_MAX, PATH_MAX). */
export const FILE_NAME_BYTES = 255;
export const FILE_PATH_BYTES = 4000;
/** Largest text that is opened and saved in the page, in bytes. */
export const FILE_TEXT_BYTES = 1_048_576;
/** Bytes of one part of an upload, and of what one call reads. */
export const FILE_PART_BYTES = 4_194_304;
/** Largest file that is uploaded, bytes: what a number of a query may be. */
export const FILE_UPLOAD_BYTES = 999_999_999;
/** Entries of a folder that one answer has. */
export const FILE_PAGE = 200;
/** Files that one call deletes, restores or archives. */
export const FILES_AT_ONCE = 200;
/** Most entries of an archive, and bytes of all that is packed into one: the format can say no more than 4 GiB. */
export const ZIP_ENTRIES = 50_000;
export const ZIP_BYTES = 4_000_000_000;
/** Days that deleted files stay in the bin. */
export const BIN_DAYS = 7;
/** Folder of a server's own folder that holds its bin and unfinished uploads; it is no part of what is shown. */
export const OWN_FOLDER = '.spawnpoint';

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
function isPath(path: string): boolean {
  if (!path.isWellFormed() || path.includes('\0') || bytesOf(path) > FILE_PATH_BYTES) return false;
  const names = path.split('/');
  return (
    names[0] !== OWN_FOLDER &&
    names.every((name) => name !== '' && name !== '.' && name !== '..' && bytesOf(name) <= FILE_NAME_BYTES)
  );
}
/** Whether a new file may have this name: nothing unseen, which would pass for another name, and no space around it. */
export const isNewFileName = (name: string): boolean =>
  isPath(name) && !name.includes('/') && name.trim() === name && !/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(name);

/** The path of a file that is there, below the server's folder: whatever name its programs gave it. */
export const filePath = z.string().check(z.minLength(1, 'REQUIRED'), z.refine(isPath, 'INVALID'));
/** The same for a folder; '' is the server's own. */
export const folderPath = z.string().check(z.refine((path) => path === '' || isPath(path), 'INVALID'));
/** The path of something that is made. */
export const newFilePath = z.string().check(
  z.minLength(1, 'REQUIRED'),
  z.refine((path) => isPath(path) && isNewFileName(path.slice(path.lastIndexOf('/') + 1)), 'INVALID'),
);
/** What a file is at a moment: it changes with its content. */
export const fileVersion = z.string().check(z.regex(/^[0-9.-]{1,80}$/, 'INVALID'));
/** Names an unfinished upload, by whoever sends it. */
export const fileUploadId = z.string().check(z.regex(/^[0-9a-f-]{8,64}$/, 'INVALID'));
/** An entry of the bin. */
export const binId = z.string().check(z.regex(/^[0-9a-z]{1,16}-[0-9a-z]{1,16}$/, 'INVALID'));

export const FILE_KINDS = ['file', 'folder', 'link', 'other'] as const;
const fileEntry = z.object({
  name: z.string(),
  kind: z.enum(FILE_KINDS),
  /** What a link leads to, as far as that is below the server's folder; null for all else. */
  target: z.nullable(z.enum(['file', 'folder'])),
  /** Bytes, and when it was changed last in ms; 0 for what could not be looked at. */
  size: z.number(),
  modifiedMs: z.number(),
  /** Its name is no UTF-8: it is shown, and only deleted with its folder. */
  foreign: z.boolean(),
});
const binEntry = z.object({
  id: binId,
  /** Where it was; '' where that is no longer known. */
  path: z.string(),
  kind: z.enum(FILE_KINDS),
  size: z.number(),
  deletedMs: z.number(),
});

/** What goes on after its call was answered: packing or unpacking, into `to`. */
const fileWork = z.object({
  call: z.enum(['pack', 'unpack']),
  to: filePath,
  state: z.enum(['running', 'done', 'failed']),
  /** Of a failed one; null: nobody knows. */
  reason: z.nullable(z.string()),
});
export type FileWork = z.output<typeof fileWork>;

const bytes = z.int().check(z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER));
const nothing = z.null();
const some = <T extends z.ZodMiniType>(each: T) =>
  z.array(each).check(z.minLength(1, 'REQUIRED'), z.maxLength(FILES_AT_ONCE, 'TOO_LARGE'));

/**
 * What can be done with a server's files: what each call takes and answers. The bytes of a file go beside it. What it
 * takes is data for a program in the server's own sandbox, whose answers are trusted no more than the server.
 */
export const FILE_CALLS = {
  list: {
    input: z.strictObject({ path: folderPath, from: bytes, find: z.string().check(z.maxLength(FILE_NAME_BYTES)) }),
    output: z.object({
      entries: z.array(fileEntry).check(z.maxLength(FILE_PAGE)),
      total: bytes,
      /** Bytes that all files of the server take; null while they are still counted. */
      used: z.nullable(bytes),
      limit: bytes,
      /** What goes on, or went on last. */
      work: z.optional(fileWork),
    }),
  },
  /** The text of a file, in its bytes. */
  open: { input: z.strictObject({ path: filePath }), output: z.object({ version: fileVersion }) },
  /** Saves the bytes; `version`: what was opened; null: there is no such file yet. */
  save: {
    input: z.strictObject({ path: filePath, version: z.nullable(fileVersion) }),
    output: z.object({ version: fileVersion }),
  },
  /** Bytes of a file from a place on; `version`: refused where it has changed since. */
  part: {
    input: z.strictObject({
      path: filePath,
      from: bytes,
      length: z.int().check(z.minimum(0), z.maximum(FILE_PART_BYTES)),
      version: z.nullable(fileVersion),
    }),
    output: z.object({ version: fileVersion, size: bytes }),
  },
  makeFolder: { input: z.strictObject({ path: newFilePath }), output: nothing },
  move: { input: z.strictObject({ from: filePath, to: newFilePath }), output: nothing },
  /** Bytes that there are of an upload. */
  received: { input: z.strictObject({ upload: fileUploadId }), output: z.object({ received: bytes }) },
  /** Puts a part of an upload at its place; with the last one the file is there. `replace`: of another of its name. */
  receive: {
    input: z.strictObject({ path: newFilePath, upload: fileUploadId, at: bytes, size: bytes, replace: z.boolean() }),
    output: z.object({ received: bytes, done: z.boolean() }),
  },
  discard: { input: z.strictObject({ upload: fileUploadId }), output: nothing },
  /** Begins to pack files and folders into a new archive; links are left out. */
  pack: { input: z.strictObject({ paths: some(filePath), to: newFilePath }), output: nothing },
  /** Begins to unpack an archive into a new folder, which appears when all of it is there. */
  unpack: { input: z.strictObject({ path: filePath, to: newFilePath }), output: nothing },
  /** Puts files into the bin. */
  delete: { input: z.strictObject({ paths: some(filePath) }), output: nothing },
  bin: {
    input: z.strictObject({}),
    output: z.object({ entries: z.array(binEntry).check(z.maxLength(500)), more: z.boolean() }),
  },
  restore: { input: z.strictObject({ ids: some(binId) }), output: nothing },
  /** Deletes what is in the bin for good; null: all of it. */
  empty: { input: z.strictObject({ ids: z.nullable(some(binId)) }), output: nothing },
} as const;
export type FileCall = keyof typeof FILE_CALLS;
export type FileInput<N extends FileCall> = z.output<(typeof FILE_CALLS)[N]['input']>;
export type FileOutput<N extends FileCall> = z.output<(typeof FILE_CALLS)[N]['output']>;

/** Why a call was refused. */
export const FILE_REFUSALS = [
  /** Not there, or not below the server's folder. */
  'absent',
  'exists',
  /** It changed since it was opened. */
  'changed',
  'not_text',
  'too_large',
  'disk_full',
  /** Of the wrong kind (a folder, a pipe), closed by its own rights, or a name that is too long. */
  'denied',
  /** A part of an upload that leaves something out. */
  'gap',
  /** No archive, a damaged or encrypted one, or with names that lead elsewhere. */
  'bad_archive',
  /** More entries or bytes than one archive may have. */
  'archive_too_large',
  /** Something is being packed or unpacked for this server. */
  'working',
] as const;
export type FileRefusal = (typeof FILE_REFUSALS)[number];
