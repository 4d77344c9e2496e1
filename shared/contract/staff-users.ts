import * as z from 'zod/mini';
import { id, isoTime } from '../schemas/primitives.ts';
import { USER_STATES } from '../schemas/people.ts';
import { banChangeInput, deletionInput, newUserInput, noteInput, userRoleInput } from '../schemas/staff-user.ts';
import { group } from './endpoint.ts';

const one = z.object({ id });

/** Why the caller may not delete an account: it is deleted, their own, not below their rank, or the last owner's. */
const DELETION_REFUSALS = ['deleted', 'own', 'rank', 'lastOwner'] as const;

/** Accounts of users for staff (behaviour 3.9, 8.3): bans, role, sessions, notes, deletion. */
export const adminAccounts = group({
  create: {
    method: 'POST',
    path: '/api/admin/users',
    summary: 'Create a user',
    description:
      'For bots and shops: with the role and the limits of everybody who registers. Without a `password` the user sets one by the link of a forgotten one. The address is not confirmed: the user confirms it, or you do.',
    body: newUserInput,
    access: 'admin.users.edit',
    limit: 'create',
    idempotent: true,
    errors: ['VALIDATION_FAILED'],
    response: z.object({ id }),
  },
  ban: {
    method: 'POST',
    path: '/api/admin/users/:id/ban',
    summary: 'Ban a user',
    description: 'Or change the terms of a ban: without days its end stays as it is. It holds at once everywhere.',
    params: one,
    body: banChangeInput,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'LAST_OWNER', 'BAN_INCOMPLETE', 'VALIDATION_FAILED'],
  },
  unban: {
    method: 'POST',
    path: '/api/admin/users/:id/unban',
    summary: 'Unban a user',
    params: one,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN'],
  },
  verify: {
    method: 'POST',
    path: '/api/admin/users/:id/verify',
    summary: 'Confirm a user’s e-mail address',
    description: 'In place of the link in an e-mail.',
    params: one,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'ALREADY_VERIFIED'],
  },
  setRole: {
    method: 'POST',
    path: '/api/admin/users/:id/role',
    summary: 'Give a user a role',
    description: 'Live sessions have it at their next request.',
    params: one,
    body: userRoleInput,
    access: 'admin.users.edit',
    errors: [
      'NOT_FOUND',
      'CONFLICT',
      'FORBIDDEN',
      'ROLE_TOO_HIGH',
      'PERMISSION_NOT_HELD',
      'LAST_OWNER',
      'VALIDATION_FAILED',
    ],
  },
  sessions: {
    method: 'GET',
    path: '/api/admin/users/:id/sessions',
    summary: 'List a user’s sessions',
    params: one,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND'],
    response: z.object({
      sessions: z.array(
        z.object({
          id,
          device: z.string(),
          address: z.string(),
          created_at: isoTime,
          seen_at: isoTime,
          /** When it passed the second factor. */
          factor_at: z.nullable(isoTime),
        }),
      ),
    }),
  },
  endSessions: {
    method: 'POST',
    path: '/api/admin/users/:id/sessions/end',
    summary: 'End a user’s sessions',
    description: 'One or all.',
    params: one,
    body: z.strictObject({ session: z.nullable(id) }),
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'VALIDATION_FAILED'],
    response: z.object({ ended: z.int() }),
  },
  notes: {
    method: 'GET',
    path: '/api/admin/users/:id/notes',
    summary: 'List the notes on a user',
    description: 'Newest first.',
    params: one,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND'],
    response: z.object({
      notes: z.array(
        z.object({
          id,
          /** Who wrote it; null where that account is gone. */
          author: z.nullable(z.string()),
          text: z.string(),
          at: isoTime,
          /** The caller may delete it. */
          mine: z.boolean(),
        }),
      ),
    }),
  },
  addNote: {
    method: 'POST',
    path: '/api/admin/users/:id/notes',
    summary: 'Add a note on a user',
    params: one,
    body: noteInput,
    access: 'admin.users.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION_FAILED'],
    response: z.object({ id }),
  },
  deleteNote: {
    method: 'DELETE',
    path: '/api/admin/users/:id/notes/:note',
    summary: 'Delete a note on a user',
    params: z.object({ id, note: id }),
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN'],
  },
  dependants: {
    method: 'GET',
    path: '/api/admin/users/:id/dependants',
    summary: 'Get what hangs on an account',
    params: one,
    access: 'admin.users.delete',
    errors: ['NOT_FOUND'],
    response: z.object({
      id,
      username: z.string(),
      email: z.string(),
      status: z.enum(USER_STATES),
      created_at: isoTime,
      servers: z.array(z.object({ id, name: z.string() })),
      credits: z.int(),
      /** Credits that holds keep. */
      reserved: z.int(),
      debt: z.int(),
      /** How many of each there are. */
      counts: z.object({
        payments: z.int(),
        purchases: z.int(),
        identities: z.int(),
        passkeys: z.int(),
        tokens: z.int(),
        sessions: z.int(),
      }),
      /** Records that must stay name it, so its row stays, under another name. */
      has_records: z.boolean(),
      /** When its own user has it deleted. */
      due_at: z.nullable(isoTime),
      refusal: z.nullable(z.enum(DELETION_REFUSALS)),
    }),
  },
  remove: {
    method: 'DELETE',
    path: '/api/admin/users/:id',
    summary: 'Delete an account',
    description: 'At once. Its servers and everything personal are removed soon after.',
    params: one,
    body: deletionInput,
    access: 'admin.users.delete',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'NAME_MISMATCH', 'LAST_OWNER', 'VALIDATION_FAILED'],
  },
});

/** Staff view as a user (behaviour 8.3): their session shows what the user sees, for half an hour, and changes nothing. */
export const adminViewing = group({
  start: {
    method: 'POST',
    path: '/api/admin/users/:id/view-as',
    summary: 'View as a user',
    description: 'The user is notified. Only users below your rank.',
    params: one,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  },
});

/** The way back from viewing as a user, open to whoever views. */
export const viewing = group({
  end: {
    method: 'POST',
    path: '/api/view-as/end',
    summary: 'Stop viewing as a user',
    access: 'signed-in',
    errors: [],
    response: z.object({
      /** The user who was viewed as; null where nobody was (any more). */
      user_id: z.nullable(id),
    }),
  },
});

const pin = z.object({ pin: z.string(), expires_at: isoTime });

/** The PIN by which support finds one's account (behaviour 8.3). */
export const supportPin = group({
  get: {
    method: 'GET',
    path: '/api/account/support-pin',
    summary: 'Get your support PIN',
    access: 'signed-in',
    errors: [],
    response: z.object({ support_pin: z.nullable(pin) }),
  },
  renew: {
    method: 'POST',
    path: '/api/account/support-pin',
    summary: 'Renew your support PIN',
    description: 'The one before it no longer works.',
    access: 'signed-in',
    errors: [],
    response: z.object({ support_pin: pin }),
  },
});
