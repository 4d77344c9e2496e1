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
    summary: 'List your linked accounts',
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
  startDiscord: {
    method: 'POST',
    path: '/api/account/linked/discord/start',
    summary: 'Start linking Discord',
    description: 'Answers with the address of Discord’s consent page.',
    access: 'signed-in',
    verified: true,
    limit: 'create',
    errors: ['FEATURE_DISABLED', 'ACCOUNT_UNVERIFIED', 'CONFIRM_REQUIRED'],
    response: z.object({ url: z.string() }),
  },
  finishDiscord: {
    method: 'POST',
    path: '/api/account/linked/discord',
    summary: 'Finish linking Discord',
    description: 'With the parameters of Discord’s redirect.',
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
  start: {
    method: 'POST',
    path: '/api/account/linked/start',
    summary: 'Start linking an account',
    description: 'Answers with the address of the provider’s consent page.',
    body: ssoStartInput,
    access: 'signed-in',
    verified: true,
    limit: 'create',
    errors: ['FEATURE_DISABLED', 'ACCOUNT_UNVERIFIED', 'CONFIRM_REQUIRED', 'SSO_UNAVAILABLE'],
    response: z.object({ url: z.string() }),
  },
  finish: {
    method: 'POST',
    path: '/api/account/linked',
    summary: 'Finish linking an account',
    description: 'With what the provider sent back.',
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
    summary: 'Unlink an account',
    params: z.object({ id }),
    access: 'signed-in',
    errors: ['NOT_FOUND', 'LAST_WAY_IN', 'CONFIRM_REQUIRED'],
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
    summary: 'List Discord servers to join for rewards',
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
  claim: {
    method: 'POST',
    path: '/api/earn/j4r/:id/claim',
    summary: 'Claim the reward for joining',
    description: 'Asks Discord whether the caller has joined, and pays.',
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
