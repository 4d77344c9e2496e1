import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { CapacityRepo } from '#server/modules/servers/capacity/ports.ts';

/** Rows written in one statement. */
const CHUNK = 200;

function chunks<T>(rows: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, at) => rows.slice(at * CHUNK, (at + 1) * CHUNK));
}

/** Nodes and ports of a panel as they are read. Who holds a port of ours is never touched here. */
export function nodeCatalogue(db: Kysely<DB>): Pick<CapacityRepo, 'saveNodes' | 'saveAllocations'> {
  return {
    async saveNodes(panel, nodes, readMs) {
      for (const each of nodes) {
        const values = {
          name: each.name,
          fqdn: each.fqdn,
          location: each.location,
          tags: JSON.stringify(each.tags),
          public: each.public ? 1 : 0,
          maintenance: each.maintenance ? 1 : 0,
          memory: each.memory,
          disk: each.disk,
          memory_overallocate: each.memoryOverallocate,
          disk_overallocate: each.diskOverallocate,
          memory_used: each.memoryUsed,
          disk_used: each.diskUsed,
          seen_ms: readMs,
          vanished_ms: null,
        } as const;
        await db
          .insertInto('node_capacity')
          .values({ panel_id: panel, node: each.id, ...values })
          .onConflict((conflict) =>
            conflict.columns(['panel_id', 'node']).doUpdateSet(values).where('node_capacity.seen_ms', '<=', readMs),
          )
          .execute();
      }
      await db
        .updateTable('node_capacity')
        .set({ vanished_ms: readMs })
        .where('panel_id', '=', panel)
        .where('seen_ms', '<', readMs)
        .where('vanished_ms', 'is', null)
        .execute();
    },
    async saveAllocations(panel, node, ports, readMs) {
      for (const rows of chunks(ports)) {
        await db
          .insertInto('node_allocations')
          .values(
            rows.map((each) => ({
              panel_id: panel,
              node: each.node,
              allocation: each.id,
              ip: each.ip,
              alias: each.alias,
              port: each.port,
              assigned: each.assigned ? 1 : 0,
              server_id: null,
              is_default: 0,
              seen_ms: readMs,
              vanished_ms: null,
            })),
          )
          .onConflict((conflict) =>
            conflict
              .columns(['panel_id', 'allocation'])
              .doUpdateSet((eb) => ({
                node: eb.ref('excluded.node'),
                ip: eb.ref('excluded.ip'),
                alias: eb.ref('excluded.alias'),
                port: eb.ref('excluded.port'),
                assigned: eb.ref('excluded.assigned'),
                seen_ms: readMs,
                vanished_ms: null,
              }))
              .where('node_allocations.seen_ms', '<=', readMs),
          )
          .execute();
      }
      await db
        .updateTable('node_allocations')
        .set({ vanished_ms: readMs })
        .where('panel_id', '=', panel)
        .where('node', '=', node)
        .where('seen_ms', '<', readMs)
        .where('vanished_ms', 'is', null)
        .execute();
    },
  };
}
