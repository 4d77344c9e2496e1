import * as z from 'zod/mini';
import { amount, listQuery, paging, isoTime } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

/** The state of a referral, for its two users. `qualified`: it pays as soon as the obstacle in `reason` is gone. */
const state = z.enum(['pending', 'qualified', 'paid', 'held', 'rejected']);
const reason = z.nullable(
  z.enum([
    'shared',
    'circular',
    'newcomer_gone',
    'referrer_gone',
    'monthly_max',
    'budget',
    'cap',
    'unverified',
    'review',
  ]),
);

export const referrals = group({
  page: {
    method: 'GET',
    path: '/api/earn/referrals',
    summary: 'Get your referrals',
    query: z.object({ page: listQuery.page, per_page: listQuery.per_page }),
    access: 'signed-in',
    flag: 'referrals_enabled',
    errors: [],
    response: z.object({
      /** Null until one is created. */
      code: z.nullable(z.string()),
      /** The registration page with the code in it. */
      link: z.nullable(z.string()),
      /** Newest first. Of a newcomer only the name is revealed. */
      list: z.array(z.object({ id: z.string(), username: z.string(), at: isoTime, state, reason, credits: amount })),
      paging,
      totals: z.object({ invited: z.int(), paid: z.int(), credits: amount }),
      month: z.object({ rewarded: z.int(), max: z.int() }),
      terms: z.object({
        newcomer: amount,
        referrer: amount,
        min_age_hours: z.int(),
        afk_minutes: z.int(),
        verification: z.boolean(),
      }),
      /** The caller's own referral: their reward, and what is missing for it. */
      own: z.nullable(
        z.object({
          state,
          reason,
          credits: amount,
          checks: z.object({ verified: z.boolean(), age: z.boolean(), active: z.boolean() }),
        }),
      ),
    }),
  },
  makeCode: {
    method: 'POST',
    path: '/api/earn/referrals/code',
    summary: 'Make your referral code',
    access: 'signed-in',
    verified: true,
    idempotent: true,
    flag: 'referrals_enabled',
    errors: ['ACCOUNT_UNVERIFIED'],
    response: z.object({ code: z.string() }),
  },
});
