import * as z from 'zod/mini';
import { REASON_CODES } from '../abuse.ts';
import { SOURCE_NAMES } from '../earning-sources.ts';
import { appealInput } from '../schemas/abuse.ts';
import { amount, id, listQuery, paging, text, isoTime } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const STATES = ['open', 'released', 'rejected'] as const;
const source = z.enum(SOURCE_NAMES);
const state = z.enum(STATES);

const heldReward = z.object({
  id: z.string(),
  source,
  amount,
  /** Which one: a code, a server. */
  subject: z.nullable(z.string()),
  state,
  /** Released automatically at this time if nothing speaks against it; null: staff decide. */
  release_at: z.nullable(isoTime),
  held_at: isoTime,
  decided_at: z.nullable(isoTime),
  note: z.nullable(z.string()),
});
export type HeldReward = z.infer<typeof heldReward>;

/**
 * A user's own rewards on hold, open and decided (behaviour 4.6). The reason is not revealed: it would reveal other
 * accounts (attacks T19).
 */
export const heldRewards = group({
  list: {
    method: 'GET',
    path: '/api/account/held-rewards',
    summary: 'List your rewards on hold',
    access: 'signed-in',
    errors: [],
    response: z.object({ rewards: z.array(heldReward), waiting: z.int() }),
  },
  appeal: {
    method: 'POST',
    path: '/api/account/held-rewards/:id/note',
    summary: 'Write to staff about a reward on hold',
    params: z.object({ id }),
    body: appealInput,
    access: 'signed-in',
    errors: ['NOT_FOUND', 'HOLD_CLOSED', 'APPEAL_SENT', 'VALIDATION_FAILED'],
  },
});

const staffRow = z.object({
  ...heldReward.shape,
  username: z.string(),
  /** Number of rewards it consists of. */
  parts: z.int(),
  cause: z.enum(['score', 'proof']),
  score: z.int(),
  /**
   * The explanation: points of each reason, and the number of other accounts (or days); null if there is nothing to
   * count.
   */
  reasons: z.array(z.object({ code: z.enum(REASON_CODES), weight: z.int(), count: z.nullable(z.int()) })),
  decided_by: z.nullable(z.string()),
  noted_at: z.nullable(isoTime),
  /** The caller's own: somebody else has to decide on it. */
  own: z.boolean(),
});
export type StaffHeldReward = z.infer<typeof staffRow>;

const decision = z.enum(['release', 'reject']);
/** Maximum rewards per command. */
const DECIDE_MAX = 100;

/** Held rewards, for staff. */
export const adminHeldRewards = group({
  list: {
    method: 'GET',
    path: '/api/admin/held-rewards',
    summary: 'List rewards on hold',
    query: z.object({
      page: listQuery.page,
      per_page: listQuery.per_page,
      q: listQuery.q,
      sort: z.optional(z.enum(['created', '-created', 'score', '-score', 'amount', '-amount'])),
      state: z.optional(state),
      source: z.optional(source),
      note: z.optional(z.enum(['true', 'false'])),
    }),
    access: 'admin.rewards.held.list',
    errors: [],
    response: z.object({ rows: z.array(staffRow), paging, open: z.object({ count: z.int(), credits: z.int() }) }),
  },
  decide: {
    method: 'POST',
    path: '/api/admin/held-rewards/:id/decide',
    summary: 'Decide on a reward on hold',
    params: z.object({ id }),
    body: z.strictObject({ decision }),
    access: 'admin.rewards.held.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'HOLD_CLOSED', 'FORBIDDEN'],
  },
  decideMany: {
    method: 'POST',
    path: '/api/admin/held-rewards/decide',
    summary: 'Decide on several rewards on hold',
    description: "Each is decided independently; `refused` counts those already decided, gone, or the caller's own.",
    body: z.strictObject({
      ids: z.array(id).check(z.minLength(1, 'REQUIRED'), z.maxLength(DECIDE_MAX, 'TOO_LARGE')),
      decision,
    }),
    access: 'admin.rewards.held.edit',
    idempotent: true,
    errors: ['VALIDATION_FAILED'],
    response: z.object({ done: z.int(), refused: z.int() }),
  },
});

/** The challenge that a browser solves before a guarded command (behaviour 4.6). */
export const challenge = group({
  offer: {
    method: 'GET',
    path: '/api/challenge',
    summary: 'Get a challenge to solve',
    query: z.object({ action: z.enum(['register', 'login', 'link', 'report']) }),
    access: 'open',
    limit: 'challenge',
    fresh: true,
    errors: ['RATE_LIMITED'],
    response: z.object({
      kind: z.enum(['off', 'altcha', 'turnstile']),
      /** ALTCHA's challenge as JSON; '' for another kind. */
      puzzle: z.string(),
      /** Turnstile's public key, and the address of its script; '' for another kind. */
      site_key: z.string(),
      script: z.string(),
    }),
  },
});

/** The ad-blocker check: the browser fetches something that ad blockers block, and submits its content. */
export const adCheck = group({
  bait: {
    method: 'GET',
    path: '/api/ads/banner-ad.txt',
    summary: 'Get the file of the ad-blocker check',
    format: 'text',
    access: 'signed-in',
    errors: [],
  },
  confirm: {
    method: 'POST',
    path: '/api/earn/ad-check',
    summary: 'Pass the ad-blocker check',
    body: z.strictObject({ token: text(1, 200) }),
    access: 'signed-in',
    errors: ['AD_BLOCKER'],
  },
});
