import * as z from 'zod/mini';
import { amount, isoTime, listQuery, paging } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';
import { meters, serverView, sharedServerView } from './server-views.ts';

export const dashboard = group({
  get: {
    method: 'GET',
    path: '/api/dashboard',
    summary: 'Get your dashboard',
    query: z.object({ page: listQuery.page, per_page: listQuery.per_page }),
    access: 'signed-in',
    errors: [],
    response: z.object({
      now: isoTime,
      balance: z.int(),
      earned_today: z.int(),
      earned_30_days: z.int(),
      /** Balance at the end of each of the last 30 days, oldest first. */
      history: z.array(z.int()),
      afk: z.nullable(z.object({ earned_today: z.int(), cap: z.int() })),
      meters,
      /** One page of them. */
      servers: z.array(serverView),
      paging,
      /** Servers, of all, that are suspended for being unpaid or expire within three days. */
      needing_credits: z.int(),
      /** Servers of others that the caller works on. */
      shared: z.array(sharedServerView),
      renew_cost: amount,
      due: amount,
      statement: z.array(
        z.object({
          id: z.string(),
          at: isoTime,
          kind: z.string(),
          subject: z.nullable(z.string()),
          amount: z.int(),
          balance_after: z.int(),
          counterpart: z.string(),
        }),
      ),
      /** The places of early supporters (behaviour 4.7), and how it stands with the caller; null: the feature is off. */
      early_supporters: z.nullable(
        z.object({
          left: z.int(),
          count: z.int(),
          credits: amount,
          state: z.enum(['pending', 'qualified', 'paid', 'held', 'refused']),
          /** What a qualified reward waits for. */
          reason: z.nullable(z.enum(['budget', 'cap', 'unverified'])),
          terms: z.object({ min_age_hours: z.int(), afk_minutes: z.int(), verification: z.boolean() }),
          /** What the caller has done of it; null once all of it. */
          checks: z.nullable(z.object({ verified: z.boolean(), age: z.boolean(), active: z.boolean() })),
        }),
      ),
      /** What to do next, most urgent first (`dashboard:next.<code>`). */
      next: z.array(
        z.object({
          code: z.string(),
          subject: z.nullable(z.string()),
          amount: z.nullable(z.int()),
          at: z.nullable(isoTime),
          route: z.string(),
          id: z.nullable(z.string()),
        }),
      ),
    }),
  },
});
