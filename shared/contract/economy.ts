import * as z from 'zod/mini';
import { SOURCE_NAMES } from '../earning-sources.ts';
import { CONFIRMATIONS } from '../confirmation.ts';
import { RESOURCE_KINDS } from '../constants.ts';
import { codeBatchInput } from '../schemas/code-batch.ts';
import { adjustmentInput } from '../schemas/adjustment.ts';
import { USER_SORTS, USER_STATES } from '../schemas/people.ts';
import { id, listQuery, paging, queryInt, isoTime } from '../schemas/primitives.ts';
import { statementAnswer, statementQuery } from './account.ts';
import { group } from './endpoint.ts';

const one = z.object({ id });
const role = z.object({ name: z.string(), color: z.string() });
const bool = z.enum(['true', 'false']);
const meter = z.object({ used: z.int(), limit: z.int() });

/** Users for staff (behaviour 8.3): their economy. */
export const adminUsers = group({
  list: {
    method: 'GET',
    path: '/api/admin/users',
    query: z.object({
      ...listQuery,
      sort: z.optional(z.enum(USER_SORTS.flatMap((name) => [name, `-${name}`]))),
      role: z.optional(id),
      status: z.optional(z.enum(USER_STATES)),
      debt: z.optional(bool),
      /** Only those whose address is not confirmed. */
      unverified: z.optional(z.literal('true')),
    }),
    access: 'admin.users.list',
    errors: [],
    response: z.object({
      rows: z.array(
        z.object({
          id,
          username: z.string(),
          email: z.string(),
          status: z.enum(USER_STATES),
          role,
          credits: z.int(),
          debt: z.int(),
          created_at: isoTime,
          /** Last request of any of the user's stored sessions. */
          seen_at: z.nullable(isoTime),
        }),
      ),
      paging,
      roles: z.array(z.object({ id, name: z.string() })),
    }),
  },
  get: {
    method: 'GET',
    path: '/api/admin/users/:id',
    params: one,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND'],
    response: z.object({
      id,
      username: z.string(),
      email: z.string(),
      first_name: z.string(),
      last_name: z.string(),
      locale: z.string(),
      confirmation: z.enum(CONFIRMATIONS),
      status: z.enum(USER_STATES),
      ban_reason: z.nullable(z.string()),
      banned_until: z.nullable(isoTime),
      banned_at: z.nullable(isoTime),
      /** Username; null for the command line. */
      banned_by: z.nullable(z.string()),
      /** The caller may ban them and end their sessions. */
      manageable: z.boolean(),
      /** The caller may view as them (behaviour 8.3). */
      viewable: z.boolean(),
      role_id: id,
      /** Every role that there is, by rank. */
      roles: z.array(z.object({ id, name: z.string() })),
      role,
      created_at: isoTime,
      seen_at: z.nullable(isoTime),
      limits: z.object(
        Object.fromEntries(RESOURCE_KINDS.map((kind) => [kind, meter])) as Record<
          (typeof RESOURCE_KINDS)[number],
          typeof meter
        >,
      ),
      balance: z.int(),
      held: z.int(),
      debt: z.int(),
      purchases: z.array(
        z.object({
          id,
          kind: z.enum(RESOURCE_KINDS),
          units: z.int(),
          quantity: z.int(),
          total: z.int(),
          at: isoTime,
          refunded_at: z.nullable(isoTime),
        }),
      ),
    }),
  },
  statement: {
    method: 'GET',
    path: '/api/admin/users/:id/statement',
    params: one,
    query: statementQuery,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND'],
    response: statementAnswer,
  },
  statementCsv: {
    method: 'GET',
    path: '/api/admin/users/:id/statement.csv',
    params: one,
    query: statementQuery,
    format: 'csv',
    access: 'admin.users.edit',
    errors: ['NOT_FOUND'],
  },
  /** Adjusts credits with a reason (behaviour 2). */
  adjust: {
    method: 'POST',
    path: '/api/admin/users/:id/adjust',
    params: one,
    body: adjustmentInput,
    access: 'admin.users.edit',
    idempotent: true,
    errors: [
      'NOT_FOUND',
      'CONFLICT',
      'FORBIDDEN',
      'APPROVAL_REQUIRED',
      'INSUFFICIENT_CREDITS',
      'SPENDING_BLOCKED',
      'ACCOUNT_FROZEN',
      'VALIDATION_FAILED',
    ],
    response: z.object({ balance: z.int() }),
  },
  /** Refunds a purchase of the store: credits return, the limit goes down (behaviour 5.1). */
  refund: {
    method: 'POST',
    path: '/api/admin/users/:id/purchases/:purchase/refund',
    params: z.object({ id, purchase: id }),
    access: 'admin.users.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'ALREADY_REFUNDED', 'PURCHASE_IN_USE'],
  },
});

/** Creates redeem codes in bulk: all of them or none. */
export const adminCodeBatch = group({
  create: {
    method: 'POST',
    path: '/api/admin/redeem-codes/batch',
    body: codeBatchInput,
    access: 'admin.redeem.codes.create',
    limit: 'create',
    idempotent: true,
    errors: ['VALIDATION_FAILED', 'APPROVAL_REQUIRED'],
    secret: true,
    response: z.object({ codes: z.array(z.string()) }),
  },
});

const daily = z.array(z.int());
const count = z.object({ count: z.int(), credits: z.int() });
const span = z.object({ days: z.optional(queryInt(1, 366)) });

/** The economy in figures, and its kill switches (behaviour 8.2). */
export const adminEconomy = group({
  get: {
    method: 'GET',
    path: '/api/admin/economy',
    query: span,
    access: 'admin.economy.view',
    errors: [],
    response: z.object({
      /** Days of `app_timezone`, oldest first, today last; the figures by day are in the same order. */
      days: z.array(z.string()),
      /** Amounts minted to users and burnt by system account. */
      flows: z.array(z.object({ account: z.string(), minted: daily, burnt: daily })),
      circulation: daily,
      /** Share of all credits that was spent or transferred; null while there are none. */
      velocity: z.nullable(z.number()),
      /** Credits reserved for work that may fail. */
      reserved: count,
      /** The part of them that are rewards on hold. */
      held: count,
      sources: z.array(
        z.object({ source: z.enum(SOURCE_NAMES), enabled: z.boolean(), used: z.int(), budget: z.int() }),
      ),
      earners: z.array(z.object({ id, username: z.string(), credits: z.int() })),
      forecast: z.nullable(z.object({ per_day: z.int(), later: z.int(), basis: z.int() })),
    }),
  },
  export: {
    method: 'GET',
    path: '/api/admin/economy/export.csv',
    query: span,
    format: 'csv',
    access: 'admin.economy.view',
    errors: [],
  },
  /** Turns an earning source on or off. */
  setEnabled: {
    method: 'POST',
    path: '/api/admin/economy/set-enabled',
    body: z.strictObject({ source: z.enum(SOURCE_NAMES), enabled: z.boolean() }),
    access: 'admin.economy.edit',
    errors: [],
  },
});
