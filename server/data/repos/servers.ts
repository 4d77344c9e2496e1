import type { Kysely } from 'kysely';
import { alongIndex, type Raw } from '#server/data/raw.ts';
import { findRow, lockRow, updateRow } from '#server/data/row.ts';
import type { DB, Servers } from '#server/data/schema.ts';
import type { ServerChange, ServersRepo } from '#server/modules/servers/core/ports.ts';
import { toServer } from './server-row.ts';
import { buildsPart } from './servers-builds.ts';
import { debtsPart, noticesPart, queuePart } from './servers-queue.ts';

/** The column of each field that is stored as it is. */
const COLUMNS = {
  name: 'name',
  description: 'description',
  state: 'state',
  desired: 'desired',
  suspendReason: 'suspend_reason',
  failure: 'failure',
  panelId: 'panel_id',
  panelState: 'panel_state',
  panelSeenMs: 'panel_seen_ms',
  address: 'address',
  revision: 'revision',
  syncedRevision: 'synced_revision',
  startupRevision: 'startup_revision',
  primaryPort: 'primary_port',
  reinstallMs: 'reinstall_ms',
  panel: 'panel',
  panelNode: 'panel_node',
  panelIdentifier: 'panel_identifier',
  expiresMs: 'expires_ms',
  autoRenewOrder: 'auto_renew_order',
  periods: 'periods',
  deletedMs: 'deleted_ms',
} as const satisfies Partial<Record<keyof ServerChange, keyof Servers>>;

/** A change as columns. */
function columnsOf(change: ServerChange): Partial<Servers> {
  const plain = Object.entries(COLUMNS)
    .map(([field, column]) => [column, change[field as keyof typeof COLUMNS]] as const)
    .filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(plain) as Partial<Servers>),
    ...change.resources,
    ...(change.autoRenew === undefined ? {} : { auto_renew: change.autoRenew ? 1 : 0 }),
    ...(change.variables === undefined ? {} : { variables: JSON.stringify(change.variables) }),
  };
}

type RowsPart = Pick<
  ServersRepo,
  'add' | 'find' | 'lock' | 'update' | 'listByIds' | 'findByPanelId' | 'listByPanelIds' | 'updatePanelStates'
>;

function rowsPart(db: Kysely<DB>, raw: Raw): RowsPart {
  const of = () => db.selectFrom('servers').selectAll('servers');
  return {
    async add(server) {
      await db
        .insertInto('servers')
        .values({
          id: server.id,
          user_id: server.userId,
          name: server.name,
          description: server.description,
          location_id: server.locationId,
          category_id: server.categoryId,
          egg_id: server.eggId,
          ...server.resources,
          variables: JSON.stringify(server.variables),
          state: server.state,
          desired: server.desired,
          suspend_reason: server.suspendReason,
          failure: server.failure,
          panel_id: server.panelId,
          panel_state: server.panelState,
          panel_seen_ms: server.panelSeenMs,
          address: server.address,
          revision: server.revision,
          synced_revision: server.syncedRevision,
          expires_ms: server.expiresMs,
          auto_renew: server.autoRenew ? 1 : 0,
          auto_renew_order: server.autoRenewOrder,
          periods: server.periods,
          created_ms: server.createdMs,
          updated_ms: server.updatedMs,
          deleted_ms: null,
          panel: server.panel,
          panel_node: server.panelNode,
          panel_identifier: server.panelIdentifier,
          adopted_ms: server.adoptedMs,
          startup_revision: server.startupRevision,
          primary_port: server.primaryPort,
          reinstall_ms: server.reinstallMs,
        })
        .execute();
    },
    async find(id) {
      const row = await findRow(raw, 'servers', { id });
      return row ? toServer(row) : null;
    },
    async lock(id, read) {
      if (read && raw.dialect === 'sqlite') return read;
      const row = await lockRow(raw, 'servers', { id });
      return row ? toServer(row) : null;
    },
    async update(id, change, atMs) {
      await updateRow(raw, 'servers', { ...columnsOf(change), updated_ms: atMs }, { id });
    },
    async findByPanelId(panel, panelId) {
      const row = await of()
        .where('panel', '=', panel)
        .where('panel_id', '=', panelId)
        .where('deleted_ms', 'is', null)
        .executeTakeFirst();
      return row ? toServer(row) : null;
    },
    async listByPanelIds(panel, panelIds) {
      if (panelIds.length === 0) return [];
      return (
        await of()
          .where('panel', '=', panel)
          .where('panel_id', 'in', [...panelIds])
          .where('deleted_ms', 'is', null)
          .execute()
      ).map(toServer);
    },
    async updatePanelStates(states, atMs) {
      for (const { id, panelState } of states) {
        await db
          .updateTable('servers')
          .set({ panel_state: panelState, panel_seen_ms: atMs })
          .where('id', '=', id)
          .where('state', 'in', ['active', 'suspended'])
          .execute();
      }
    },
    async listByIds(ids) {
      return ids.length === 0
        ? []
        : (
            await of()
              .where('id', 'in', [...ids])
              .execute()
          ).map(toServer);
    },
  };
}

type ListsPart = Pick<
  ServersRepo,
  | 'listAtPanel'
  | 'listUnsynced'
  | 'listExpiring'
  | 'listSuspendedForExpiry'
  | 'listWithoutExpiry'
  | 'listOwnersOutOfStep'
>;

/** What the reconciler and the scheduler go through, page by page. */
function listsPart(db: Kysely<DB>, raw: Raw): ListsPart {
  const of = () => db.selectFrom('servers').selectAll('servers');
  const inGoodStanding = () =>
    of().innerJoin('users', 'users.id', 'servers.user_id').where('users.status', '=', 'active');
  return {
    async listAtPanel(panel, afterId, limit) {
      const rows = await of()
        .where('panel', panel === null ? 'is' : '=', panel)
        .where('state', 'in', ['active', 'suspended', 'deleting'])
        .where('panel_id', 'is not', null)
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toServer);
    },
    async listUnsynced(beforeMs, limit) {
      const rows = await of()
        .where('updated_ms', '<=', beforeMs)
        .where((eb) =>
          eb.or([
            eb('desired', '=', 'deleted'),
            eb.and([
              eb('state', 'in', ['active', 'suspended']),
              eb('panel_id', 'is not', null),
              eb('synced_revision', '<', eb.ref('revision')),
            ]),
          ]),
        )
        .orderBy('updated_ms')
        .limit(limit)
        .execute();
      return rows.map(toServer);
    },
    async listExpiring(untilMs, after, limit) {
      let query = inGoodStanding().where('servers.state', '=', 'active').where('servers.expires_ms', '<=', untilMs);
      if (after)
        query = query.where((eb) =>
          eb(eb.refTuple('servers.expires_ms', 'servers.id'), '>', eb.tuple(after.expiresMs, after.id)),
        );
      return (await query.orderBy('servers.expires_ms').orderBy('servers.id').limit(limit).execute()).map(toServer);
    },
    async listSuspendedForExpiry(after, limit) {
      let query = inGoodStanding()
        .where('servers.state', '=', 'suspended')
        .where('servers.suspend_reason', '=', 'expired')
        .where('servers.expires_ms', 'is not', null);
      if (after) {
        const { userId, order, expiresMs, id } = after;
        query = query.where((eb) =>
          eb(
            eb.refTuple('servers.user_id', 'servers.auto_renew_order', 'servers.expires_ms', 'servers.id'),
            '>',
            eb.tuple(userId, order, expiresMs, id),
          ),
        );
      }
      const rows = await query
        .orderBy('servers.user_id')
        .orderBy('servers.auto_renew_order')
        .orderBy('servers.expires_ms')
        .orderBy('servers.id')
        .limit(limit)
        .execute();
      return rows.map(toServer);
    },
    async listWithoutExpiry(limit) {
      return (
        await of().where('state', '=', 'active').where('expires_ms', 'is', null).orderBy('id').limit(limit).execute()
      ).map(toServer);
    },
    async listOwnersOutOfStep(limit) {
      const rows = await raw.all<{ user_id: string }>(
        `SELECT s.user_id FROM servers s JOIN users u${alongIndex(raw, 'users_traits')} ON u.id = s.user_id
           WHERE s.suspend_reason = 'ban' AND s.state IN ('active', 'queued', 'installing', 'suspended')
             AND u.status = 'active' AND ${raw.stopCondition}
         UNION SELECT u.id FROM users u${alongIndex(raw, 'users_status_created')}
           WHERE u.status <> 'active' AND ${raw.stopCondition} AND EXISTS (SELECT 1 FROM servers s
             WHERE s.user_id = u.id AND s.state IN ('active', 'queued') AND s.desired = 'running')
         ORDER BY 1 LIMIT ?`,
        [limit],
      );
      return rows.map((row) => row.user_id);
    },
  };
}

/** The servers that a user has. */
function ownPart(db: Kysely<DB>): Pick<ServersRepo, 'listByUser' | 'listIdsByUser'> {
  return {
    async listByUser(userId) {
      const rows = await db
        .selectFrom('servers')
        .selectAll()
        .where('user_id', '=', userId)
        .where('state', '<>', 'deleted')
        .orderBy('created_ms', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toServer);
    },
    async listIdsByUser(userId) {
      const rows = await db
        .selectFrom('servers')
        .select('id')
        .where('user_id', '=', userId)
        .where('state', '<>', 'deleted')
        .orderBy('id')
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

/** Servers, their queue and what is noted of them, in the database. */
export function createServersRepo(db: Kysely<DB>, raw: Raw): ServersRepo {
  return {
    ...rowsPart(db, raw),
    ...ownPart(db),
    ...listsPart(db, raw),
    ...queuePart(db, raw),
    ...noticesPart(db, raw),
    ...debtsPart(db),
    ...buildsPart(raw),
  };
}
