import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { PanelsRepo } from '#server/modules/panels/ports.ts';

/** What of ours is bound to panels. */
export function bindingsPart(
  db: Kysely<DB>,
): Pick<
  PanelsRepo,
  'listBindings' | 'isBound' | 'bind' | 'unbind' | 'unbindEgg' | 'listBoundLocations' | 'listPlaces'
> {
  return {
    async listBindings(panelId) {
      const rows = await db
        .selectFrom('egg_bindings')
        .where('panel_id', '=', panelId)
        .select((eb) => [
          'egg_id',
          'panel_egg',
          eb
            .selectFrom('egg_bindings as other')
            .whereRef('other.egg_id', '=', 'egg_bindings.egg_id')
            .where('other.panel_id', '<>', panelId)
            .select((inner) => inner.fn.countAll<number>().as('n'))
            .as('others'),
        ])
        .orderBy('egg_id')
        .execute();
      return rows.map((row) => ({ eggId: row.egg_id, panelEgg: row.panel_egg, elsewhere: (row.others ?? 0) > 0 }));
    },
    async isBound(eggId) {
      return (
        (await db.selectFrom('egg_bindings').select('panel_id').where('egg_id', '=', eggId).limit(1).execute()).length >
        0
      );
    },
    async bind(eggId, panelId, panelEgg, nowMs) {
      await db
        .insertInto('egg_bindings')
        .values({ egg_id: eggId, panel_id: panelId, panel_egg: panelEgg, created_ms: nowMs })
        .onConflict((conflict) => conflict.columns(['egg_id', 'panel_id']).doUpdateSet({ panel_egg: panelEgg }))
        .execute();
    },
    async unbind(eggId, panelId) {
      await db.deleteFrom('egg_bindings').where('egg_id', '=', eggId).where('panel_id', '=', panelId).execute();
    },
    async unbindEgg(eggId) {
      await db.deleteFrom('egg_bindings').where('egg_id', '=', eggId).execute();
    },
    async listBoundLocations(panelId) {
      const rows = await db
        .selectFrom('locations')
        .select(['id', 'name', 'online', 'panel_location'])
        .where('panel_id', '=', panelId)
        .orderBy('position')
        .orderBy('id')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        online: row.online === 1,
        panelLocation: row.panel_location ?? '',
      }));
    },
    async listPlaces() {
      const rows = await db
        .selectFrom('panel_offers')
        .innerJoin('panels', 'panels.id', 'panel_offers.panel_id')
        .where('panel_offers.kind', '=', 'location')
        .where('panel_offers.vanished_ms', 'is', null)
        .select([
          'panels.id as panelId',
          'panels.name as panel',
          'panel_offers.ref as ref',
          'panel_offers.name as name',
        ])
        .orderBy('panels.name')
        .orderBy('panel_offers.name')
        .orderBy('panel_offers.ref')
        .execute();
      return rows;
    },
  };
}
