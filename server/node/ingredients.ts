import * as z from 'zod/mini';

/**
 * Ingredients that a server is run with (`/opt/spawnpoint/<ingredient>` in its sandbox), and the entries of the cache
 * that they are.
 */
export const ingredientsSchema = z.partialRecord(
  z.enum(['game', 'base', 'java']),
  z.string().check(z.regex(/^[a-z0-9][A-Za-z0-9._+-]{0,119}$/)),
);
export type Ingredients = z.infer<typeof ingredientsSchema>;
