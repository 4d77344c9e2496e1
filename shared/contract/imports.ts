import * as z from 'zod/mini';
import { UPLOAD_PART_BYTES } from '../backups.ts';
import {
  EMAIL_RULES,
  IMPORT_FACTORS,
  IMPORT_FAULTS,
  IMPORT_KINDS,
  IMPORT_PRODUCTS,
  IMPORT_REASONS,
  IMPORT_STATES,
  IMPORT_STEPS,
  IMPORT_TASKS,
  INSTANCE_MAX,
  NAME_RULES,
  RENEW_DAYS_MAX,
} from '../imports.ts';
import { LOCALES } from '../i18n/locales.ts';
import { id as uuid, isoTime, line, queryInt, text } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const params = z.object({ id: uuid });
const count = z.int();
const fault = z.nullable(z.enum(IMPORT_FAULTS));
/** The key that the old dashboard seals values with. */
const key = z.optional(text(1, 500));
const run = z.object({
  id: uuid,
  product: z.enum(IMPORT_PRODUCTS),
  instance: z.string(),
  state: z.enum(IMPORT_STATES),
  fault,
  created_at: isoTime,
  updated_at: isoTime,
  /** Users that come or came. */
  users: count,
});
export type ImportRunView = z.infer<typeof run>;
const page = z.object({
  runs: z.array(run),
  /** Where servers may be: panels that are connected. */
  panels: z.array(z.object({ id: z.string(), name: z.string() })),
  running: z.nullable(
    z.object({
      task: z.enum(IMPORT_TASKS),
      run_id: z.nullable(uuid),
      since: isoTime,
      step: z.enum(IMPORT_STEPS),
      /** Bytes or rows for `read`, records for the other steps. */
      done: z.number(),
    }),
  ),
  /** How the last task of this process ended. */
  last: z.nullable(z.object({ task: z.enum(IMPORT_TASKS), run_id: z.nullable(uuid), at: isoTime, fault })),
});
export type ImportsPage = z.infer<typeof page>;

const states = z.object({ ready: count, already: count, left: count, done: count });
/** Credits of the source, as texts with four decimals: `found` is coming, already, cut and left together. */
const credits = z.object({
  found: z.string(),
  negative: z.string(),
  coming: z.string(),
  already: z.string(),
  cut: z.string(),
  left: z.string(),
});
/** What a run comes to, as it is stored with it. */
export const importSummary = z.object({
  kinds: z.record(z.enum(IMPORT_KINDS), states),
  notes: z.array(z.object({ kind: z.enum(IMPORT_KINDS), reason: z.enum(IMPORT_REASONS), n: count })),
  credits,
  /** Roles of the source that would come with rights. */
  roles: z.array(
    z.object({
      name: z.string(),
      users: count,
      to: z.string(),
      toName: z.string(),
      permissions: z.array(z.string()),
      unmatched: count,
    }),
  ),
  read: z.object({
    broken: z.optional(count),
    latin1: z.optional(count),
    mended: z.optional(count),
  }),
});
const choices = {
  product: z.enum(IMPORT_PRODUCTS),
  /** A name for the old installation, where several are brought: letters, digits, `.`, `_` and `-`. */
  instance: z.string().check(z.regex(/^[A-Za-z0-9._-]+$/, 'INVALID'), z.maxLength(INSTANCE_MAX)),
  /** What one credit there is worth here. */
  factor: z.literal(IMPORT_FACTORS),
  email: z.enum(EMAIL_RULES),
  names: z.enum(NAME_RULES),
  /** Whether settings with a counterpart come along. */
  settings: z.boolean(),
  /** Whose balance becomes credits (Paymenter), or what was paid in where the source does not say so (MythicalDash 4). */
  currency: z.string().check(z.regex(/^[A-Z]{3}$/, 'INVALID')),
  /** Zone of the times in the source, as `+02:00`. */
  zone: z.string().check(z.regex(/^[+-](0\d|1[0-4]):[0-5]\d$/, 'INVALID')),
  panel: z.nullable(text(1, 80)),
  /** Language of who has none in the source; left out: English. */
  language: z.optional(z.enum(LOCALES)),
  /** Days that a renewal pays for there (Heliactyl); left out: not known. */
  renewDays: z.optional(z.int().check(z.minimum(1, 'TOO_SMALL'), z.maximum(RENEW_DAYS_MAX, 'TOO_LARGE'))),
};
/** How a run was asked for, as it is stored with it. */
export const importOptions = z.object({
  ...choices,
  zone: z.optional(z.string()),
  zoneMinutes: z.int(),
  from: z.enum(['file', 'database']),
  upload: z.optional(z.string()),
});
const note = z.object({
  seq: count,
  kind: z.enum(IMPORT_KINDS),
  id: z.string(),
  label: z.string(),
  reason: z.enum(IMPORT_REASONS),
});
export type ImportNoteView = z.infer<typeof note>;
const details = z.object({
  run,
  summary: z.omit(importSummary, { roles: true }),
  roles: z.array(
    z.object({
      /** What the source calls it. */
      name: z.string(),
      users: count,
      /** What is proposed: the id of a role here, `new` or `default` (the role of new users). */
      to: z.string(),
      /** Rights that a new role would begin with; none: there can be no new one. */
      permissions: z.array(z.string()),
      /** How many of its rights have no counterpart here. */
      unmatched: count,
    }),
  ),
  /** Roles here that users may come to. */
  targets: z.array(z.object({ id: z.string(), name: z.string(), permissions: z.array(z.string()) })),
  /** Which role here each got, by the source's names, once the import was begun; null: nobody has said so yet. */
  decided: z.nullable(z.array(z.object({ name: z.string(), role: z.string() }))),
  choices: z.object(choices),
  from: z.enum(['file', 'database']),
  /** The file that it was read from, while that is still here. */
  upload: z.nullable(uuid),
  /** Whether what it read is still here: without it there is no report of single rows, and nothing to go on with. */
  kept: z.boolean(),
  is_running: z.boolean(),
});
export type ImportDetailsView = z.infer<typeof details>;

/** Coming over from other dashboards, for owners. */
export const adminImports = group({
  list: {
    method: 'GET',
    path: '/api/admin/imports',
    summary: 'List imports',
    access: 'admin.root',
    errors: [],
    response: page,
  },
  get: {
    method: 'GET',
    path: '/api/admin/imports/:id',
    summary: 'Get an import',
    params,
    access: 'admin.root',
    errors: ['NOT_FOUND'],
    response: details,
  },
  notes: {
    method: 'GET',
    path: '/api/admin/imports/:id/notes',
    summary: 'List what an import says of single rows',
    description: '`after` is the `seq` of the last one that was read; `next` is null after the last one.',
    params,
    query: z.object({
      kind: z.optional(z.enum(IMPORT_KINDS)),
      reason: z.optional(z.enum(IMPORT_REASONS)),
      after: z.optional(queryInt(0, 999_999_999)),
    }),
    access: 'admin.root',
    errors: ['NOT_FOUND'],
    response: z.object({ notes: z.array(note), next: z.nullable(count) }),
  },
  report: {
    method: 'GET',
    path: '/api/admin/imports/:id/report.csv',
    summary: 'Download an import’s report',
    params,
    format: 'csv',
    access: 'admin.root',
    errors: ['NOT_FOUND'],
  },
  upload: {
    method: 'PUT',
    path: '/api/admin/import-uploads/:upload',
    summary: 'Upload a dump in parts',
    description: 'After the last part, `id` is that of the file.',
    params: z.object({ upload: uuid }),
    query: z.object({ part: queryInt(0, 131_071), parts: queryInt(1, 131_072) }),
    upload: { type: 'application/octet-stream', max: UPLOAD_PART_BYTES },
    ceiling: 'backupPart',
    access: 'admin.root',
    errors: ['NOT_FOUND', 'TRUST_REQUIRED', 'VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    response: z.object({ id: z.nullable(uuid) }),
  },
  check: {
    method: 'POST',
    path: '/api/admin/imports',
    summary: 'Check an import',
    description:
      'Begins a dry run, which changes nothing; the list shows how far it is, and its run once it is done. What is read is a file that was uploaded, or a database.',
    body: z.object({
      ...choices,
      upload: z.optional(uuid),
      /** Without an upload: the address of a database of MySQL or MariaDB. */
      host: z.optional(line(1, 253)),
      port: z.optional(z.int().check(z.minimum(1, 'TOO_SMALL'), z.maximum(65_535, 'TOO_LARGE'))),
      database: z.optional(line(1, 100)),
      username: z.optional(line(1, 100)),
      password: z.optional(text(0, 500)),
      encrypted: z.optional(z.boolean()),
      key,
    }),
    access: 'admin.root',
    limit: 'create',
    errors: ['IMPORT_BUSY', 'TRUST_REQUIRED', 'VALIDATION_FAILED'],
  },
  apply: {
    method: 'POST',
    path: '/api/admin/imports/:id/apply',
    summary: 'Carry out an import',
    description:
      'Begins it, or goes on with one that was stopped. Roles of the source that are not named come to the role of new users; once it was begun they are decided.',
    params,
    body: z.object({
      key,
      /** `to`: the id of a role here, `new` for one with the proposed rights, or `default`. */
      roles: z.optional(
        z.array(z.object({ name: text(1, 100), to: text(1, 80) })).check(z.maxLength(200, 'TOO_LARGE')),
      ),
    }),
    access: 'admin.root',
    limit: 'create',
    errors: ['NOT_FOUND', 'CONFLICT', 'IMPORT_BUSY', 'TRUST_REQUIRED', 'VALIDATION_FAILED', 'LIMIT_REACHED'],
  },
  undo: {
    method: 'POST',
    path: '/api/admin/imports/:id/undo',
    summary: 'Take an import back',
    description: 'Begins it. It is refused once somebody who came with it has logged in or moved credits.',
    params,
    access: 'admin.root',
    limit: 'create',
    errors: ['NOT_FOUND', 'CONFLICT', 'IMPORT_BUSY', 'TRUST_REQUIRED'],
  },
  remove: {
    method: 'DELETE',
    path: '/api/admin/imports/:id',
    summary: 'Discard a checked import',
    description: 'What it read is deleted, and the file that was uploaded for it.',
    params,
    access: 'admin.root',
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
});
