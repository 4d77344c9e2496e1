import * as z from 'zod/mini';
import { LOG_LEVELS, LOG_PLACE } from '../logs.ts';
import { PAST_CURSOR } from '../past-cursor.ts';
import { id, isoTime, queryInt, text } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const place = z.string().check(z.regex(LOG_PLACE, 'INVALID'));
const line = z.object({
  id: place,
  at: isoTime,
  level: z.enum(LOG_LEVELS),
  event: z.string(),
  request_id: z.nullable(z.string()),
  /** Everything else of the line, as `name=value`, secrets masked. */
  details: z.string(),
});
export type LogLineView = z.infer<typeof line>;

const entry = z.object({
  id,
  at: isoTime,
  /** Username; null: the system, or somebody whose account is gone. */
  actor: z.nullable(z.string()),
  action: z.string(),
  /** What it is about, by name where it has one. */
  target: z.nullable(z.string()),
  /** What changed: a value before and after, each as text; null where there was none. */
  changes: z.array(z.object({ name: z.string(), before: z.nullable(z.string()), after: z.nullable(z.string()) })),
  /** Null for whoever may not edit users. */
  address: z.nullable(z.string()),
  device: z.nullable(z.string()),
  request_id: z.nullable(z.string()),
});
export type AuditEntryView = z.infer<typeof entry>;

/** What the log wrote (behaviour 8.7, attacks T50). */
export const adminLogs = group({
  list: {
    method: 'GET',
    path: '/api/admin/logs',
    summary: 'List the log',
    description: 'Newest first.',
    query: z.object({
      level: z.optional(z.enum(LOG_LEVELS)),
      q: z.optional(text(0, 100)),
      request: z.optional(id),
      before: z.optional(place),
      after: z.optional(place),
    }),
    access: 'admin.dashboard.components.system.logs',
    errors: ['VALIDATION_FAILED'],
    response: z.object({
      lines: z.array(line),
      /** What lines come before; null: none. */
      older: z.nullable(place),
      /** The place behind the last line of the log. */
      end: z.nullable(place),
      /** From which level on lines are written. */
      level: z.enum([...LOG_LEVELS, 'silent']),
    }),
  },
  setLevel: {
    method: 'POST',
    path: '/api/admin/logs/level',
    summary: 'Change the log level',
    description: 'Until the program restarts.',
    body: z.strictObject({ level: z.enum(LOG_LEVELS) }),
    access: 'admin.settings.edit',
    errors: ['VALIDATION_FAILED'],
  },
});

const auditQuery = {
  q: z.optional(text(0, 100)),
  /** Who did it, by username. */
  actor: z.optional(text(0, 40)),
  request: z.optional(id),
  /** Only the last so many days. */
  days: z.optional(queryInt(1, 3660)),
};

/** What staff changed (behaviour 1), as far as the caller may see it (attacks T59). */
export const adminAudit = group({
  list: {
    method: 'GET',
    path: '/api/admin/audit',
    summary: 'List the audit log',
    description: 'Newest first.',
    query: z.object({ ...auditQuery, before: z.optional(z.string().check(z.regex(PAST_CURSOR, 'INVALID'))) }),
    access: 'admin.dashboard.components.activity.view',
    errors: ['VALIDATION_FAILED'],
    response: z.object({ entries: z.array(entry), older: z.nullable(z.string()) }),
  },
  export: {
    method: 'GET',
    path: '/api/admin/audit/export.csv',
    summary: 'Export the audit log',
    description: 'At most 10,000 entries, as CSV.',
    query: z.object(auditQuery),
    format: 'csv',
    access: 'admin.dashboard.components.activity.view',
    errors: ['VALIDATION_FAILED'],
  },
});
