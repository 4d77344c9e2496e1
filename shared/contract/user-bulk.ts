import * as z from 'zod/mini';
import {
  bulkAllInput,
  bulkAllMailInput,
  bulkAllRoleInput,
  bulkMailInput,
  bulkRoleInput,
  bulkUsersInput,
} from '../schemas/user-bulk.ts';
import { id, isoTime } from '../schemas/primitives.ts';
import { userListQuery } from './economy.ts';
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
  /** How many users fit a filter, to the last one. */
  countAll: {
    method: 'GET',
    path: '/api/admin/users/all/count',
    query: userListQuery,
    access: 'admin.users.edit',
    errors: ['VALIDATION_FAILED'],
    response: z.object({ count: z.int() }),
  },
  /** Has a job give a role to all who fit. One such command is under way at a time. */
  setRoleAll: {
    method: 'POST',
    path: '/api/admin/users/all/set-role',
    body: bulkAllRoleInput,
    access: 'admin.users.edit',
    idempotent: true,
    errors: ['VALIDATION_FAILED', 'CONFLICT'],
    response: z.object({ id }),
  },
  /** Has a job confirm the addresses of all who fit. */
  confirmAll: {
    method: 'POST',
    path: '/api/admin/users/all/confirm',
    body: bulkAllInput,
    access: 'admin.users.edit',
    idempotent: true,
    errors: ['VALIDATION_FAILED', 'CONFLICT'],
    response: z.object({ id }),
  },
  /** Has a job write all who fit an e-mail. */
  writeAll: {
    method: 'POST',
    path: '/api/admin/users/all/write',
    body: bulkAllMailInput,
    access: 'admin.users.edit',
    idempotent: true,
    errors: ['VALIDATION_FAILED', 'CONFLICT'],
    response: z.object({ id }),
  },
  /** The command on all who fit that was started last: how far it has come, or what it came to. */
  latestRun: {
    method: 'GET',
    path: '/api/admin/users/all/run',
    access: 'admin.users.edit',
    errors: [],
    response: z.object({
      run: z.nullable(
        z.object({
          id,
          kind: z.enum(['setRole', 'confirm', 'write']),
          state: z.enum(['running', 'done', 'cancelled', 'stopped']),
          /** Username of who started it; null for an account that is gone. */
          by: z.nullable(z.string()),
          total: z.int(),
          done: z.int(),
          refused: z.int(),
          started_at: isoTime,
          finished_at: z.nullable(isoTime),
        }),
      ),
    }),
  },
  /** Leaves alone whoever a run has not looked at yet. */
  cancelRun: {
    method: 'POST',
    path: '/api/admin/users/all/run/:id/cancel',
    params: z.object({ id }),
    access: 'admin.users.edit',
    errors: ['NOT_FOUND'],
  },
});
