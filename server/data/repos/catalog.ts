import type { Kysely, Selectable } from 'kysely';
import { forUpdate } from '#server/data/dialect.ts';
import type { Raw } from '#server/data/raw.ts';
import { findRow } from '#server/data/row.ts';
import type { DB } from '#server/data/schema.ts';
import type { CatalogRepo, Egg, EggCategory, Location } from '#server/modules/catalog/ports.ts';
import type { ConfigFile } from '#shared/config-files.ts';
import type { EggContainer } from '#shared/engine.ts';
import { BLOCK_SHAPES, type EggVariable } from '#shared/schemas/egg.ts';

export const toLocation = (row: Selectable<DB['locations']>): Location => ({
  id: row.id,
  name: row.name,
  description: row.description,
  code: row.code,
  address: row.address,
  slots: row.slots,
  online: row.online === 1,
  vipOnly: row.vip_only === 1,
  position: row.position,
  panel: row.panel_id,
  panelLocation: row.panel_location,
  placement: row.placement === 'pack' ? 'pack' : 'spread',
});
const toCategory = (row: Selectable<DB['egg_categories']>): EggCategory => ({
  id: row.id,
  name: row.name,
  description: row.description,
  picture: row.picture,
  enabled: row.enabled === 1,
  position: row.position,
});
export const toEgg = (row: Selectable<DB['eggs']>): Egg => ({
  id: row.id,
  categoryId: row.category_id,
  name: row.name,
  description: row.description,
  dockerImage: row.docker_image,
  startup: row.startup,
  shape: BLOCK_SHAPES.find((shape) => shape === row.shape) ?? 'cube',
  hue: row.hue,
  picture: row.picture,
  minMemory: row.min_memory,
  minDisk: row.min_disk,
  minCpu: row.min_cpu,
  enabled: row.enabled === 1,
  vipOnly: row.vip_only === 1,
  position: row.position,
  variables: JSON.parse(row.variables) as EggVariable[],
  configFiles: JSON.parse(row.config_files) as ConfigFile[],
  container: JSON.parse(row.container) as EggContainer | null,
});

/**
 * The catalogue as the other modules read it; by the kept texts what every view of a server asks for. It is written
 * through the admin areas (server/data/crud.ts).
 */
export function createCatalogRepo(db: Kysely<DB>, raw: Raw): CatalogRepo {
  const located = (id: string) => db.selectFrom('locations').selectAll().where('id', '=', id);
  const holding = () => db.selectFrom('servers').where('state', 'not in', ['deleted', 'failed']);
  const count = async (table: 'locations' | 'egg_categories' | 'eggs') =>
    (
      await db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow()
    ).n;
  return {
    async location(id) {
      const row = await findRow(raw, 'locations', { id });
      return row ? toLocation(row) : null;
    },
    async lockLocation(id) {
      const row = await forUpdate(located(id)).executeTakeFirst();
      return row ? toLocation(row) : null;
    },
    async category(id) {
      const row = await db.selectFrom('egg_categories').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toCategory(row) : null;
    },
    async egg(id) {
      const row = await findRow(raw, 'eggs', { id });
      return row ? toEgg(row) : null;
    },
    async locations() {
      return (
        await db.selectFrom('locations').selectAll().orderBy('position').orderBy('name').orderBy('id').execute()
      ).map(toLocation);
    },
    async categories() {
      return (
        await db.selectFrom('egg_categories').selectAll().orderBy('position').orderBy('name').orderBy('id').execute()
      ).map(toCategory);
    },
    async eggs() {
      return (await db.selectFrom('eggs').selectAll().orderBy('position').orderBy('name').orderBy('id').execute()).map(
        toEgg,
      );
    },
    async locationUse(locationId) {
      const row = await holding()
        .where('location_id', '=', locationId)
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return row.n;
    },
    async locationUses() {
      const rows = await holding()
        .groupBy('location_id')
        .select((eb) => ['location_id', eb.fn.countAll<number>().as('n')])
        .execute();
      return new Map(rows.map((row) => [row.location_id, row.n]));
    },
    async counts() {
      return {
        locations: await count('locations'),
        categories: await count('egg_categories'),
        eggs: await count('eggs'),
      };
    },
    async keepInstallScript(id, script) {
      await db
        .insertInto('install_scripts')
        .values({ id, script })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
  };
}
