import * as z from 'zod/mini';
import { linkReturnInput, linkStartInput } from '../schemas/links.ts';
import { amount, isoTime } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

export const links = group({
  page: {
    method: 'GET',
    path: '/api/earn/links',
    summary: 'List links for rewards',
    access: 'signed-in',
    flag: 'links_enabled',
    errors: [],
    response: z.object({
      providers: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          credits: amount,
          used: z.int(),
          /** Rewards a day; 0 = no bound. */
          daily: z.int(),
          min_seconds: z.int(),
          max_minutes: z.int(),
          /** Whether it proves that the visitor completed the link; without proof rewards may be put on hold. */
          proves: z.boolean(),
          open: z.nullable(z.object({ url: z.nullable(z.string()), ready_at: isoTime, expires_at: isoTime })),
          wait: z.nullable(z.object({ reason: z.enum(['cooldown', 'daily']), until: isoTime })),
        }),
      ),
      history: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          credits: amount,
          at: isoTime,
          state: z.enum(['open', 'paid', 'held', 'expired', 'rejected']),
        }),
      ),
      earned_today: z.int(),
      cap: z.int(),
      budget_spent: z.boolean(),
      resets_at: isoTime,
    }),
  },
  start: {
    method: 'POST',
    path: '/api/earn/links/start',
    summary: 'Start a link for a reward',
    description: 'Or goes on with the open one. `url` is its address.',
    body: linkStartInput,
    access: 'signed-in',
    flag: 'links_enabled',
    verified: true,
    limit: 'create',
    idempotent: true,
    errors: [
      'LINK_UNAVAILABLE',
      'LINK_COOLDOWN',
      'DAILY_CAP_REACHED',
      'BUDGET_SPENT',
      'LINK_CLAIM_OVER',
      'LINK_BUSY',
      'LINK_PROVIDER_FAILED',
      'ACCOUNT_UNVERIFIED',
      'AD_BLOCKER',
      'CHALLENGE_REQUIRED',
      'CHALLENGE_FAILED',
      'CHALLENGE_UNAVAILABLE',
    ],
    response: z.object({ url: z.string() }),
  },
  finish: {
    method: 'POST',
    path: '/api/earn/links/finish',
    summary: 'Claim the reward of a link',
    description: 'With the parameters of the return address.',
    body: linkReturnInput,
    access: 'signed-in',
    flag: 'links_enabled',
    verified: true,
    limit: 'create',
    idempotent: true,
    errors: [
      'LINK_CLAIM_UNKNOWN',
      'LINK_CLAIM_USED',
      'LINK_CLAIM_OVER',
      'LINK_TOO_SOON',
      'LINK_BUSY',
      'LINK_NOT_CONFIRMED',
      'LINK_UNSURE',
      'LINK_UNAVAILABLE',
      'DAILY_CAP_REACHED',
      'BUDGET_SPENT',
      'ACCOUNT_UNVERIFIED',
    ],
    response: z.object({ provider: z.string(), credits: amount, state: z.enum(['paid', 'held']), balance: z.int() }),
  },
});
