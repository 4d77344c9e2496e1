import * as z from 'zod/mini';
import { REASON_CODES, SHARED_KINDS } from '../abuse.ts';
import { PAST_CURSOR } from '../past-cursor.ts';
import { profileInput } from '../schemas/profile.ts';
import { USER_STATES } from '../schemas/people.ts';
import { id, isoTime } from '../schemas/primitives.ts';
import { limitsInput, staffEmailInput, usernameInput } from '../schemas/staff-user.ts';
import { group } from './endpoint.ts';

const one = z.object({ id });
const reasons = z.array(z.object({ code: z.enum(REASON_CODES), weight: z.int(), count: z.nullable(z.int()) }));
const compared = z.object({
  id: z.string(),
  username: z.string(),
  email: z.string(),
  status: z.enum(USER_STATES),
  role: z.string(),
  created_at: isoTime,
  seen_at: z.nullable(isoTime),
  score: z.int(),
  reasons,
});
const evenLast = z.object({ last: z.optional(z.literal('true')) });
/** `last`: the user cannot log in without it. */
const linked = z.object({
  id: z.string(),
  provider: z.string(),
  name: z.string(),
  linked_at: isoTime,
  last: z.boolean(),
});
const passkey = z.object({
  id: z.string(),
  name: z.string(),
  created_at: isoTime,
  used_at: z.nullable(isoTime),
  synced: z.boolean(),
  copied: z.boolean(),
  last: z.boolean(),
});
const token = z.object({
  id: z.string(),
  name: z.string(),
  tail: z.string(),
  scopes: z.array(z.string()),
  created_at: isoTime,
  expires_at: z.nullable(isoTime),
  used_at: z.nullable(isoTime),
  used_address: z.nullable(z.string()),
});

/** What staff see of a user beside credits (behaviour 8.3): profile, limits, signals, ways in, activity. */
export const adminUserDetails = group({
  signals: {
    method: 'GET',
    path: '/api/admin/users/:id/signals',
    summary: 'Get a user’s signals',
    description: 'The score, what adds up to it, and the rewards on hold.',
    params: one,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND'],
    response: z.object({
      score: z.int(),
      /** From which score rewards wait; 0: never. */
      threshold: z.int(),
      reasons,
      /** Rewards that wait: how many, and their credits. */
      held: z.object({ count: z.int(), credits: z.int() }),
      /** Accounts that have most in common with this one; `since` when both had it. */
      others: z.array(
        z.object({ id: z.string(), username: z.string(), kinds: z.array(z.enum(SHARED_KINDS)), since: isoTime }),
      ),
    }),
  },
  compare: {
    method: 'GET',
    path: '/api/admin/users/:id/signals/:other',
    summary: 'Compare two users’ signals',
    description: 'Both accounts, and what they have in common.',
    params: z.object({ id, other: id }),
    access: 'admin.users.edit',
    errors: ['NOT_FOUND'],
    response: z.object({
      accounts: z.array(compared),
      /** How many signals of a kind, and from when to when both had one. */
      shared: z.array(z.object({ kind: z.enum(SHARED_KINDS), count: z.int(), since: isoTime, last: isoTime })),
    }),
  },
  ways: {
    method: 'GET',
    path: '/api/admin/users/:id/ways-in',
    summary: 'Get a user’s ways to log in',
    params: one,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND'],
    response: z.object({
      /** Whether the account has a password; who signs in elsewhere may have none. */
      password: z.boolean(),
      /** When the second factor was turned on; null: it is off. */
      factor_at: z.nullable(isoTime),
      /** Recovery codes that were not used. */
      recovery_codes: z.int(),
      linked: z.array(linked),
      passkeys: z.array(passkey),
      tokens: z.array(token),
    }),
  },
  updateProfile: {
    method: 'PATCH',
    path: '/api/admin/users/:id/profile',
    summary: 'Change a user’s profile',
    description: 'Name and language.',
    params: one,
    body: profileInput,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  },
  setEmail: {
    method: 'POST',
    path: '/api/admin/users/:id/email',
    summary: 'Change a user’s e-mail address',
    description: 'The old address gets a link to undo it.',
    params: one,
    body: staffEmailInput,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'TRUST_REQUIRED', 'VALIDATION_FAILED'],
  },
  setLimits: {
    method: 'POST',
    path: '/api/admin/users/:id/limits',
    summary: 'Change a user’s limits',
    description: 'Refused with CONFLICT if they are no longer what you saw.',
    params: one,
    body: limitsInput,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  },
  setUsername: {
    method: 'POST',
    path: '/api/admin/users/:id/username',
    summary: 'Change a username',
    params: one,
    body: usernameInput,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'TRUST_REQUIRED', 'VALIDATION_FAILED'],
  },
  removePasskey: {
    method: 'DELETE',
    path: '/api/admin/users/:id/passkeys/:passkey',
    summary: 'Remove a user’s passkey',
    description: '`last`: even where it is the last way in.',
    params: z.object({ id, passkey: id }),
    query: evenLast,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'TRUST_REQUIRED', 'LAST_WAY_IN'],
  },
  unlink: {
    method: 'DELETE',
    path: '/api/admin/users/:id/linked/:link',
    summary: 'Unlink a user’s account',
    description: '`last`: even where it is the last way in.',
    params: z.object({ id, link: id }),
    query: evenLast,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'TRUST_REQUIRED', 'LAST_WAY_IN'],
  },
  disableTwoFactor: {
    method: 'DELETE',
    path: '/api/admin/users/:id/two-factor',
    summary: 'Turn a user’s two-factor authentication off',
    params: one,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'TRUST_REQUIRED', 'TWO_FACTOR_OFF'],
  },
  revokeToken: {
    method: 'DELETE',
    path: '/api/admin/users/:id/tokens/:token',
    summary: 'Revoke a user’s API token',
    params: z.object({ id, token: id }),
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN'],
  },
  activity: {
    method: 'GET',
    path: '/api/admin/users/:id/activity',
    summary: 'List a user’s activity',
    description: 'Newest first.',
    params: one,
    query: z.object({ before: z.optional(z.string().check(z.regex(PAST_CURSOR, 'INVALID'))) }),
    access: 'admin.users.edit',
    errors: ['NOT_FOUND'],
    response: z.object({
      rows: z.array(
        z.object({
          id: z.string(),
          at: isoTime,
          /** Of the audit log. */
          action: z.string(),
          /** Who did it; null: the system, the command line, or an account that is gone. */
          by: z.nullable(z.string()),
          own: z.boolean(),
          /** What it was done to, by name where it has one. */
          target: z.nullable(z.string()),
          address: z.nullable(z.string()),
          device: z.nullable(z.string()),
        }),
      ),
      /** Where the next page begins. */
      older: z.nullable(z.string()),
    }),
  },
});
