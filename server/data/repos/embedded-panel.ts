import type { ExpressionBuilder, Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { EmbeddedPanelRepo, EmbeddedServer } from '#server/modules/servers/panel/index.ts';

/** The last port there is. */
const LAST_PORT = 65_535;

/** The primary port of a server comes before its others: the one that was chosen, else the lowest. */
const primaryFirst = (
  eb: ExpressionBuilder<DB & { a: DB['embedded_allocations']; s: DB['embedded_servers'] }, 'a' | 's'>,
) => eb.case().when('a.port', '=', eb.ref('s.primary_port')).then(0).else(1).end();

const selectServers = (db: Kysely<DB>) =>
  db
    .selectFrom('embedded_servers as s')
    .innerJoin('embedded_nodes as n', 'n.id', 's.node_id')
    .selectAll('s')
    .select('n.fqdn')
    .select((eb) =>
      eb
        .selectFrom('embedded_allocations as a')
        .whereRef('a.server_id', '=', 's.id')
        .select('a.port')
        .orderBy(primaryFirst)
        .orderBy('a.port')
        .limit(1)
        .as('port'),
    );
type Row = Awaited<ReturnType<ReturnType<typeof selectServers>['execute']>>[number];

const toServer = (row: Row): EmbeddedServer => ({
  id: row.id,
  externalId: row.external_id,
  uuid: row.uuid,
  userId: row.user_id,
  nodeId: row.node_id,
  fqdn: row.fqdn,
  name: row.name,
  description: row.description,
  egg: row.egg,
  memory: row.memory,
  disk: row.disk,
  cpu: row.cpu,
  databases: row.databases,
  allocations: row.allocations,
  backups: row.backups,
  environment: row.environment,
  configFiles: row.config_files,
  container: row.container,
  suspended: row.suspended === 1,
  installMs: row.install_ms,
  installedMs: row.installed_ms,
  fails: row.fails === 1,
  recipe: row.recipe,
  revision: row.revision,
  deleting: row.deleting === 1,
  licenceMs: row.licence_ms,
  port: row.port,
});

/** Accounts and nodes of the embedded panel. */
function accountsPart(
  db: Kysely<DB>,
): Pick<EmbeddedPanelRepo, 'userByExternalId' | 'addUser' | 'userExists' | 'changeUser' | 'ensureNode'> {
  return {
    async userByExternalId(externalId) {
      return (
        (await db.selectFrom('embedded_users').select('id').where('external_id', '=', externalId).executeTakeFirst())
          ?.id ?? null
      );
    },
    async addUser(user) {
      const row = await db
        .insertInto('embedded_users')
        .values({ external_id: user.externalId, username: user.username, email: user.email, created_ms: user.atMs })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      return row?.id ?? null;
    },
    async userExists(id) {
      return (await db.selectFrom('embedded_users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
    },
    async changeUser(id, user) {
      return (
        (await db.updateTable('embedded_users').set(user).where('id', '=', id).returning('id').execute()).length > 0
      );
    },
    async ensureNode(node) {
      // A location has one node. Writing its row lines up those who look for a free port of it, also those who come
      // first together.
      const made = await db
        .insertInto('embedded_nodes')
        .values({
          location_id: node.locationId,
          name: node.name,
          fqdn: node.fqdn,
          memory: node.memory,
          disk: node.disk,
          maintenance: 0,
          created_ms: node.atMs,
        })
        .onConflict((conflict) => conflict.column('location_id').doUpdateSet({ name: node.name, fqdn: node.fqdn }))
        .returning('id')
        .executeTakeFirstOrThrow();
      return made.id;
    },
  };
}

/** Ports of the embedded panel's nodes. */
function portsPart(db: Kysely<DB>): Pick<EmbeddedPanelRepo, 'ports' | 'takePort' | 'takeMachinePort' | 'freePort'> {
  return {
    async ports(serverId) {
      const rows = await db
        .selectFrom('embedded_allocations as a')
        .innerJoin('embedded_servers as s', 's.id', 'a.server_id')
        .select('a.port')
        .where('a.server_id', '=', serverId)
        .orderBy(primaryFirst)
        .orderBy('a.port')
        .execute();
      return rows.map((row) => row.port);
    },
    async takePort(nodeId, serverId, first) {
      const free = await db
        .selectFrom('embedded_allocations')
        .select(['id', 'port'])
        .where('node_id', '=', nodeId)
        .where('server_id', 'is', null)
        .where('port', '>=', first)
        .orderBy('port')
        .limit(1)
        .executeTakeFirst();
      if (free) {
        await db.updateTable('embedded_allocations').set({ server_id: serverId }).where('id', '=', free.id).execute();
        return free.port;
      }
      const top = await db
        .selectFrom('embedded_allocations')
        .select((eb) => eb.fn.max('port').as('port'))
        .where('node_id', '=', nodeId)
        .executeTakeFirst();
      const port = Math.max(first, (top?.port ?? 0) + 1);
      if (port > LAST_PORT) return null;
      await db.insertInto('embedded_allocations').values({ node_id: nodeId, port, server_id: serverId }).execute();
      return port;
    },
    async takeMachinePort(nodeId, serverId, { first, last }) {
      // Servers of all nodes run on one machine: writing the nodes' rows lines up those who look for a port of it.
      await db
        .updateTable('embedded_nodes')
        .set((eb) => ({ name: eb.ref('name') }))
        .execute();
      const used = await db
        .selectFrom('embedded_allocations as a')
        .leftJoin('embedded_servers as s', 's.id', 'a.server_id')
        .select('a.port')
        .where('a.server_id', 'is not', null)
        .where((eb) => eb.or([eb('a.node_id', '=', nodeId), eb('s.recipe', 'is not', null)]))
        .where('a.port', '>=', first)
        .where('a.port', '<=', last)
        .execute();
      const taken = new Set(used.map((row) => row.port));
      let port = first;
      while (taken.has(port)) port += 1;
      if (port > last) return null;
      await db
        .insertInto('embedded_allocations')
        .values({ node_id: nodeId, port, server_id: serverId })
        .onConflict((conflict) => conflict.columns(['node_id', 'port']).doUpdateSet({ server_id: serverId }))
        .execute();
      return port;
    },
    async freePort(nodeId, port) {
      await db
        .updateTable('embedded_allocations')
        .set({ server_id: null })
        .where('node_id', '=', nodeId)
        .where('port', '=', port)
        .execute();
    },
  };
}

/** The embedded panel's own tables. Only its adapter uses them (server/panel/embedded). */
export function createPanelRepo(db: Kysely<DB>): EmbeddedPanelRepo {
  return {
    ...accountsPart(db),
    ...portsPart(db),
    async addServer(server) {
      const row = await db
        .insertInto('embedded_servers')
        .values({
          external_id: server.externalId,
          uuid: server.uuid,
          user_id: server.userId,
          node_id: server.nodeId,
          name: server.name,
          description: server.description,
          egg: server.egg,
          memory: server.memory,
          disk: server.disk,
          cpu: server.cpu,
          databases: server.databases,
          allocations: server.allocations,
          backups: server.backups,
          environment: server.environment,
          config_files: server.configFiles,
          container: server.container,
          suspended: 0,
          install_ms: server.installMs,
          installed_ms: server.installedMs,
          fails: server.fails ? 1 : 0,
          recipe: server.recipe,
          created_ms: server.installMs,
          updated_ms: server.installMs,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      return row?.id ?? null;
    },
    async server(id) {
      const row = await selectServers(db).where('s.id', '=', id).executeTakeFirst();
      return row ? toServer(row) : null;
    },
    async serverByExternalId(externalId) {
      const row = await selectServers(db).where('s.external_id', '=', externalId).executeTakeFirst();
      return row ? toServer(row) : null;
    },
    async servers(offset, limit) {
      return (await selectServers(db).orderBy('s.id').offset(offset).limit(limit).execute()).map(toServer);
    },
    async installScript(id) {
      const row = await db.selectFrom('install_scripts').select('script').where('id', '=', id).executeTakeFirst();
      return row?.script ?? null;
    },
    async onMachine() {
      return (await selectServers(db).where('s.recipe', 'is not', null).execute()).map(toServer);
    },
    async newest(limit) {
      return (await selectServers(db).orderBy('s.id', 'desc').limit(limit).execute()).map(toServer);
    },
    async change(id, change, atMs) {
      const {
        suspended,
        deleting,
        externalId,
        userId,
        installMs,
        installedMs,
        licenceMs,
        configFiles,
        primaryPort,
        ...rest
      } = change;
      await db
        .updateTable('embedded_servers')
        .set((eb) => ({
          ...rest,
          ...(suspended === undefined ? {} : { suspended: suspended ? 1 : 0 }),
          ...(deleting === undefined ? {} : { deleting: deleting ? 1 : 0 }),
          ...(externalId === undefined ? {} : { external_id: externalId }),
          ...(userId === undefined ? {} : { user_id: userId }),
          ...(installMs === undefined ? {} : { install_ms: installMs }),
          ...(installedMs === undefined ? {} : { installed_ms: installedMs }),
          ...(licenceMs === undefined ? {} : { licence_ms: licenceMs }),
          ...(configFiles === undefined ? {} : { config_files: configFiles }),
          ...(primaryPort === undefined ? {} : { primary_port: primaryPort }),
          revision: eb('revision', '+', 1),
          updated_ms: atMs,
        }))
        .where('id', '=', id)
        .execute();
    },
    async remove(id) {
      const removed = await db.deleteFrom('embedded_servers').where('id', '=', id).returning('id').execute();
      await db.updateTable('embedded_allocations').set({ server_id: null }).where('server_id', '=', id).execute();
      return removed.length > 0;
    },
  };
}
