import * as z from 'zod/mini';
import { HEALTH_CHECKS, HEALTH_STATUSES, HEALTH_UNITS } from '../health.ts';
import { isoTime } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const row = z.object({
  key: z.enum(HEALTH_CHECKS),
  /** What it is about where a check has several rows: the name of a panel. */
  subject: z.nullable(z.string()),
  /** Which texts it is told in (namespace `health`). */
  code: z.string(),
  status: z.enum(HEALTH_STATUSES),
  facts: z.record(z.string(), z.object({ unit: z.enum(HEALTH_UNITS), value: z.union([z.number(), z.string()]) })),
  checked_at: isoTime,
  took_ms: z.int(),
  /** Its figure in each half hour of the last day for which there is one, the oldest first. */
  trend: z.array(z.int()),
});
const job = z.object({
  name: z.string(),
  last_at: z.nullable(isoTime),
  /** Null while it runs, and before it ran. */
  took_ms: z.nullable(z.int()),
  next_at: isoTime,
  /** Whether each of the last runs went well: at most ten, the last one at the end. */
  recent: z.array(z.boolean()),
  error: z.nullable(z.string()),
});
const report = z.object({
  checked_at: isoTime,
  rows: z.array(row),
  /** The worst status of each stretch of the last day, the oldest first; null where nothing was written down. */
  day: z.object({
    from: isoTime,
    stretch_ms: z.int(),
    statuses: z.array(z.nullable(z.enum(HEALTH_STATUSES))),
    /** The checks that were a warning or failing in it, the worst first. */
    causes: z.array(z.array(z.enum(HEALTH_CHECKS))),
  }),
  jobs: z.array(job),
  /** The ledger is being proven just now. */
  proving: z.boolean(),
});
export type HealthView = z.infer<typeof report>;

/** The health of the installation (behaviour 8.7). */
export const adminHealth = group({
  get: {
    method: 'GET',
    path: '/api/admin/health',
    summary: 'Get the installation’s health',
    description: 'What the checks said at most half a minute ago, the last day, and what runs by itself.',
    access: 'admin.health.view',
    errors: [],
    response: report,
  },
  check: {
    method: 'POST',
    path: '/api/admin/health/check',
    summary: 'Run the health checks',
    access: 'admin.health.view',
    limit: 'create',
    errors: [],
    response: z.object({ checked_at: isoTime }),
  },
  proveLedger: {
    method: 'POST',
    path: '/api/admin/health/prove-ledger',
    summary: 'Prove the ledger',
    description: 'Begins a proof. `started` is false where one is running.',
    access: 'admin.health.view',
    limit: 'create',
    errors: [],
    response: z.object({ started: z.boolean() }),
  },
});
