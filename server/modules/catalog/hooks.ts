import type * as z from 'zod/mini';
import { fieldError } from '#shared/errors.ts';
import type { eggInput } from '#shared/schemas/egg.ts';
import type { CrudHooks } from '../crud/index.ts';
import type { Tx } from '../tx.ts';

type EggInput = z.output<typeof eggInput>;

/** An egg has to stand in a category that exists. */
async function categoryExists(tx: Tx, input: EggInput): Promise<Record<string, never>> {
  if (!(await tx.catalog.category(input.category_id))) throw fieldError('category_id', 'UNKNOWN');
  return {};
}

/** What eggs add to the generic handlers. */
export const eggHooks: CrudHooks<EggInput, EggInput> = {
  topics: ['catalog'],
  beforeCreate: categoryExists,
  beforeUpdate: categoryExists,
  async options(tx) {
    const categories = await tx.catalog.categories();
    return { category_id: categories.map(({ id, name }) => ({ value: id, label: name })) };
  },
};

/** What locations and egg categories add: they are told to whoever keeps a copy. */
export const catalogHooks: CrudHooks<never, never> = { topics: ['catalog'] };
