import * as z from 'zod/mini';
import { SOURCE_NAMES } from '../earning-sources.ts';
import { CONFIRMATIONS } from '../confirmation.ts';
import { RESOURCE_KINDS } from '../constants.ts';
import { PAST_CURSOR } from '../past-cursor.ts';
import { codeBatchInput } from '../schemas/code-batch.ts';
import { adjustmentInput } from '../schemas/adjustment.ts';
import { USER_CURSOR, USER_IDS, USER_SEEN, USER_SORTS, USER_STATES } from '../schemas/people.ts';
import { id, listQuery, queryInt, isoTime, text } from '../schemas/primitives.ts';
import { statementAnswer, statementQuery } from './account.ts';
import { badge } from './community.ts';
import { group } from './endpoint.ts';

const one = z.object({ id });
const role = z.object({ name: z.string(), color: z.string() });
const bool = z.enum(['true', 'false']);
/** A sum of credits, and the greatest part of it. */
const lately = <N extends z.ZodMiniType<string>>(name: N) =>
  z.object({ credits: z.int(), most: z.nullable(z.object({ name, credits: z.int() })) });
const meter = z.object({ used: z.int(), limit: z.int() });

/** What the list of users is narrowed to, its order, and the cursor that the page follows or ends in front of. */
export const userListQuery = z.object({
  q: listQuery.q,
  per_page: listQuery.per_page,
  sort: z.optional(z.enum(USER_SORTS.flatMap((name) => [name, `-${name}`]))),
  role: z.optional(id),
  status: z.optional(z.enum(USER_STATES)),
  debt: z.optional(bool),
  /** Only those whose address is not confirmed. */
  unverified: z.optional(z.literal('true')),
  /** The second factor is on, or is not. */
  factor: z.optional(bool),
  /** Only those who never paid for anything with credits. */
  unspent: z.optional(z.literal('true')),
  /** Only those last seen then; the order is by that, whatever `sort` says. */
  seen: z.optional(z.enum(USER_SEEN)),
  after: z.optional(z.string().check(z.regex(USER_CURSOR, 'INVALID'))),
  before: z.optional(z.string().check(z.regex(USER_CURSOR, 'INVALID'))),
});

/** The users whom somebody selected on a page of the list. */
const userIds = z.string().check(z.regex(USER_IDS, 'INVALID'));

/** Users for staff (behaviour 8.3): their economy. */
export const adminUsers = group({
  list: {
    method: 'GET',
    path: '/api/admin/users',
    summary: 'List users',
    query: userListQuery,
    access: 'admin.users.list',
    errors: ['VALIDATION_FAILED'],
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
          verified: z.boolean(),
          factor: z.boolean(),
          /** They paid for something with credits at least once. */
          spent: z.boolean(),
          created_at: isoTime,
          /** Last request of a session; null where none is known. */
          seen_at: z.nullable(isoTime),
        }),
      ),
      /**
       * Where the neighbouring pages are: `before` or `after` of the next question; null: there is none. Users are
       * counted up to a thousand; `more`: there are more.
       */
      paging: z.object({
        per_page: z.int(),
        total: z.int(),
        more: z.boolean(),
        before: z.nullable(z.string()),
        after: z.nullable(z.string()),
      }),
      roles: z.array(z.object({ id, name: z.string() })),
    }),
  },
  exportCsv: {
    method: 'GET',
    path: '/api/admin/users/export.csv',
    summary: 'Export users',
    description: 'Everybody who matches, as CSV; with `ids`, separated by commas, only those of them.',
    query: z.extend(userListQuery, { ids: z.optional(userIds) }),
    format: 'csv',
    access: 'admin.users.list',
    errors: ['VALIDATION_FAILED'],
  },
  find: {
    method: 'GET',
    path: '/api/admin/users/find',
    summary: 'Find a user by name, address or Discord account',
    description: 'Exactly one of the parameters. The answer has what a bot or a shop needs to go on.',
    query: z.object({
      /** A username or an e-mail address, whole. */
      login: z.optional(text(1, 254)),
      discord_id: z.optional(z.string().check(z.regex(/^\d{5,25}$/, 'INVALID'))),
    }),
    access: 'admin.users.list',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
    response: z.object({
      user: z.object({
        id,
        username: z.string(),
        email: z.string(),
        status: z.enum(USER_STATES),
        role: z.string(),
        credits: z.int(),
        held: z.int(),
        debt: z.int(),
        verified: z.boolean(),
        discord_id: z.nullable(z.string()),
      }),
    }),
  },
  get: {
    method: 'GET',
    path: '/api/admin/users/:id',
    summary: 'Get a user',
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
      time_zone: z.nullable(z.string()),
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
      /** What the user reads to support, while it is good. */
      /** The badge beside their name, by which players know them. */
      badge,
      support_pin: z.nullable(z.object({ pin: z.string(), expires_at: isoTime })),
      /** Who invited them. */
      referrer: z.nullable(z.object({ id, username: z.string() })),
      /** Credits of the last thirty days from rewards, and most of them by which kind of transaction. */
      earned: lately(z.string()),
      /** Credits of the last thirty days for purchases and servers without what came back, and most of them on what. */
      spent: lately(z.enum(['store', 'renewal'])),
      /** Money that they paid without refunds, by currency; null for who may not list payments. */
      paid: z.nullable(z.array(z.object({ currency: z.string(), minor: z.int(), orders: z.int() }))),
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
    summary: 'List a user’s credit movements',
    params: one,
    query: statementQuery,
    access: 'admin.users.edit',
    errors: ['NOT_FOUND'],
    response: statementAnswer,
  },
  statementCsv: {
    method: 'GET',
    path: '/api/admin/users/:id/statement.csv',
    summary: 'Export a user’s credit movements',
    params: one,
    query: statementQuery,
    format: 'csv',
    access: 'admin.users.edit',
    errors: ['NOT_FOUND'],
  },
  adjust: {
    method: 'POST',
    path: '/api/admin/users/:id/adjust',
    summary: 'Give or take credits',
    description:
      'With a `reference` of yours (an order, an invoice) it happens once, however often it is sent: later calls answer `repeated`. The same reference for another user or amount is refused with DUPLICATE_REFERENCE.',
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
      'WALLET_FULL',
      'DUPLICATE_REFERENCE',
      'VALIDATION_FAILED',
    ],
    /** `repeated`: it had happened before, and nothing moved. */
    response: z.object({ balance: z.int(), repeated: z.optional(z.boolean()) }),
  },
  refund: {
    method: 'POST',
    path: '/api/admin/users/:id/purchases/:purchase/refund',
    summary: 'Refund a store purchase',
    description: 'The credits return and the limit goes down.',
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
    summary: 'Create redeem codes in bulk',
    body: codeBatchInput,
    access: 'admin.redeem.codes.create',
    limit: 'create',
    idempotent: true,
    errors: ['VALIDATION_FAILED', 'APPROVAL_REQUIRED'],
    secret: true,
    response: z.object({ codes: z.array(z.string()) }),
  },
});

/** Who redeemed a code. */
export const adminRedemptions = group({
  list: {
    method: 'GET',
    path: '/api/admin/redeem-codes/:id/redemptions',
    summary: 'List the redemptions of a code',
    description: 'Newest first, 50 at a time.',
    params: one,
    query: z.object({ before: z.optional(z.string().check(z.regex(PAST_CURSOR, 'INVALID'))) }),
    access: 'admin.redeem.codes.list',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
    /** `older`: where the next page begins; null: there is none. */
    response: z.object({
      rows: z.array(z.object({ id, user: z.object({ id, username: z.string() }), credits: z.int(), at: isoTime })),
      older: z.nullable(z.string()),
    }),
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
    summary: 'Get the economy',
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
    summary: 'Export the economy',
    query: span,
    format: 'csv',
    access: 'admin.economy.view',
    errors: [],
  },
  setEnabled: {
    method: 'POST',
    path: '/api/admin/economy/set-enabled',
    summary: 'Turn an earning source on or off',
    body: z.strictObject({ source: z.enum(SOURCE_NAMES), enabled: z.boolean() }),
    access: 'admin.economy.edit',
    errors: [],
  },
});
