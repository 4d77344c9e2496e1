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
  /** The score of a user, what adds up to it, and the rewards that wait. */
  signals: {
    method: 'GET',
    path: '/api/admin/users/:id/signals',
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
  /** The user and another one side by side: both accounts, and what they have in common. */
  compare: {
    method: 'GET',
    path: '/api/admin/users/:id/signals/:other',
    params: z.object({ id, other: id }),
    access: 'admin.users.edit',
    errors: ['NOT_FOUND'],
    response: z.object({
      accounts: z.array(compared),
      /** How many signals of a kind, and from when to when both had one. */
      shared: z.array(z.object({ kind: z.enum(SHARED_KINDS), count: z.int(), since: isoTime, last: isoTime })),
    }),
  },
  /** Ways into the account. */
  ways: {
    method: 'GET',
    path: '/api/admin/users/:id/ways-in',
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
  /** Updates name and language. */
  updateProfile: {
    method: 'PATCH',
    path: '/api/admin/users/:id/profile',
    params: one,
    body: profileInput,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  },
  /** Sets another address; the old one gets a link to undo it. */
  setEmail: {
    method: 'POST',
    path: '/api/admin/users/:id/email',
    params: one,
    body: staffEmailInput,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'TRUST_REQUIRED', 'VALIDATION_FAILED'],
  },
  /** Sets the limits, unless they are others than the caller saw. */
  setLimits: {
    method: 'POST',
    path: '/api/admin/users/:id/limits',
    params: one,
    body: limitsInput,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  },
  /** Gives the user another username. */
  setUsername: {
    method: 'POST',
    path: '/api/admin/users/:id/username',
    params: one,
    body: usernameInput,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'TRUST_REQUIRED', 'VALIDATION_FAILED'],
  },
  /** Removes a passkey of the user; `last`: even where it is the last way in. */
  removePasskey: {
    method: 'DELETE',
    path: '/api/admin/users/:id/passkeys/:passkey',
    params: z.object({ id, passkey: id }),
    query: evenLast,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'TRUST_REQUIRED', 'LAST_WAY_IN'],
  },
  /** Ends the link to an account elsewhere; `last`: even where it is the last way in. */
  unlink: {
    method: 'DELETE',
    path: '/api/admin/users/:id/linked/:link',
    params: z.object({ id, link: id }),
    query: evenLast,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'TRUST_REQUIRED', 'LAST_WAY_IN'],
  },
  /** Turns the second factor of the user off. */
  disableTwoFactor: {
    method: 'DELETE',
    path: '/api/admin/users/:id/two-factor',
    params: one,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'TRUST_REQUIRED', 'TWO_FACTOR_OFF'],
  },
  /** Ends an API token of the user. */
  revokeToken: {
    method: 'DELETE',
    path: '/api/admin/users/:id/tokens/:token',
    params: z.object({ id, token: id }),
    access: 'admin.users.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN'],
  },
  /** What the user did and what was done to the account, the newest first. */
  activity: {
    method: 'GET',
    path: '/api/admin/users/:id/activity',
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
          address: z.nullable(z.string()),
          device: z.nullable(z.string()),
        }),
      ),
      /** Where the next page begins. */
      older: z.nullable(z.string()),
    }),
  },
});
