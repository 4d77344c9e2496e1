import * as z from 'zod/mini';
import { position } from './location.ts';
import { id, line, lines, when } from './primitives.ts';

export const eggCategoryInput = z.strictObject({
  name: line(1, 60),
  description: lines(0, 255),
  enabled: z.boolean(),
  position,
});
export const eggCategoryRow = z.object({
  id,
  name: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  position: z.int(),
  /** Eggs in it. */
  eggs: z.int(),
  created_at: when,
  updated_at: when,
});
