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
  setRole: {
    method: 'POST',
    path: '/api/admin/users/set-role',
    summary: 'Give several users a role',
    body: bulkRoleInput,
    access: 'admin.users.edit',
    errors: ['VALIDATION_FAILED'],
    response: outcome,
  },
  confirm: {
    method: 'POST',
    path: '/api/admin/users/confirm',
    summary: 'Confirm several e-mail addresses',
    description: 'In place of the link in an e-mail.',
    body: bulkUsersInput,
    access: 'admin.users.edit',
    errors: ['VALIDATION_FAILED'],
    response: outcome,
  },
  write: {
    method: 'POST',
    path: '/api/admin/users/write',
    summary: 'Write an e-mail to several users',
    body: bulkMailInput,
    access: 'admin.users.edit',
    idempotent: true,
    errors: ['VALIDATION_FAILED'],
    response: outcome,
  },
  countAll: {
    method: 'GET',
    path: '/api/admin/users/all/count',
    summary: 'Count the users a filter matches',
    query: userListQuery,
    access: 'admin.users.edit',
    errors: ['VALIDATION_FAILED'],
    response: z.object({ count: z.int() }),
  },
  setRoleAll: {
    method: 'POST',
    path: '/api/admin/users/all/set-role',
    summary: 'Give all matching users a role',
    description: 'By a job. Only one runs at a time.',
    body: bulkAllRoleInput,
    access: 'admin.users.edit',
    idempotent: true,
    errors: ['VALIDATION_FAILED', 'CONFLICT'],
    response: z.object({ id }),
  },
  confirmAll: {
    method: 'POST',
    path: '/api/admin/users/all/confirm',
    summary: 'Confirm the addresses of all matching users',
    description: 'By a job.',
    body: bulkAllInput,
    access: 'admin.users.edit',
    idempotent: true,
    errors: ['VALIDATION_FAILED', 'CONFLICT'],
    response: z.object({ id }),
  },
  writeAll: {
    method: 'POST',
    path: '/api/admin/users/all/write',
    summary: 'Write an e-mail to all matching users',
    description: 'By a job.',
    body: bulkAllMailInput,
    access: 'admin.users.edit',
    idempotent: true,
    errors: ['VALIDATION_FAILED', 'CONFLICT'],
    response: z.object({ id }),
  },
  latestRun: {
    method: 'GET',
    path: '/api/admin/users/all/run',
    summary: 'Get the latest run over all users',
    description: 'How far it has come, or what it came to.',
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
  cancelRun: {
    method: 'POST',
    path: '/api/admin/users/all/run/:id/cancel',
    summary: 'Cancel a run over all users',
    description: 'Whom it has not reached stays as they are.',
    params: z.object({ id }),
    access: 'admin.users.edit',
    errors: ['NOT_FOUND'],
  },
});
