import * as z from 'zod/mini';
import { id, isoTime, queryInt, text } from '../schemas/primitives.ts';
import {
  binId,
  FILE_KINDS,
  FILE_NAME_BYTES,
  FILE_PART_BYTES,
  FILE_TEXT_BYTES,
  FILE_UPLOAD_BYTES,
  filePath,
  FILES_AT_ONCE,
  fileUploadId,
  fileVersion,
  folderPath,
  newFilePath,
} from '../schemas/server-files.ts';
import { group } from './endpoint.ts';

const params = z.object({ id });
const uploadParams = z.object({ id, upload: fileUploadId });
const bytes = z.int();
const kind = z.enum(FILE_KINDS);
const entry = z.object({
  name: z.string(),
  kind,
  /** What a link leads to, where that is among the server’s files; null for all else. */
  target: z.nullable(z.enum(['file', 'folder'])),
  size: bytes,
  modified_at: isoTime,
  /** Its name is not UTF-8: it goes only with its folder. */
  foreign: z.boolean(),
});
const binned = z.object({
  id: z.string(),
  /** Where it was; empty where that is not known any more. */
  path: z.string(),
  kind,
  size: bytes,
  deleted_at: isoTime,
});
export type ServerFile = z.infer<typeof entry>;
export type BinnedFile = z.infer<typeof binned>;

/** What any call about files may be refused with. */
const ERRORS = [
  'NOT_FOUND',
  'FORBIDDEN',
  'SERVER_SUSPENDED',
  'SERVER_NOT_READY',
  'SERVER_BUSY',
  'NO_GAME_PROCESS',
  'POWER_UNAVAILABLE',
  'PANEL_UNREACHABLE',
  'FILES_UNAVAILABLE',
  'FILE_NOT_FOUND',
  'FILE_REFUSED',
  'VALIDATION_FAILED',
] as const;

/** Files of servers that run on this installation's node; those of other panels are in their panel. */
export const serverFiles = group({
  list: {
    method: 'GET',
    path: '/api/servers/:id/files',
    summary: 'List a folder of a server',
    description: 'Folders first, then by name, 200 at a time: `from` is how many to skip.',
    params,
    query: z.object({
      path: z.optional(folderPath),
      from: z.optional(queryInt(0, 100_000_000)),
      q: z.optional(text(0, FILE_NAME_BYTES)),
    }),
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: ERRORS,
    response: z.object({
      entries: z.array(entry),
      total: z.int(),
      /** Bytes that all files of the server take; null while they are counted. */
      used: z.nullable(bytes),
      limit: bytes,
      /** What is being packed or unpacked, or was last. Why it failed: a code, as of a call that is refused. */
      work: z.nullable(
        z.object({
          call: z.enum(['pack', 'unpack']),
          to: z.string(),
          state: z.enum(['running', 'done', 'failed']),
          error: z.nullable(z.string()),
        }),
      ),
    }),
  },
  open: {
    method: 'GET',
    path: '/api/servers/:id/files/text',
    summary: 'Read a text file of a server',
    description: 'Of 1 MB at most. `version` is for saving it.',
    params,
    query: z.object({ path: filePath }),
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: [...ERRORS, 'FILE_NOT_TEXT', 'FILE_TOO_LARGE'],
    response: z.object({ text: z.string(), version: z.string() }),
  },
  save: {
    method: 'PUT',
    path: '/api/servers/:id/files/text',
    summary: 'Save a text file of a server',
    description: 'The body is the text. `version`: the one that was read; absent: there is no such file yet.',
    params,
    query: z.object({ path: filePath, version: z.optional(fileVersion) }),
    upload: { type: 'application/octet-stream', max: FILE_TEXT_BYTES },
    ceiling: 'image',
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: [
      ...ERRORS,
      'FILE_EXISTS',
      'FILE_CHANGED',
      'FILE_TOO_LARGE',
      'FILES_FULL',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    response: z.object({ version: z.string() }),
  },
  download: {
    method: 'GET',
    path: '/api/servers/:id/files/content',
    summary: 'Download a file of a server',
    params,
    query: z.object({ path: filePath }),
    format: 'download',
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: ERRORS,
  },
  createFolder: {
    method: 'POST',
    path: '/api/servers/:id/folders',
    summary: 'Create a folder of a server',
    params,
    body: z.strictObject({ path: newFilePath }),
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: [...ERRORS, 'FILE_EXISTS', 'FILES_FULL'],
  },
  move: {
    method: 'POST',
    path: '/api/servers/:id/files/move',
    summary: 'Rename or move a file of a server',
    params,
    body: z.strictObject({ from: filePath, to: newFilePath }),
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: [...ERRORS, 'FILE_EXISTS'],
  },
  pack: {
    method: 'POST',
    path: '/api/servers/:id/files/pack',
    summary: 'Pack files of a server into a ZIP archive',
    description: 'It goes on after the answer: `work` of the list says what became of it. Links are left out.',
    params,
    body: z.strictObject({
      paths: z.array(filePath).check(z.minLength(1, 'REQUIRED'), z.maxLength(FILES_AT_ONCE, 'TOO_LARGE')),
      to: newFilePath,
    }),
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: [...ERRORS, 'FILES_WORKING'],
  },
  unpack: {
    method: 'POST',
    path: '/api/servers/:id/files/unpack',
    summary: 'Unpack a ZIP archive of a server',
    description:
      'Into a new folder, which appears when all of it is unpacked. It goes on after the answer, as packing.',
    params,
    body: z.strictObject({ path: filePath, to: newFilePath }),
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: [...ERRORS, 'FILES_WORKING'],
  },
  remove: {
    method: 'POST',
    path: '/api/servers/:id/files/delete',
    summary: 'Move files of a server to the bin',
    description: 'They stay there for 7 days.',
    params,
    body: z.strictObject({
      paths: z.array(filePath).check(z.minLength(1, 'REQUIRED'), z.maxLength(FILES_AT_ONCE, 'TOO_LARGE')),
    }),
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: ERRORS,
  },
  uploaded: {
    method: 'GET',
    path: '/api/servers/:id/file-uploads/:upload',
    summary: 'Get how much of an upload has arrived',
    params: uploadParams,
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: ERRORS,
    response: z.object({ received: bytes }),
  },
  upload: {
    method: 'PUT',
    path: '/api/servers/:id/file-uploads/:upload',
    summary: 'Upload a part of a file to a server',
    description: 'Parts of 4 MB at most, in order: `at` is where this one begins. With the last one the file is there.',
    params: uploadParams,
    query: z.object({
      path: newFilePath,
      at: queryInt(0, FILE_UPLOAD_BYTES),
      size: queryInt(0, FILE_UPLOAD_BYTES),
      /** It takes the place of a file of its name. */
      replace: z.optional(z.enum(['true', 'false'])),
    }),
    upload: { type: 'application/octet-stream', max: FILE_PART_BYTES },
    ceiling: 'backupPart',
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    limit: 'fileUpload',
    errors: [...ERRORS, 'FILE_EXISTS', 'FILES_FULL', 'UPLOAD_GAP', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    response: z.object({ received: bytes, done: z.boolean() }),
  },
  discard: {
    method: 'DELETE',
    path: '/api/servers/:id/file-uploads/:upload',
    summary: 'Discard an unfinished upload',
    params: uploadParams,
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: ERRORS,
  },
  bin: {
    method: 'GET',
    path: '/api/servers/:id/file-bin',
    summary: 'List the bin of a server',
    description: 'What was deleted last, 500 at most.',
    params,
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: ERRORS,
    response: z.object({ entries: z.array(binned), more: z.boolean() }),
  },
  restore: {
    method: 'POST',
    path: '/api/servers/:id/file-bin/restore',
    summary: 'Restore files from the bin of a server',
    params,
    body: z.strictObject({
      ids: z.array(binId).check(z.minLength(1, 'REQUIRED'), z.maxLength(FILES_AT_ONCE, 'TOO_LARGE')),
    }),
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: [...ERRORS, 'FILE_EXISTS'],
  },
  emptyBin: {
    method: 'DELETE',
    path: '/api/servers/:id/file-bin',
    summary: 'Empty the bin of a server',
    description: 'What is in it is deleted for good.',
    params,
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: ERRORS,
  },
});
