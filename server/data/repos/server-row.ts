import type { Selectable } from 'kysely';
import type { Servers } from '#server/data/schema.ts';
import type { ServerRow } from '#server/modules/servers/core/ports.ts';
import { SERVER_STATES } from '#shared/schemas/server.ts';

/** The resources of a row that has a column for each. */
export const toResources = (row: ServerRow['resources']): ServerRow['resources'] => ({
  memory: row.memory,
  disk: row.disk,
  cpu: row.cpu,
  ports: row.ports,
  databases: row.databases,
  backups: row.backups,
});

/** A server as its row has it. */
export const toServer = (row: Selectable<Servers>): ServerRow => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  description: row.description,
  locationId: row.location_id,
  categoryId: row.category_id,
  eggId: row.egg_id,
  resources: toResources(row),
  variables: JSON.parse(row.variables) as Record<string, string>,
  state: SERVER_STATES.find((state) => state === row.state) ?? 'failed',
  desired: row.desired as ServerRow['desired'],
  suspendReason: row.suspend_reason as ServerRow['suspendReason'],
  failure: row.failure,
  panel: row.panel,
  panelNode: row.panel_node,
  panelIdentifier: row.panel_identifier,
  panelId: row.panel_id,
  panelState: row.panel_state as ServerRow['panelState'],
  panelSeenMs: row.panel_seen_ms,
  address: row.address,
  revision: row.revision,
  syncedRevision: row.synced_revision,
  startupRevision: row.startup_revision,
  primaryPort: row.primary_port,
  reinstallMs: row.reinstall_ms,
  expiresMs: row.expires_ms,
  autoRenew: row.auto_renew === 1,
  autoRenewOrder: row.auto_renew_order,
  periods: row.periods,
  adoptedMs: row.adopted_ms,
  createdMs: row.created_ms,
  updatedMs: row.updated_ms,
});
