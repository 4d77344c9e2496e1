import type { output } from 'zod/mini';
import type { Handlers } from '#server/http/implement.types.ts';
import type { Servers, StaffDrift, StaffServer, StaffServerSort } from '#server/modules/servers/index.ts';
import type { adminServers, StaffDriftView, StaffServerView } from '#shared/contract/staff-servers.ts';
import { pageOf } from '#shared/schemas/primitives.ts';
import { EMBEDDED_PANEL, STAFF_SERVER_SORTS, type panelName } from '#shared/schemas/staff-server.ts';
import { iso } from '#shared/time.ts';

const panelKey = (panel: output<typeof panelName>): string => (panel === EMBEDDED_PANEL ? '' : panel);
const sortKey = (sort: string): StaffServerSort =>
  STAFF_SERVER_SORTS.find((each) => each === sort.replace(/^-/, '')) ?? 'created';

/** Servers for staff (domain: admin servers), drift and adoption. */
export function staffServersHandlers({
  servers: { staff },
}: {
  readonly servers: Pick<Servers, 'staff'>;
}): Handlers<typeof adminServers> {
  return {
    async list(_, { query }) {
      const { page, perPage } = pageOf(query);
      const sort = query.sort ?? '-created';
      const { rows, total, states, locations, panels, drift } = await staff.list({
        search: query.q,
        state: query.state,
        locationId: query.location,
        ownerId: query.owner,
        panel: query.panel === undefined ? undefined : panelKey(query.panel),
        sort: sortKey(sort),
        dir: sort.startsWith('-') ? 'desc' : 'asc',
        offset: (page - 1) * perPage,
        limit: perPage,
      });
      const n = (state: 'active' | 'suspended' | 'failed') => states.get(state) ?? 0;
      const counts = {
        total: [...states.values()].reduce((sum, each) => sum + each, 0),
        active: n('active'),
        suspended: n('suspended'),
        failed: n('failed'),
      };
      return {
        rows: rows.map(serverView),
        paging: { page, per_page: perPage, total },
        counts,
        locations,
        panels,
        drift,
      };
    },
    async drift(_, { query }) {
      const { page, perPage } = pageOf(query);
      const sort = query.sort ?? '-first';
      const { rows, total, kinds, panels, lastMs, looking } = await staff.drift({
        kind: query.kind,
        panel: query.panel === undefined ? undefined : panelKey(query.panel),
        sort: sort.endsWith('name') ? 'name' : 'first',
        dir: sort.startsWith('-') ? 'desc' : 'asc',
        offset: (page - 1) * perPage,
        limit: perPage,
      });
      const counts = {
        orphan: kinds.get('orphan') ?? 0,
        ghost: kinds.get('ghost') ?? 0,
        differs: kinds.get('differs') ?? 0,
      };
      return {
        rows: rows.map(driftView),
        paging: { page, per_page: perPage, total },
        counts,
        panels,
        looked_at: iso(lastMs),
        looking,
      };
    },
    look: async (ctx) => {
      await staff.look(ctx);
      return {};
    },
    async adoptable(_, { query }) {
      const { drift, found, locations, eggs, egg, days } = await staff.adoptable(panelKey(query.panel), query.ref);
      return {
        drift: driftView(drift),
        locations,
        eggs,
        egg_id: egg,
        renew_days: days,
        found: found && {
          name: found.name,
          address: found.address,
          node: found.node,
          state: found.state,
          suspended: found.suspended,
          resources: found.resources,
        },
      };
    },
    adopt: (ctx, { body }) =>
      staff.adopt(ctx, {
        panel: body.panel,
        ref: body.ref,
        owner: body.owner,
        days: body.days,
        locationId: body.location_id,
        eggId: body.egg_id,
      }),
    async orphan(_, { query }) {
      const { drift, ...more } = await staff.orphan(panelKey(query.panel), query.ref);
      return { drift: driftView(drift), ...more };
    },
    dropOrphan: async (ctx, { body }) => {
      await staff.dropOrphan(ctx, body);
      return {};
    },
    reinstall: (ctx, { params }) => staff.reinstall(ctx, params.id),
    async get(_, { params }) {
      const { server, row, egg, events, ports, drift, link, queueId, reinstall } = await staff.view(params.id);
      const live = row.state === 'active' || row.state === 'suspended';
      return {
        server: serverView(server),
        description: row.description,
        egg,
        ports,
        auto_renew: row.autoRenew,
        periods: row.periods,
        desired: row.desired,
        panel_id: row.panelId,
        panel_state: row.panelState,
        panel_seen_at: iso(row.panelSeenMs),
        link,
        queue_id: queueId,
        drift: drift.map(driftView),
        reinstall,
        activity: events.map((event) => ({
          id: event.id,
          at: iso(event.atMs),
          code: event.code,
          detail: event.detail,
        })),
        can: {
          suspend: live,
          unsuspend: row.state === 'suspended' && row.suspendReason === 'admin',
          delete: live || row.state === 'failed' || row.state === 'queued' || row.state === 'deleting',
        },
      };
    },
    suspend: async (ctx, { params, body }) => {
      await staff.suspend(ctx, params.id, body.reason);
      return {};
    },
    unsuspend: async (ctx, { params }) => {
      await staff.unsuspend(ctx, params.id);
      return {};
    },
    remove: async (ctx, { params, body }) => {
      await staff.remove(ctx, params.id, body);
      return {};
    },
  };
}

function serverView(server: StaffServer): StaffServerView {
  const { id, name, state, failure, owner, location, panel, address, resources, pending } = server;
  return {
    id,
    name,
    state,
    suspend_reason: state === 'suspended' ? server.suspendReason : null,
    suspend_note: server.suspendNote,
    failure: state === 'failed' ? failure : null,
    owner: { ...owner },
    location: { ...location },
    panel: panel && { ...panel },
    node: server.panelNode,
    address,
    resources: { ...resources },
    pending,
    expires_at: iso(server.expiresMs),
    created_at: iso(server.createdMs),
    adopted_at: iso(server.adoptedMs),
  };
}

function driftView({
  panel,
  panelName,
  kind,
  ref,
  name,
  detail,
  server,
  serverId,
  firstMs,
  seenMs,
}: StaffDrift): StaffDriftView {
  return {
    kind,
    panel: panel === '' ? null : { id: panel, name: panelName ?? '' },
    ref,
    name,
    detail,
    server: server && serverId !== null ? { id: serverId, ...server } : null,
    first_at: iso(firstMs),
    seen_at: iso(seenMs),
  };
}
