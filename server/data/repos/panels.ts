import { sql, type Kysely, type Selectable } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { DB, Panels } from '#server/data/schema.ts';
import type {
  NodeWithPorts,
  PanelEdit,
  PanelNote,
  PanelRow,
  PanelsRepo,
  StoredCheck,
  StoredSync,
} from '#server/modules/panels/ports.ts';
import { bindingsPart } from './panel-bindings.ts';
import { offersPart } from './panel-offers.ts';
import { accountsPart } from './panel-accounts.ts';
import { PANEL_DIALECTS } from '#shared/panel-codes.ts';

const parsed = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T));
const bit = (on: boolean): 0 | 1 => (on ? 1 : 0);

const toRow = (row: Selectable<Panels>): PanelRow => ({
  id: row.id,
  name: row.name,
  dialect: PANEL_DIALECTS.find((each) => each === row.dialect) ?? 'pterodactyl',
  url: row.url,
  publicUrl: row.public_url,
  keySealed: row.key_sealed,
  clientKeySealed: row.client_key_sealed,
  enabled: row.enabled === 1,
  checked: parsed<StoredCheck>(row.checked),
  checkedMs: row.checked_ms,
  synced: parsed<StoredSync>(row.synced),
  syncedMs: row.synced_ms,
  syncAskedMs: row.sync_asked_ms,
  createdMs: row.created_ms,
  updatedMs: row.updated_ms,
});

/** Columns of an edit; only those it names. */
function editOf({ name, dialect, url, publicUrl, keySealed, clientKeySealed, enabled }: PanelEdit) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(dialect === undefined ? {} : { dialect }),
    ...(url === undefined ? {} : { url }),
    ...(publicUrl === undefined ? {} : { public_url: publicUrl }),
    ...(keySealed === undefined ? {} : { key_sealed: keySealed }),
    ...(clientKeySealed === undefined ? {} : { client_key_sealed: clientKeySealed }),
    ...(enabled === undefined ? {} : { enabled: bit(enabled) }),
  };
}
function noteOf({ dialect, checked, checkedMs, synced, syncedMs, syncAskedMs }: PanelNote) {
  return {
    ...(dialect === undefined ? {} : { dialect }),
    ...(checked === undefined ? {} : { checked: JSON.stringify(checked) }),
    ...(checkedMs === undefined ? {} : { checked_ms: checkedMs }),
    ...(synced === undefined ? {} : { synced: JSON.stringify(synced) }),
    ...(syncedMs === undefined ? {} : { synced_ms: syncedMs }),
    ...(syncAskedMs === undefined ? {} : { sync_asked_ms: syncAskedMs }),
  };
}

/** Game panels over HTTP, what they offer, and what of ours is bound to it. */
export function createPanelsRepo(db: Kysely<DB>): PanelsRepo {
  const one = (id: string) => db.selectFrom('panels').selectAll().where('id', '=', id);
  /**
   * Whether nobody else has the name or the address: asked before writing, as a refused statement would end the
   * transaction on PostgreSQL.
   */
  const isFree = async (values: { name: string; url: string }, except: string | null) =>
    (await findTaken(db, values, except)) === null;
  return {
    async list() {
      return (await db.selectFrom('panels').selectAll().orderBy('name').orderBy('id').execute()).map(toRow);
    },
    async find(id) {
      const row = await one(id).executeTakeFirst();
      return row ? toRow(row) : null;
    },
    async lock(id) {
      const row = await forUpdate(one(id)).executeTakeFirst();
      return row ? toRow(row) : null;
    },
    findTaken: (values, except) => findTaken(db, values, except),
    add: async (row) => (await isFree(row, null)) && insertRow(db, row),
    async update(id, edit, atMs) {
      const row = await one(id).executeTakeFirst();
      if (!row || !(await isFree({ name: edit.name ?? row.name, url: edit.url ?? row.url }, id))) return false;
      await db
        .updateTable('panels')
        .set({ ...editOf(edit), updated_ms: atMs })
        .where('id', '=', id)
        .execute();
      return true;
    },
    async saveNote(id, note) {
      const values = noteOf(note);
      if (Object.keys(values).length > 0) await db.updateTable('panels').set(values).where('id', '=', id).execute();
    },
    ...accountsPart(db),
    delete: (id) => deletePanel(db, id),
    countUses: () => countUses(db),
    ...offersPart(db),
    ...bindingsPart(db),
    listNodes: (panelId) => listNodes(db, panelId),
  };
}

async function insertRow(db: Kysely<DB>, row: PanelRow): Promise<boolean> {
  const stored = {
    id: row.id,
    name: row.name,
    dialect: row.dialect,
    url: row.url,
    public_url: row.publicUrl,
    key_sealed: row.keySealed,
    client_key_sealed: row.clientKeySealed,
    enabled: bit(row.enabled),
    checked: row.checked === null ? null : JSON.stringify(row.checked),
    checked_ms: row.checkedMs,
    synced: null,
    synced_ms: null,
    sync_asked_ms: null,
    created_ms: row.createdMs,
    updated_ms: row.updatedMs,
  };
  return (
    (
      await db
        .insertInto('panels')
        .values(stored)
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .execute()
    ).length > 0
  );
}

async function findTaken(
  db: Kysely<DB>,
  { name, url }: { name: string; url: string },
  except: string | null,
): Promise<'name' | 'url' | null> {
  const rows = await db
    .selectFrom('panels')
    .select(['id', 'name', 'url'])
    .where((eb) => eb.or([eb(sql`lower(name)`, '=', name.toLowerCase()), eb('url', '=', url)]))
    .execute();
  const others = rows.filter((row) => row.id !== except);
  if (others.some((row) => row.url === url)) return 'url';
  return others.length > 0 ? 'name' : null;
}

async function deletePanel(db: Kysely<DB>, id: string): Promise<void> {
  for (const table of [
    'panel_offers',
    'node_allocations',
    'capacity_reservations',
    'node_capacity',
    'egg_bindings',
    'panel_accounts',
    'panel_account_codes',
  ] as const) {
    await db.deleteFrom(table).where('panel_id', '=', id).execute();
  }
  await db.deleteFrom('panel_drift').where('panel', '=', id).execute();
  await db.deleteFrom('panels').where('id', '=', id).execute();
}

async function countUses(db: Kysely<DB>) {
  const servers = await db
    .selectFrom('servers')
    .where('panel', 'is not', null)
    .where('state', '<>', 'deleted')
    .groupBy('panel')
    .select((eb) => ['panel as id', eb.fn.countAll<number>().as('n')])
    .execute();
  const locations = await db
    .selectFrom('locations')
    .where('panel_id', 'is not', null)
    .groupBy('panel_id')
    .select((eb) => ['panel_id as id', eb.fn.countAll<number>().as('n')])
    .execute();
  const eggs = await db
    .selectFrom('egg_bindings')
    .groupBy('panel_id')
    .select((eb) => ['panel_id as id', eb.fn.countAll<number>().as('n')])
    .execute();
  const all = new Map<string, { servers: number; locations: number; eggs: number }>();
  for (const [kind, rows] of Object.entries({ servers, locations, eggs })) {
    for (const { id, n } of rows)
      if (id !== null) all.set(id, { ...(all.get(id) ?? { servers: 0, locations: 0, eggs: 0 }), [kind]: n });
  }
  return all;
}

async function listNodes(db: Kysely<DB>, panelId: string): Promise<NodeWithPorts[]> {
  const ports = await db
    .selectFrom('node_allocations')
    .where('panel_id', '=', panelId)
    .where('vanished_ms', 'is', null)
    .groupBy('node')
    .select((eb) => [
      'node',
      eb.fn.countAll<number>().as('all'),
      eb.fn.countAll<number>().filterWhere('assigned', '=', 0).filterWhere('server_id', 'is', null).as('free'),
    ])
    .execute();
  const counts = new Map(ports.map((row) => [row.node, row]));
  const rows = await db
    .selectFrom('node_capacity')
    .selectAll()
    .where('panel_id', '=', panelId)
    .orderBy('name')
    .orderBy('node')
    .execute();
  return rows.map((row) => ({
    id: row.node,
    name: row.name,
    fqdn: row.fqdn,
    location: row.location,
    tags: JSON.parse(row.tags) as string[],
    public: row.public === 1,
    maintenance: row.maintenance === 1,
    memory: row.memory,
    disk: row.disk,
    memoryOverallocate: row.memory_overallocate,
    diskOverallocate: row.disk_overallocate,
    memoryUsed: row.memory_used,
    diskUsed: row.disk_used,
    ports: counts.get(row.node)?.all ?? 0,
    portsFree: counts.get(row.node)?.free ?? 0,
    vanishedMs: row.vanished_ms,
  }));
}
