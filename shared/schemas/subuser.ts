import * as z from 'zod/mini';
import { SUBUSER_RIGHTS } from '../subusers.ts';
import { username } from './account.ts';
import { eggValues } from './server.ts';

/** At least one right; those that they need come with them. */
const rights = z
  .array(z.enum(SUBUSER_RIGHTS))
  .check(z.minLength(1, 'REQUIRED'), z.maxLength(SUBUSER_RIGHTS.length, 'TOO_LARGE'));

/** Who is to work on a server, by username, and what they may do there. */
export const subuserInput = z.strictObject({ username, rights });
/** What a sub-user may do. */
export const subuserRightsInput = z.strictObject({ rights });
/** Values of the egg's variables; those that are left out stay as they are. */
export const startupInput = z.strictObject({ variables: eggValues });
