import * as z from 'zod/mini';
import { USER_STATES } from '../schemas/people.ts';
import { id, listQuery, paging, isoTime } from '../schemas/primitives.ts';
import { QUEUE_STATES, REINSTALL, SERVER_STATES, SUSPEND_REASONS } from '../schemas/server.ts';
import {
  adoptInput,
  DRIFT_KINDS,
  orphanDeleteInput,
  ownerText,
  panelName,
  panelRef,
  staffCreateInput,
  staffDeleteInput,
  STAFF_SERVER_SORTS,
  STAFF_SERVER_STATES,
  suspendInput,
} from '../schemas/staff-server.ts';
import { QUEUE_STEPS, QUEUE_WAITS } from '../server-codes.ts';
import { group } from './endpoint.ts';
import { servers, usageAnswer } from './servers.ts';

const one = { params: z.object({ id }) } as const;
const count = z.int();
const named = z.object({ id: z.string(), name: z.string() });
const owner = z.object({ id: z.string(), username: z.string(), status: z.enum(USER_STATES) });
const resources = z.object({ memory: count, disk: count, cpu: count, ports: count, databases: count, backups: count });
const entryOf = z.object({ id: z.string(), at: isoTime, code: z.string(), detail: z.nullable(z.string()) });

const row = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(SERVER_STATES),
  suspend_reason: z.nullable(z.enum(SUSPEND_REASONS)),
  /** Why staff suspended it. */
  suspend_note: z.nullable(z.string()),
  failure: z.nullable(z.string()),
  owner,
  location: named,
  /** Null: the built-in panel. */
  panel: z.nullable(named),
  node: z.nullable(z.string()),
  address: z.nullable(z.string()),
  resources,
  /** Changes are on their way to the panel. */
  pending: z.boolean(),
  expires_at: z.nullable(isoTime),
  created_at: isoTime,
  adopted_at: z.nullable(isoTime),
});
export type StaffServerView = z.infer<typeof row>;

const drift = z.object({
  kind: z.enum(DRIFT_KINDS),
  /** Null: the built-in panel. */
  panel: z.nullable(named),
  /** Id at the panel. */
  ref: z.string(),
  name: z.string(),
  /** `differs`: what differs; `orphan`: the id of ours that it carries, or ''. */
  detail: z.string(),
  server: z.nullable(z.object({ id: z.string(), name: z.string(), state: z.enum(SERVER_STATES), owner: z.string() })),
  first_at: isoTime,
  seen_at: isoTime,
});
export type StaffDriftView = z.infer<typeof drift>;

const refusals = [
  'VALIDATION_FAILED',
  'EGG_UNAVAILABLE',
  'EGG_CATEGORY_MISMATCH',
  'LOCATION_UNAVAILABLE',
  'LOCATION_FULL',
  'MACHINE_CLOSED',
  'VIP_ONLY',
  'BELOW_EGG_MINIMUM',
  'NOT_ENOUGH_MEMORY',
  'NOT_ENOUGH_DISK',
  'NOT_ENOUGH_CPU',
  'NOT_ENOUGH_SLOTS',
  'NOT_ENOUGH_PORTS',
  'NOT_ENOUGH_DATABASES',
  'NOT_ENOUGH_BACKUPS',
  'ACCOUNT_BANNED',
  'ACCOUNT_UNVERIFIED',
  'FEATURE_DISABLED',
] as const;

/** What the list of servers is narrowed by. */
const serverFilter = {
  q: listQuery.q,
  state: z.optional(z.enum(STAFF_SERVER_STATES)),
  panel: z.optional(panelName),
  location: z.optional(id),
  owner: z.optional(id),
};
/** What the list of the queue is narrowed by. */
const queueFilter = { q: listQuery.q, state: z.optional(z.enum(QUEUE_STATES)) };

/** Servers for staff, drift between panels and us, and adopting servers (behaviour 6.3). */
export const adminServers = group({
  list: {
    method: 'GET',
    path: '/api/admin/servers',
    summary: 'List all servers',
    access: 'admin.servers.list',
    errors: [],
    query: z.object({
      ...listQuery,
      ...serverFilter,
      sort: z.optional(z.enum(STAFF_SERVER_SORTS.flatMap((name) => [name, `-${name}`]))),
    }),
    response: z.object({
      rows: z.array(row),
      paging,
      counts: z.object({ total: count, active: count, suspended: count, failed: count }),
      locations: z.array(named),
      panels: z.array(named),
      /** Entries of the drift list. */
      drift: count,
    }),
  },
  exportCsv: {
    method: 'GET',
    path: '/api/admin/servers/export.csv',
    summary: 'Export servers',
    description: 'Every server that matches, the newest first, as CSV.',
    query: z.object(serverFilter),
    format: 'csv',
    access: 'admin.servers.list',
    errors: [],
  },
  drift: {
    method: 'GET',
    path: '/api/admin/servers/drift',
    summary: 'List servers that differ from their panel',
    access: 'admin.servers.list',
    errors: [],
    query: z.object({
      page: listQuery.page,
      per_page: listQuery.per_page,
      sort: z.optional(z.enum(['first', '-first', 'name', '-name'])),
      kind: z.optional(z.enum(DRIFT_KINDS)),
      panel: z.optional(panelName),
    }),
    response: z.object({
      rows: z.array(drift),
      paging,
      counts: z.object({ orphan: count, ghost: count, differs: count }),
      panels: z.array(named),
      /** The last scheduled reconcile of every panel, and whether a requested one is running. */
      reconciled_at: z.nullable(isoTime),
      reconciling: z.boolean(),
    }),
  },
  reconcile: {
    method: 'POST',
    path: '/api/admin/servers/reconcile',
    summary: 'Repair servers that differ from their panel',
    description: 'Every panel, by a job.',
    access: 'admin.servers.edit',
    errors: [],
  },
  adoptable: {
    method: 'GET',
    path: '/api/admin/servers/adopt',
    summary: 'Get what adopting a panel’s server needs',
    description: 'The server as its panel has it now (null: unknown), and what it can become.',
    access: 'admin.servers.edit',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
    query: z.object({ panel: panelName, ref: panelRef }),
    response: z.object({
      drift,
      locations: z.array(named),
      eggs: z.array(named),
      egg_id: z.nullable(z.string()),
      renew_days: z.nullable(count),
      found: z.nullable(
        z.object({
          name: z.string(),
          address: z.nullable(z.string()),
          node: z.nullable(z.string()),
          state: z.string(),
          suspended: z.boolean(),
          resources,
        }),
      ),
    }),
  },
  adopt: {
    method: 'POST',
    path: '/api/admin/servers/adopt',
    summary: 'Adopt a panel’s server',
    body: adoptInput,
    access: 'admin.servers.edit',
    limit: 'create',
    idempotent: true,
    errors: ['NOT_FOUND', 'CONFLICT', 'SERVER_UNAVAILABLE', 'SERVER_NOT_READY', ...refusals],
    response: z.object({ id: z.string() }),
  },
  orphan: {
    method: 'GET',
    path: '/api/admin/servers/orphan',
    summary: 'Get a panel’s server that nobody owns',
    description: 'Its name at the panel (null: unknown). One that has an id of ours is kept.',
    access: 'admin.servers.delete',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
    query: z.object({ panel: panelName, ref: panelRef }),
    response: z.object({ drift, name: z.nullable(z.string()), ours: z.boolean() }),
  },
  deleteOrphan: {
    method: 'DELETE',
    path: '/api/admin/servers/orphan',
    summary: 'Delete a panel’s server that nobody owns',
    body: orphanDeleteInput,
    access: 'admin.servers.delete',
    errors: [
      'NOT_FOUND',
      'NAME_MISMATCH',
      'CONFLICT',
      'SERVER_BUSY',
      'PANEL_REFUSED',
      'PANEL_UNREACHABLE',
      'VALIDATION_FAILED',
    ],
  },
  get: {
    ...one,
    method: 'GET',
    path: '/api/admin/servers/:id',
    summary: 'Get a server for staff',
    access: 'admin.servers.list',
    errors: ['NOT_FOUND'],
    response: z.object({
      server: row,
      description: z.string(),
      egg: z.nullable(z.string()),
      ports: z.array(z.string()),
      auto_renew: z.boolean(),
      periods: count,
      /** Its desired state, and the state the panel last reported. */
      desired: z.string(),
      panel_id: z.nullable(z.string()),
      panel_state: z.nullable(z.string()),
      panel_seen_at: z.nullable(isoTime),
      /** Its page in the panel. */
      link: z.nullable(z.string()),
      /** Its newest entry in the queue. */
      queue_id: z.nullable(z.string()),
      activity: z.array(
        z.extend(entryOf, {
          /** Username of the player who did it. */
          actor: z.nullable(z.string()),
          /** Somebody of staff at work on the server did it: the audit log says who. */
          by_staff: z.boolean(),
        }),
      ),
      drift: z.array(drift),
      reinstall: z.enum(REINSTALL),
      can: z.object({
        suspend: z.boolean(),
        unsuspend: z.boolean(),
        delete: z.boolean(),
        /** Its console and files are here, and not in a panel. */
        open: z.boolean(),
      }),
    }),
  },
  usage: {
    ...one,
    method: 'GET',
    path: '/api/admin/servers/:id/usage',
    summary: 'Get a server’s live usage for staff',
    access: 'admin.servers.list',
    limit: 'usage',
    errors: ['NOT_FOUND'],
    response: usageAnswer,
  },
  suspend: {
    ...one,
    method: 'POST',
    path: '/api/admin/servers/:id/suspend',
    summary: 'Suspend a server',
    body: suspendInput,
    access: 'admin.servers.edit',
    errors: ['NOT_FOUND', 'SERVER_BUSY', 'SERVER_NOT_READY', 'VALIDATION_FAILED'],
  },
  unsuspend: {
    ...one,
    method: 'POST',
    path: '/api/admin/servers/:id/unsuspend',
    summary: 'Unsuspend a server',
    access: 'admin.servers.edit',
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  reinstall: {
    ...one,
    method: 'POST',
    path: '/api/admin/servers/:id/reinstall',
    summary: 'Reinstall a user’s server',
    access: 'admin.servers.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'SERVER_SUSPENDED', 'SERVER_NOT_READY', 'SERVER_BUSY'],
  },
  remove: {
    ...one,
    method: 'DELETE',
    path: '/api/admin/servers/:id',
    summary: 'Delete a user’s server',
    body: staffDeleteInput,
    access: 'admin.servers.delete',
    errors: ['NOT_FOUND', 'NAME_MISMATCH', 'SERVER_BUSY'],
  },
});

const entry = z.object({
  id: z.string(),
  state: z.enum(QUEUE_STATES),
  vip: z.boolean(),
  attempts: count,
  /** What delayed the last attempt, or why it failed. */
  last_error: z.nullable(z.string()),
  /** What it waits for, and since when. */
  waiting: z.nullable(z.object({ cause: z.enum(QUEUE_WAITS), since: isoTime })),
  owner,
  server: z.object({ id: z.string(), name: z.string(), state: z.enum(SERVER_STATES) }),
  location: named,
  panel: z.nullable(named),
  created_at: isoTime,
  started_at: z.nullable(isoTime),
  done_at: z.nullable(isoTime),
  /** When it is retried. */
  next_at: z.nullable(isoTime),
});
export type StaffEntryView = z.infer<typeof entry>;

const step = z.object({
  id: z.string(),
  at: isoTime,
  code: z.string(),
  detail: z.nullable(z.string()),
  entry_id: z.nullable(z.string()),
  server_id: z.string(),
  server: z.nullable(z.string()),
  owner: z.nullable(z.string()),
});
export type StaffStepView = z.infer<typeof step>;
const options = servers.options.response;

/** The server queue as staff see it. */
export const adminServerQueue = group({
  list: {
    method: 'GET',
    path: '/api/admin/server-queue',
    summary: 'List the server queue',
    access: 'admin.server.queue.list',
    errors: [],
    query: z.object({
      page: listQuery.page,
      per_page: listQuery.per_page,
      ...queueFilter,
      sort: z.optional(z.enum(['created', '-created'])),
    }),
    response: z.object({
      rows: z.array(entry),
      paging,
      counts: z.object({
        total: count,
        queued: count,
        building: count,
        completed: count,
        failed: count,
        cancelled: count,
      }),
    }),
  },
  exportCsv: {
    method: 'GET',
    path: '/api/admin/server-queue/export.csv',
    summary: 'Export the server queue',
    description: 'Every entry that matches, the newest first, as CSV.',
    query: z.object(queueFilter),
    format: 'csv',
    access: 'admin.server.queue.list',
    errors: [],
  },
  options: {
    method: 'GET',
    path: '/api/admin/server-queue/options',
    summary: 'Get what a server for a user can have',
    description: 'By the user’s own limits and permissions.',
    access: 'admin.server.queue.create',
    errors: ['VALIDATION_FAILED', 'ACCOUNT_BANNED'],
    query: z.object({ owner: ownerText }),
    response: z.object({ owner: z.object({ id: z.string(), username: z.string(), verified: z.boolean() }), options }),
  },
  create: {
    method: 'POST',
    path: '/api/admin/server-queue',
    summary: 'Create a server for a user',
    body: staffCreateInput,
    access: 'admin.server.queue.create',
    limit: 'create',
    idempotent: true,
    errors: refusals,
    response: z.object({ id: z.string(), queue_id: z.string() }),
  },
  logs: {
    method: 'GET',
    path: '/api/admin/server-queue/logs',
    summary: 'List the log of the server queue',
    description: 'Newest first.',
    access: 'admin.server.queue.logs.view',
    errors: [],
    query: z.object({
      page: listQuery.page,
      per_page: listQuery.per_page,
      q: listQuery.q,
      code: z.optional(z.enum(QUEUE_STEPS)),
    }),
    response: z.object({ rows: z.array(step), paging }),
  },
  get: {
    ...one,
    method: 'GET',
    path: '/api/admin/server-queue/:id',
    summary: 'Get a queue entry',
    access: 'admin.server.queue.view',
    errors: ['NOT_FOUND'],
    response: z.object({
      entry,
      position: z.nullable(count),
      estimate_s: z.nullable(count),
      egg: z.nullable(z.string()),
      resources: z.nullable(resources),
      steps: z.array(entryOf),
      can: z.object({ retry: z.boolean(), cancel: z.boolean(), delete: z.boolean() }),
    }),
  },
  retry: {
    ...one,
    method: 'POST',
    path: '/api/admin/server-queue/:id/retry',
    summary: 'Retry a queue entry',
    description: '`id` is that of the new entry.',
    access: 'admin.server.queue.create',
    idempotent: true,
    errors: ['NOT_FOUND', 'CONFLICT', ...refusals],
    response: z.object({ id: z.string() }),
  },
  cancel: {
    ...one,
    method: 'POST',
    path: '/api/admin/server-queue/:id/cancel',
    summary: 'Cancel a queue entry',
    access: 'admin.server.queue.delete',
    idempotent: true,
    errors: ['NOT_FOUND', 'NOT_CANCELLABLE'],
  },
  deletable: {
    ...one,
    method: 'GET',
    path: '/api/admin/server-queue/:id/delete',
    summary: 'Check whether a queue entry can be deleted',
    access: 'admin.server.queue.delete',
    errors: ['NOT_FOUND'],
    response: z.object({ entry, deletable: z.boolean() }),
  },
  remove: {
    ...one,
    method: 'DELETE',
    path: '/api/admin/server-queue/:id',
    summary: 'Delete a queue entry',
    access: 'admin.server.queue.delete',
    errors: ['NOT_FOUND', 'SERVER_BUSY'],
  },
});
