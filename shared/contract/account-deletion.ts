import * as z from 'zod/mini';
import { ownPasswordInput } from '../schemas/account.ts';
import { isoTime } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

/** Deleting one's account (behaviour 3.8). */
export const accountDeletion = group({
  get: {
    method: 'GET',
    path: '/api/account/deletion',
    summary: 'Get the state of your account’s deletion',
    access: 'signed-in',
    errors: [],
    response: z.object({
      /** When it begins; null: nobody asked for it. */
      due_at: z.nullable(isoTime),
      /** Names of the servers, and the credits, that are lost with it. */
      servers: z.array(z.string()),
      credits: z.int(),
      /** The installation has no other owner, so it cannot be deleted. */
      last_owner: z.boolean(),
    }),
  },
  request: {
    method: 'POST',
    path: '/api/account/deletion',
    summary: 'Delete your account',
    description: 'It can be taken back for some days.',
    body: ownPasswordInput,
    access: 'signed-in',
    errors: ['VALIDATION_FAILED', 'LAST_OWNER', 'RATE_LIMITED'],
    response: z.object({ due_at: isoTime }),
  },
  cancel: {
    method: 'DELETE',
    path: '/api/account/deletion',
    summary: 'Keep your account',
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
});
