import * as z from 'zod/mini';
import { redeemInput } from '../schemas/earn.ts';
import { amount, id, text, isoTime } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const afkState = z.object({
  /** Now, by the server's clock. */
  now: isoTime,
  /** The running session of this user, in any tab or device; null if none runs. */
  session: z.nullable(
    z.object({
      id: z.string(),
      device: z.string(),
      started_at: isoTime,
      earned: z.int(),
      counted_ms: z.int(),
      next_payout_ms: z.int(),
    }),
  ),
  earned_today: z.int(),
  /** Credits a user may earn a day; 0 = no cap. */
  cap: z.int(),
  per_minute: z.int(),
  /** Paid today to all users, and the installation's budget; 0 = no budget. */
  budget_used: z.int(),
  budget: z.int(),
  /** When the day's counters start again. */
  resets_at: isoTime,
  week: z.array(z.object({ day: z.string(), credits: z.int() })),
  /** Credits that wait for review (behaviour 4.6). */
  held: z.int(),
});
export type AfkState = z.infer<typeof afkState>;

export const afk = group({
  state: {
    method: 'GET',
    path: '/api/earn/afk',
    summary: 'Get your AFK session and earnings',
    access: 'signed-in',
    flag: 'afk_enabled',
    errors: [],
    response: afkState,
  },
  start: {
    method: 'POST',
    path: '/api/earn/afk/start',
    summary: 'Start an AFK session',
    description: 'Takes over from any other tab or device.',
    access: 'signed-in',
    verified: true,
    idempotent: true,
    flag: 'afk_enabled',
    limit: 'afk',
    errors: ['DAILY_CAP_REACHED', 'BUDGET_SPENT', 'ACCOUNT_UNVERIFIED', 'AD_BLOCKER'],
    response: z.object({ session_id: z.string(), took_over: z.nullable(z.string()), state: afkState }),
  },
  stream: {
    method: 'GET',
    path: '/api/earn/afk/:id/stream',
    summary: 'Stream an AFK session',
    description: 'Challenges, payouts, and at last why the session ended.',
    params: z.object({ id }),
    format: 'events',
    events: {
      challenge: z.object({ challenge: z.string() }),
      paid: z.object({ earned: z.int(), balance: z.int() }),
      ended: z.object({
        reason: z.enum(['taken_over', 'cap', 'budget', 'idle', 'stopped', 'disabled']),
        device: z.nullable(z.string()),
      }),
    },
    access: 'signed-in',
    flag: 'afk_enabled',
    limit: 'stream',
    errors: ['AFK_SESSION_ENDED', 'RATE_LIMITED'],
  },
  beat: {
    method: 'POST',
    path: '/api/earn/afk/:id/beat',
    summary: 'Answer an AFK challenge',
    description: "Answers the latest challenge of the stream. Time counts only between beats, by the server's clock.",
    params: z.object({ id }),
    body: z.strictObject({ challenge: text(1, 100) }),
    access: 'signed-in',
    flag: 'afk_enabled',
    limit: 'afk',
    errors: ['AFK_SESSION_ENDED', 'AFK_TAKEN_OVER', 'AFK_CHALLENGE_WRONG'],
    response: z.object({ counted_ms: z.int(), next_payout_ms: z.int(), earned: z.int(), earned_today: z.int() }),
  },
  stop: {
    method: 'POST',
    path: '/api/earn/afk/stop',
    summary: 'Stop your AFK session',
    access: 'signed-in',
    flag: 'afk_enabled',
    errors: [],
  },
});

export const redeem = group({
  history: {
    method: 'GET',
    path: '/api/earn/redeem',
    summary: 'List the codes you redeemed',
    access: 'signed-in',
    flag: 'code_redemption_enabled',
    errors: [],
    response: z.object({
      history: z.array(z.object({ id: z.string(), code: z.string(), credits: amount, at: isoTime })),
      tries_left: z.int(),
      earned_today: z.int(),
      cap: z.int(),
      budget_spent: z.boolean(),
    }),
  },
  redeem: {
    method: 'POST',
    path: '/api/earn/redeem',
    summary: 'Redeem a code',
    body: redeemInput,
    access: 'signed-in',
    verified: true,
    flag: 'code_redemption_enabled',
    idempotent: true,
    errors: [
      'CODE_UNKNOWN',
      'CODE_DISABLED',
      'CODE_NOT_STARTED',
      'CODE_EXPIRED',
      'CODE_EXHAUSTED',
      'CODE_ALREADY_USED',
      'CODE_OWN',
      'ACCOUNT_TOO_YOUNG',
      'DAILY_CAP_REACHED',
      'BUDGET_SPENT',
      'RATE_LIMITED',
      'ACCOUNT_UNVERIFIED',
    ],
    /** `held`: the credits wait for review (behaviour 4.6). */
    response: z.object({ credits: amount, balance: z.int(), state: z.enum(['paid', 'held']) }),
  },
});
