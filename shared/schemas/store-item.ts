import * as z from 'zod/mini';
import { RESOURCE_KINDS } from '../constants.ts';
import { position } from './location.ts';
import { id, line, when, whole } from './primitives.ts';

export const storeItemInput = z.strictObject({
  /** What staff call it by; players see kind and amount. */
  name: line(1, 60),
  kind: z.enum(RESOURCE_KINDS, 'INVALID'),
  /** Amount one unit adds: MB, percent or count. */
  quantity: whole(1, 1_048_576),
  /** Credits a unit. */
  price: whole(1, 1_000_000),
  /** The most of this kind that the store sells a user up to. */
  limit_total: whole(1, 104_857_600),
  position,
  visible: z.boolean(),
  vip_only: z.boolean(),
});
export const storeItemRow = z.object({
  id,
  name: z.string(),
  kind: z.enum(RESOURCE_KINDS),
  quantity: z.int(),
  price: z.int(),
  limit_total: z.int(),
  /** Units sold and not taken back. */
  sold: z.int(),
  position: z.int(),
  visible: z.boolean(),
  vip_only: z.boolean(),
  created_at: when,
  updated_at: when,
});
