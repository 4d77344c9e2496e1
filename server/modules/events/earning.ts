import * as z from 'zod/mini';
import type { NotificationKind } from '#shared/notifications.ts';
import { iso } from '#shared/time.ts';
import { declareEvent, type EventNotification } from './declare.ts';

const referralPaid = z.object({
  userId: z.string(),
  /** Who is paid: the one who was referred, or the one who referred them. */
  side: z.enum(['newcomer', 'referrer']),
  /** Username of the other one, or '' where the account is gone. */
  name: z.string(),
  amount: z.number(),
  /** Whether the reward is on hold. */
  held: z.boolean(),
  /** The ledger's. */
  reference: z.string(),
});
type ReferralPaid = z.infer<typeof referralPaid>;

const referralNotification = (
  kind: NotificationKind,
  when: (payload: ReferralPaid) => boolean,
): EventNotification<ReferralPaid> => ({
  kind,
  when,
  to: ({ userId }) => userId,
  data: ({ name, amount }) => ({ name, cost: amount }),
  key: ({ reference }) => reference,
});

/** What happens to rewards of single sources of earning. */
export const EARNING_EVENTS = {
  /** Somebody left a Discord server whose reward had to stay there; `amount` is what could be clawed back, 0 or more. */
  'j4r.clawed_back': declareEvent({
    version: 1,
    formerly: 'j4r.taken_back',
    payload: z.object({ userId: z.string(), claimId: z.string(), server: z.string(), amount: z.number() }),
    outside: ['userId', 'amount'],
    description: 'A user left a Discord server too early and lost the reward for joining it.',
    notifications: [
      {
        kind: 'j4rClawedBack',
        to: ({ userId }) => userId,
        data: ({ server, amount }) => ({ server, cost: amount }),
        key: ({ claimId }) => `j4rClawedBack:${claimId}`,
      },
    ],
  }),
  /** Nobody can be asked any more whether somebody stays; said at each check until they link again, or `untilMs`. */
  'j4r.unlinked': declareEvent({
    version: 1,
    payload: z.object({
      userId: z.string(),
      claimId: z.string(),
      server: z.string(),
      amount: z.number(),
      untilMs: z.number(),
    }),
    outside: [],
    notifications: [
      {
        kind: 'j4rUnlinked',
        to: ({ userId }) => userId,
        data: ({ server, amount, untilMs }) => ({ server, cost: amount, until: iso(untilMs) }),
        key: ({ claimId }) => `j4rUnlinked:${claimId}`,
      },
    ],
  }),
  /** One side of a referral was paid, or its reward put on hold. */
  'referral.paid': declareEvent({
    version: 1,
    payload: referralPaid,
    outside: ['userId', 'side', 'amount', 'held'],
    description: 'One side of a referral was rewarded.',
    notifications: [
      referralNotification('referralNewcomerPaid', ({ side, held }) => side === 'newcomer' && !held),
      referralNotification('referralNewcomerHeld', ({ side, held }) => side === 'newcomer' && held),
      referralNotification('referralReferrerPaid', ({ side, held }) => side === 'referrer' && !held),
      referralNotification('referralReferrerHeld', ({ side, held }) => side === 'referrer' && held),
    ],
  }),
  /** An early supporter was paid, or their reward put on hold. */
  'supporter.paid': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), amount: z.number(), held: z.boolean(), reference: z.string() }),
    outside: ['userId', 'amount', 'held'],
    description: 'An early supporter was rewarded.',
    notifications: [
      {
        kind: 'earlySupporterPaid',
        when: ({ held }) => !held,
        to: ({ userId }) => userId,
        data: ({ amount }) => ({ cost: amount }),
        key: ({ reference }) => reference,
      },
      {
        kind: 'earlySupporterHeld',
        when: ({ held }) => held,
        to: ({ userId }) => userId,
        data: ({ amount }) => ({ cost: amount }),
        key: ({ reference }) => reference,
      },
    ],
  }),
  /** Somebody registered with a code that nobody has; `code` as it was typed, cut to what can be shown. */
  'referral.code_unknown': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), code: z.string() }),
    outside: [],
    notifications: [{ kind: 'referralUnknown', to: ({ userId }) => userId, data: ({ code }) => ({ code }) }],
  }),
};
