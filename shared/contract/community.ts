import * as z from 'zod/mini';
import { AVATARS, BACKGROUNDS, BADGES, PROFILE_FIELDS } from '../profile.ts';
import { BOARDS } from '../leaderboard.ts';
import { boardQuery, giftInput, lookupQuery, privacyInput } from '../schemas/community.ts';
import { amount, id, isoTime } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const role = z.object({ name: z.string(), color: z.string() });
/** The badge beside a name; `role` where it is that of the role. */
export const badge = z.nullable(z.object({ kind: z.enum(['role', 'supporter']), role: z.nullable(role) }));

const entry = z.object({
  rank: z.int(),
  id: z.string(),
  username: z.string(),
  score: z.int(),
  /** Whether the profile may be opened. */
  linked: z.boolean(),
  badge,
});

/** The leaderboard (behaviour 7.1). */
export const leaderboard = group({
  get: {
    method: 'GET',
    path: '/api/leaderboard',
    summary: 'Get the leaderboard',
    query: boardQuery,
    access: 'signed-in',
    flag: 'leaderboard_enabled',
    errors: [],
    response: z.object({
      board: z.enum(BOARDS),
      places: z.array(entry),
      /** Number of players on this board. */
      players: z.int(),
      own: z.object({
        score: z.int(),
        /** Null: not on the board (nothing to count, or hidden). */
        rank: z.nullable(z.int()),
        /** What is missing to the next higher score; null if there is none. */
        to_next: z.nullable(z.int()),
        hidden: z.boolean(),
      }),
    }),
  },
});

const stat = z.nullable(z.int());
/** Profiles and the search for players (behaviour 7.2). Hidden players get the same answer as unknown ones. */
export const profiles = group({
  get: {
    method: 'GET',
    path: '/api/profiles/:id',
    summary: 'Get a user’s public profile',
    params: z.object({ id }),
    access: 'signed-in',
    flag: 'allow_public_profiles',
    errors: ['NOT_FOUND'],
    response: z.object({
      id: z.string(),
      username: z.string(),
      own: z.boolean(),
      /** Others may open it. */
      public: z.boolean(),
      avatar: z.enum(AVATARS),
      background: z.enum(BACKGROUNDS),
      /** The parts that the owner shows; all other parts below are null. */
      fields: z.array(z.enum(PROFILE_FIELDS)),
      badge,
      role: z.nullable(role),
      /** Whether they are an early supporter (behaviour 4.7). */
      supporter: z.nullable(z.boolean()),
      since: z.nullable(isoTime),
      /** Address of the skin; null if it is not shown, or is the default one. */
      skin: z.nullable(z.string()),
      rank: stat,
      credits: stat,
      month: stat,
      afk: stat,
      servers: stat,
      referrals: stat,
      giftable: z.boolean(),
    }),
  },
  lookup: {
    method: 'GET',
    path: '/api/lookup',
    summary: 'Find players by name',
    query: lookupQuery,
    access: 'signed-in',
    flag: 'allow_public_profiles',
    limit: 'lookup',
    errors: ['RATE_LIMITED'],
    /** The first ones by name; `more`: there are others. */
    response: z.object({
      people: z.array(z.object({ id: z.string(), username: z.string(), badge })),
      more: z.boolean(),
    }),
  },
  privacy: {
    method: 'GET',
    path: '/api/account/privacy',
    summary: 'Get your privacy settings',
    access: 'signed-in',
    errors: [],
    response: z.object({
      leaderboard: z.boolean(),
      profile: z.boolean(),
      fields: z.array(z.enum(PROFILE_FIELDS)),
      avatar: z.enum(AVATARS),
      background: z.enum(BACKGROUNDS),
      /** The chosen one, if it is still theirs. */
      badge: z.enum(BADGES),
      role,
      /** Whether there is the badge of early supporters to show. */
      supporter: z.boolean(),
    }),
  },
  setPrivacy: {
    method: 'PUT',
    path: '/api/account/privacy',
    summary: 'Change your privacy settings',
    body: privacyInput,
    access: 'signed-in',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
  },
});

/** Gifts of credits (behaviour 5.4). */
export const gifts = group({
  form: {
    method: 'GET',
    path: '/api/gifts/:id',
    summary: 'Get what a gift to a user may be',
    params: z.object({ id }),
    access: 'signed-in',
    flag: 'allow_coins_sharing',
    errors: ['RECIPIENT_UNAVAILABLE', 'GIFT_TO_SELF'],
    response: z.object({
      recipient: z.object({ id: z.string(), username: z.string(), badge }),
      balance: z.int(),
      min: z.int(),
      max: z.int(),
      fee_percent: z.int(),
      /** What may still be sent today; null: no cap. */
      left_today: z.nullable(z.int()),
      /** Since when, or from when on, the account may send. */
      opens_at: isoTime,
      open: z.boolean(),
    }),
  },
  send: {
    method: 'POST',
    path: '/api/gifts',
    summary: 'Give credits to another user',
    body: giftInput,
    access: 'signed-in',
    verified: true,
    flag: 'allow_coins_sharing',
    idempotent: true,
    errors: [
      'RECIPIENT_UNAVAILABLE',
      'GIFT_TO_SELF',
      'GIFT_CAP_REACHED',
      'RECIPIENT_CAP_REACHED',
      'SENDER_TOO_YOUNG',
      'PRICE_CHANGED',
      'INSUFFICIENT_CREDITS',
      'SPENDING_BLOCKED',
      'ACCOUNT_FROZEN',
      'ACCOUNT_UNVERIFIED',
      'VALIDATION_FAILED',
    ],
    response: z.object({ amount, fee: amount, total: amount, balance: z.int(), username: z.string() }),
  },
});
