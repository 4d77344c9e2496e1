import type { Handlers } from '#server/http/implement.types.ts';
import type { Servers, WaitingEntry } from '#server/modules/servers/index.ts';
import type { adminServerQueue, StaffEntryView } from '#shared/contract/staff-servers.ts';
import { pageOf } from '#shared/schemas/primitives.ts';
import { QUEUE_STATES } from '#shared/schemas/server.ts';
import { iso } from '#shared/time.ts';

interface Services {
  readonly servers: Pick<Servers, 'staff'>;
  /** Whether addresses have to be confirmed before a server is created. */
  readonly asksVerification: () => boolean;
}

/** The server queue for staff. */
export function serverQueueHandlers({
  servers: { staff },
  asksVerification,
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
      const each = Object.fromEntries(QUEUE_STATES.map((state) => [state, states.get(state) ?? 0])) as Record<
        (typeof QUEUE_STATES)[number],
        number
      >;
      return {
        rows: rows.map(entryView),
        paging: { page, per_page: perPage, total },
        counts: { total: [...states.values()].reduce((sum, n) => sum + n, 0), ...each },
      };
    },
    options: (ctx, { query }) => staff.options(ctx, query.owner),
    async create(ctx, { body }) {
      const {
        owner,
        without_limits: withoutLimits,
        name,
        description,
        variables,
        memory,
        disk,
        cpu,
        ports,
        databases,
        backups,
      } = body;
      const place = { locationId: body.location_id, categoryId: body.category_id, eggId: body.egg_id };
      const input = {
        name,
        description,
        variables,
        ...place,
        resources: { memory, disk, cpu, ports, databases, backups },
        autoRenew: body.auto_renew,
      };
      const { id, queueId } = await staff.createFor(ctx, {
        owner,
        input,
        withoutLimits,
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
      return {
        rows: rows.map(({ id, atMs, code, detail, queueId, serverId, server, username }) => ({
          id,
          at: iso(atMs),
          code,
          detail,
          entry_id: queueId,
          server_id: serverId,
          server,
          owner: username,
        })),
        paging: { page, per_page: perPage, total },
      };
    },
    async get(_, { params }) {
      const { entry, position, estimateS, egg, resources, steps, can } = await staff.entry(params.id);
      return {
        entry: entryView(entry),
        position,
        estimate_s: estimateS,
        egg,
        resources,
        can,
        steps: steps.map(({ id, atMs, code, detail }) => ({ id, at: iso(atMs), code, detail })),
      };
    },
    retry: (ctx, { params }) => staff.retry(ctx, params.id),
    cancel: async (ctx, { params }) => {
      await staff.cancel(ctx, params.id);
      return {};
    },
    async leaving(_, { params }) {
      const { entry, can } = await staff.entry(params.id);
      return { entry: entryView(entry), deletable: can.delete };
    },
    remove: async (ctx, { params }) => {
      await staff.dropEntry(ctx, params.id);
      return {};
    },
  };
}

function entryView(entry: WaitingEntry): StaffEntryView {
  const { id, state, attempts, owner, server, location, panel } = entry;
  const open = state === 'queued' || state === 'building';
  return {
    id,
    state,
    vip: entry.priority > 0,
    attempts,
    held_up: open || state === 'failed' ? entry.lastError : null,
    waiting: entry.waiting,
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
