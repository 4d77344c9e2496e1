import * as z from 'zod/mini';
import { linkInput } from '../schemas/linked.ts';
import { amount, id, isoTime } from '../schemas/primitives.ts';
import { ssoReturnInput, ssoStartInput } from '../schemas/sso.ts';
import { group } from './endpoint.ts';

/** A link of the caller. `relink`: the provider does not let us ask any more. */
const identity = z.nullable(z.object({ id: z.string(), name: z.string(), linked_at: isoTime, relink: z.boolean() }));

/** Accounts at other providers that users link (behaviour 3.6). */
export const linked = group({
  get: {
    method: 'GET',
    path: '/api/account/linked',
    access: 'signed-in',
    errors: [],
    response: z.object({
      discord: z.object({
        /** The host has set Discord up. */
        available: z.boolean(),
        identity,
        /** Whether another way to log in remains without it. */
        can_unlink: z.boolean(),
      }),
      /** Services that can be signed in with, and links to such that are gone (`provider` null). */
      others: z.array(
        z.object({
          provider: z.nullable(z.string()),
          name: z.string(),
          icon: z.string(),
          identity,
          can_unlink: z.boolean(),
        }),
      ),
    }),
  },
  /** Starts a link: the address of Discord's consent page. */
  startDiscord: {
    method: 'POST',
    path: '/api/account/linked/discord/start',
    access: 'signed-in',
    verified: true,
    limit: 'create',
    errors: ['FEATURE_DISABLED', 'ACCOUNT_UNVERIFIED'],
    response: z.object({ url: z.string() }),
  },
  /** Completes a link with the parameters of Discord's redirect. */
  finishDiscord: {
    method: 'POST',
    path: '/api/account/linked/discord',
    body: linkInput,
    access: 'signed-in',
    verified: true,
    limit: 'create',
    errors: [
      'ACCOUNT_UNVERIFIED',
      'LINK_STATE_INVALID',
      'LINK_REFUSED',
      'IDENTITY_TAKEN',
      'ALREADY_LINKED',
      'PROVIDER_UNAVAILABLE',
    ],
    response: z.object({ name: z.string() }),
  },
  /** Begins a link to a service that can be signed in with: the address of its consent page. */
  start: {
    method: 'POST',
    path: '/api/account/linked/start',
    body: ssoStartInput,
    access: 'signed-in',
    verified: true,
    limit: 'create',
    errors: ['FEATURE_DISABLED', 'ACCOUNT_UNVERIFIED', 'SSO_UNAVAILABLE'],
    response: z.object({ url: z.string() }),
  },
  /** Ends it with what the service sent back. */
  finish: {
    method: 'POST',
    path: '/api/account/linked',
    body: ssoReturnInput,
    access: 'signed-in',
    verified: true,
    limit: 'create',
    errors: [
      'FEATURE_DISABLED',
      'ACCOUNT_UNVERIFIED',
      'LINK_STATE_INVALID',
      'SSO_REFUSED',
      'SSO_UNAVAILABLE',
      'IDENTITY_TAKEN',
      'ALREADY_LINKED',
    ],
    response: z.object({ name: z.string() }),
  },
  unlink: {
    method: 'DELETE',
    path: '/api/account/linked/:id',
    params: z.object({ id }),
    access: 'signed-in',
    errors: ['NOT_FOUND', 'LAST_WAY_IN'],
  },
});

const card = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Where to join; null if it is no longer offered. */
  invite_url: z.nullable(z.string()),
  members: z.nullable(z.int()),
  credits: amount,
  pays_members: z.boolean(),
  /** Since when joining counts. */
  since: z.nullable(isoTime),
  state: z.enum(['open', 'vesting', 'held', 'rejected', 'kept', 'left', 'used']),
  claimed_at: z.nullable(isoTime),
  vests_at: z.nullable(isoTime),
  ended_at: z.nullable(isoTime),
  taken: z.int(),
  unlinked: z.boolean(),
});
export type J4rCard = z.infer<typeof card>;

/** Join for rewards (behaviour 4.3). */
export const j4r = group({
  page: {
    method: 'GET',
    path: '/api/earn/j4r',
    access: 'signed-in',
    flag: 'j4r_enabled',
    errors: [],
    response: z.object({
      available: z.boolean(),
      linked: z.nullable(z.object({ name: z.string(), relink: z.boolean() })),
      earned_today: z.int(),
      cap: z.int(),
      budget_spent: z.boolean(),
      vesting_days: z.int(),
      servers: z.array(card),
    }),
  },
  /** Asks Discord whether the caller has joined, and pays. */
  claim: {
    method: 'POST',
    path: '/api/earn/j4r/:id/claim',
    params: z.object({ id }),
    access: 'signed-in',
    verified: true,
    flag: 'j4r_enabled',
    limit: 'create',
    idempotent: true,
    errors: [
      'NOT_FOUND',
      'J4R_NOT_LINKED',
      'J4R_RELINK',
      'J4R_ALREADY_PAID',
      'J4R_NOT_MEMBER',
      'J4R_PENDING',
      'J4R_MEMBER_BEFORE',
      'DISCORD_TOO_YOUNG',
      'DAILY_CAP_REACHED',
      'BUDGET_SPENT',
      'PROVIDER_UNAVAILABLE',
      'ACCOUNT_UNVERIFIED',
    ],
    response: z.object({ state: z.enum(['paid', 'held']), credits: amount, balance: z.int() }),
  },
});
