import * as z from 'zod/mini';
import { id, line, text, wholeNumber } from './primitives.ts';

/** The highest rank that a role can be given; nobody gives their own or a higher one (behaviour 3.10). */
export const MAX_RANK = 1000;

/** A colour as `#rrggbb`. */
const color = z.string().check(z.regex(/^#[0-9a-f]{6}$/, 'INVALID'));

/** What staff set of a role. */
const roleInput = z.strictObject({
  name: line(1, 40),
  color,
  rank: wholeNumber(0, MAX_RANK),
  /** Whoever signs up gets it, and so do the members of a role that is deleted. */
  is_default: z.boolean(),
});

/** A new role; `template`: the role whose permissions it begins with. */
export const roleCreateInput = z.extend(roleInput, { template: z.nullable(id) });

/** `updated_at` is what the editor saw. */
export const roleUpdateInput = z.extend(roleInput, { updated_at: text(0, 40) });

/** The name of a permission; whether it is one is the server's to say, which has the catalogue. */
export const permissionName = text(1, 100);

/** Most permissions in one change, far above the catalogue. */
const MANY = 500;
const permissions = z.array(permissionName).check(z.maxLength(MANY, 'TOO_LARGE'));

/** Changes of the matrix, by role; `updated_at` is what the editor saw of each. */
export const permissionsInput = z.strictObject({
  changes: z
    .array(z.strictObject({ role: id, updated_at: text(0, 40), grant: permissions, revoke: permissions }))
    .check(z.minLength(1, 'REQUIRED'), z.maxLength(100, 'TOO_LARGE')),
});
