import type { output } from 'zod/mini';
import type { Handlers } from '#server/http/implement.types.ts';
import type { Servers, StaffServer, StaffServerSort } from '#server/modules/servers/index.ts';
import type { adminServers } from '#shared/contract/staff-servers.ts';
import { pageOf } from '#shared/schemas/primitives.ts';
import { EMBEDDED_PANEL, STAFF_SERVER_SORTS, type panelName } from '#shared/schemas/staff-server.ts';
import { iso } from '#shared/time.ts';
import { presentAdoptable, presentDrift, presentStaffServer, presentStaffServerDetail } from './present-servers.ts';
import { dayOfFile, mapParts, toCsvParts, type FileDay } from './csv.ts';
import { presentUsage } from '../present-servers.ts';

const panelKey = (panel: output<typeof panelName>): string => (panel === EMBEDDED_PANEL ? '' : panel);
const sortKey = (sort: string): StaffServerSort =>
  STAFF_SERVER_SORTS.find((each) => each === sort.replace(/^-/, '')) ?? 'created';

type Filter = Pick<
  Parameters<Handlers<typeof adminServers>['list']>[1]['query'],
  'q' | 'state' | 'location' | 'owner' | 'panel'
>;
const toFilter = ({ q, state, location, owner, panel }: Filter) => ({
  search: q,
  state,
  locationId: location,
  ownerId: owner,
  panel: panel === undefined ? undefined : panelKey(panel),
});

/** The columns of the file. */
const FIELDS = [
  'id',
  'name',
  'state',
  'suspend_reason',
  'suspend_note',
  'failure',
  'owner',
  'location',
  'panel',
  'node',
  'address',
  'memory',
  'disk',
  'cpu',
  'ports',
  'databases',
  'backups',
  'expires_at',
  'created_at',
  'adopted_at',
] as const;
function toCsvRow(server: StaffServer) {
  const { owner, location, panel, resources, ...row } = presentStaffServer(server);
  return { ...row, ...resources, owner: owner.username, location: location.name, panel: panel?.name ?? null };
}

/** Servers for staff, with drift and adoption. */
export function staffServersHandlers({
  servers: { staff, usageAsStaff },
  ...names
}: FileDay & {
  readonly servers: Pick<Servers, 'staff' | 'usageAsStaff'>;
}): Handlers<typeof adminServers> {
  return {
    async list(_, { query }) {
      const { page, perPage } = pageOf(query);
      const sort = query.sort ?? '-created';
      const { rows, total, states, locations, panels, drift } = await staff.list({
        ...toFilter(query),
        sort: sortKey(sort),
        dir: sort.startsWith('-') ? 'desc' : 'asc',
        offset: (page - 1) * perPage,
        limit: perPage,
      });
      return {
        rows: rows.map(presentStaffServer),
        paging: { page, per_page: perPage, total },
        counts: toCounts(states),
        locations,
        panels,
        drift,
      };
    },
    exportCsv: async (ctx, { query }) => {
      const parts = await staff.exportAll(ctx, toFilter(query), ctx.signal);
      return { filename: `servers-${dayOfFile(ctx, names)}.csv`, body: toCsvParts(FIELDS, mapParts(parts, toCsvRow)) };
    },
    usage: async (ctx, { params }) => presentUsage(await usageAsStaff(ctx, params.id)),
    async drift(_, { query }) {
      const { page, perPage } = pageOf(query);
      const sort = query.sort ?? '-first';
      const { rows, total, kinds, panels, lastMs, reconciling } = await staff.drift({
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
        rows: rows.map(presentDrift),
        paging: { page, per_page: perPage, total },
        counts,
        panels,
        reconciled_at: iso(lastMs),
        reconciling,
      };
    },
    reconcile: async (ctx) => {
      await staff.requestReconcile(ctx);
      return {};
    },
    adoptable: async (_, { query }) => presentAdoptable(await staff.adoptable(panelKey(query.panel), query.ref)),
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
      return { drift: presentDrift(drift), ...more };
    },
    deleteOrphan: async (ctx, { body }) => {
      await staff.deleteOrphan(ctx, body);
      return {};
    },
    reinstall: (ctx, { params }) => staff.reinstall(ctx, params.id),
    get: async (_, { params }) => presentStaffServerDetail(await staff.view(params.id)),
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

/** The number of servers in all, and in some states. */
function toCounts(states: ReadonlyMap<string, number>) {
  return {
    total: [...states.values()].reduce((sum, each) => sum + each, 0),
    active: states.get('active') ?? 0,
    suspended: states.get('suspended') ?? 0,
    failed: states.get('failed') ?? 0,
  };
}
