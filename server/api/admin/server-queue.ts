import type { Handlers } from '#server/http/implement.types.ts';
import type { CreateInput, Servers, StaffEntry, StaffStep, WaitingEntry } from '#server/modules/servers/index.ts';
import type { adminServerQueue, StaffEntryView } from '#shared/contract/staff-servers.ts';
import { pageOf } from '#shared/schemas/primitives.ts';
import { QUEUE_STATES, type QueueState } from '#shared/schemas/server.ts';
import type { staffCreateInput } from '#shared/schemas/staff-server.ts';
import { iso } from '#shared/time.ts';
import type { z } from 'zod';
import { dayOfFile, mapParts, toCsvParts, type FileDay } from './csv.ts';
import { presentOptions } from '../present-servers.ts';

interface Services extends FileDay {
  readonly servers: Pick<Servers, 'staff'>;
  /** Whether addresses have to be confirmed before a server is created. */
  readonly asksVerification: () => boolean;
}

/** The columns of the file. */
const FIELDS = [
  'id',
  'state',
  'vip',
  'attempts',
  'last_error',
  'owner',
  'server_id',
  'server',
  'location',
  'panel',
  'created_at',
  'started_at',
  'done_at',
] as const;
function toCsvRow({ owner, server, location, panel, state, ...entry }: StaffEntry) {
  const isOpen = state === 'queued' || state === 'building';
  return {
    id: entry.id,
    state,
    vip: entry.priority > 0,
    attempts: entry.attempts,
    last_error: isOpen || state === 'failed' ? entry.lastError : null,
    owner: owner.username,
    server_id: server.id,
    server: server.name,
    location: location.name,
    panel: panel?.name ?? null,
    created_at: iso(entry.createdMs),
    started_at: iso(entry.startedMs),
    done_at: iso(entry.doneMs),
  };
}

/** The server queue for staff. */
export function serverQueueHandlers({
  servers: { staff },
  asksVerification,
  ...names
}: Services): Handlers<typeof adminServerQueue> {
  return {
    async list(_, { query }) {
      const { page, perPage } = pageOf(query);
      const { rows, total, states } = await staff.queue({
        state: query.state,
        search: query.q,
        dir: query.sort === 'created' ? 'asc' : 'desc',
        offset: (page - 1) * perPage,
        limit: perPage,
      });
      return { rows: rows.map(toEntryView), paging: { page, per_page: perPage, total }, counts: toCounts(states) };
    },
    exportCsv: async (ctx, { query }) => {
      const parts = await staff.exportQueue(ctx, { state: query.state, search: query.q }, ctx.signal);
      return {
        filename: `server-queue-${dayOfFile(ctx, names)}.csv`,
        body: toCsvParts(FIELDS, mapParts(parts, toCsvRow)),
      };
    },
    async options(ctx, { query }) {
      const { owner, options } = await staff.options(ctx, query.owner);
      return { owner, options: presentOptions(options) };
    },
    async create(ctx, { body }) {
      const { id, queueId } = await staff.createFor(ctx, {
        owner: body.owner,
        input: toCreateInput(body),
        withoutLimits: body.without_limits,
        verifiedOnly: asksVerification(),
      });
      return { id, queue_id: queueId };
    },
    async logs(_, { query }) {
      const { page, perPage } = pageOf(query);
      const { rows, total } = await staff.logs({
        code: query.code,
        search: query.q,
        offset: (page - 1) * perPage,
        limit: perPage,
      });
      return { rows: rows.map(toStepView), paging: { page, per_page: perPage, total } };
    },
    async get(_, { params }) {
      const { entry, position, estimateS, egg, resources, steps, can } = await staff.entry(params.id);
      return {
        entry: toEntryView(entry),
        position,
        estimate_s: estimateS,
        egg,
        resources,
        can,
        steps: steps.map(({ id, atMs, code, detail }) => ({ id, at: iso(atMs), code, detail })),
      };
    },
    retry: (ctx, { params }) => staff.retry(ctx, params.id),
    cancel: (ctx, { params }) => staff.cancel(ctx, params.id),
    async deletable(_, { params }) {
      const { entry, can } = await staff.entry(params.id);
      return { entry: toEntryView(entry), deletable: can.delete };
    },
    remove: async (ctx, { params }) => {
      await staff.deleteEntry(ctx, params.id);
      return {};
    },
  };
}

function toEntryView(entry: WaitingEntry): StaffEntryView {
  const { id, state, attempts, owner, server, location, panel } = entry;
  const open = state === 'queued' || state === 'building';
  return {
    id,
    state,
    vip: entry.priority > 0,
    attempts,
    last_error: open || state === 'failed' ? entry.lastError : null,
    waiting: entry.waiting && { cause: entry.waiting.cause, since: iso(entry.waiting.sinceMs) },
    owner: { ...owner },
    server: { ...server },
    location: { ...location },
    panel: panel && { ...panel },
    created_at: iso(entry.createdMs),
    started_at: iso(entry.startedMs),
    done_at: iso(entry.doneMs),
    next_at: open && attempts > 0 && entry.waiting === null ? iso(entry.runAtMs) : null,
  };
}

/** The number of entries in each state, and of all. */
function toCounts(states: ReadonlyMap<QueueState, number>) {
  const each = Object.fromEntries(QUEUE_STATES.map((state) => [state, states.get(state) ?? 0])) as Record<
    QueueState,
    number
  >;
  return { total: [...states.values()].reduce((sum, n) => sum + n, 0), ...each };
}

/** The input of a new server, from the body of a request. */
function toCreateInput(body: z.infer<typeof staffCreateInput>): CreateInput {
  const { name, description, variables, memory, disk, cpu, ports, databases, backups } = body;
  return {
    name,
    description,
    variables,
    locationId: body.location_id,
    categoryId: body.category_id,
    eggId: body.egg_id,
    resources: { memory, disk, cpu, ports, databases, backups },
    autoRenew: body.auto_renew,
  };
}

/** A step in the log of the queue. */
function toStepView({ id, atMs, code, detail, queueId, serverId, server, username }: StaffStep) {
  return { id, at: iso(atMs), code, detail, entry_id: queueId, server_id: serverId, server, owner: username };
}
