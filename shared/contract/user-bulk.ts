import * as z from 'zod/mini';
import { bulkMailInput, bulkRoleInput, bulkUsersInput } from '../schemas/user-bulk.ts';
import { id } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

/** What a command on several users came to: those it was done for, and those it was refused for, with the code. */
const outcome = z.object({ done: z.int(), refused: z.array(z.object({ id, code: z.string() })) });
export type BulkOutcome = z.infer<typeof outcome>;

/** Commands on several users at once (behaviour 8.3). Each user is looked at for themselves: others go on. */
export const adminUserBulk = group({
  /** Gives them all a role. */
  setRole: {
    method: 'POST',
    path: '/api/admin/users/set-role',
    body: bulkRoleInput,
    access: 'admin.users.edit',
    errors: ['VALIDATION_FAILED'],
    response: outcome,
  },
  /** Confirms their addresses in the place of the link in an e-mail. */
  confirm: {
    method: 'POST',
    path: '/api/admin/users/confirm',
    body: bulkUsersInput,
    access: 'admin.users.edit',
    errors: ['VALIDATION_FAILED'],
    response: outcome,
  },
  /** Writes each of them an e-mail. */
  write: {
    method: 'POST',
    path: '/api/admin/users/write',
    body: bulkMailInput,
    access: 'admin.users.edit',
    idempotent: true,
    errors: ['VALIDATION_FAILED'],
    response: outcome,
  },
});
