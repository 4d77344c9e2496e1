import { iso } from '#shared/time.ts';
import type { Clock, Ids } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { SAMPLE_CATEGORIES, SAMPLE_EGGS, SAMPLE_LOCATIONS } from './sample.ts';

interface Deps {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The catalogue: where servers run and what they can run. Staff change it through the admin areas. */
export function createCatalog({ clock, ids }: Deps) {
  /**
   * Fills an empty catalogue with some locations, categories and eggs, to try things with (`serve --local`). Out:
   * whether it did; a catalogue that holds anything is left alone.
   */
  async function seedSample(tx: Tx): Promise<boolean> {
    const counts = await tx.catalog.counts();
    if (counts.locations + counts.categories + counts.eggs > 0) return false;
    const at = iso(clock.now());
    const common = () => ({ id: ids.uuid(), created_at: at, updated_at: at });
    for (const [index, location] of SAMPLE_LOCATIONS.entries()) {
      await tx.crud.area('locations').insert({ ...location, ...common(), position: index + 1 });
    }
    for (const [index, { key, ...category }] of SAMPLE_CATEGORIES.entries()) {
      const row = common();
      await tx.crud.area('eggCategories').insert({ ...category, ...row, enabled: true, position: index + 1 });
      for (const [place, { category: _, ...egg }] of SAMPLE_EGGS.filter(
        (sample) => sample.category === key,
      ).entries()) {
        await tx.crud
          .area('eggs')
          .insert({ ...egg, ...common(), category_id: row.id, enabled: true, position: place + 1 });
      }
    }
    tx.touch('catalog');
    return true;
  }

  return { seedSample };
}
