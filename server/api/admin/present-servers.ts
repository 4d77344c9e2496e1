import type { output } from 'zod/mini';
import type { Servers, StaffDrift, StaffServer } from '#server/modules/servers/index.ts';
import type { adminServers, StaffDriftView, StaffServerView } from '#shared/contract/staff-servers.ts';
import { iso } from '#shared/time.ts';

type StaffServerDetail = Awaited<ReturnType<Servers['staff']['view']>>;

/** A server's own page for staff. */
export function presentStaffServerDetail({
  server,
  row,
  egg,
  events,
  ports,
  drift,
  link,
  queueId,
  reinstall,
  isHere,
}: StaffServerDetail): output<(typeof adminServers)['get']['response']> {
  const live = row.state === 'active' || row.state === 'suspended';
  return {
    server: presentStaffServer(server),
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
    drift: drift.map(presentDrift),
    reinstall,
    activity: events.map((event) => ({
      id: event.id,
      at: iso(event.atMs),
      code: event.code,
      detail: event.detail,
      actor: event.actor,
      by_staff: event.byStaff,
    })),
    can: {
      suspend: live,
      unsuspend: row.state === 'suspended' && row.suspendReason === 'admin',
      delete: live || row.state === 'failed' || row.state === 'queued' || row.state === 'deleting',
      open: live && isHere,
    },
  };
}

/** A server that only the panel has, with the choices for adopting it. */
export function presentAdoptable({
  drift,
  found,
  locations,
  eggs,
  egg,
  days,
}: Awaited<ReturnType<Servers['staff']['adoptable']>>): output<(typeof adminServers)['adoptable']['response']> {
  return {
    drift: presentDrift(drift),
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
}

/** A server as staff see it in lists. */
export function presentStaffServer(server: StaffServer): StaffServerView {
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

/** A difference between a panel and our records. */
export function presentDrift({
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
