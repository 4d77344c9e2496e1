import * as z from 'zod/mini';
import { declareEvent } from './declare.ts';

/** A reward that staff, or the time it had to wait, decided. */
const heldReward = z.object({
  userId: z.string(),
  /** Null where the account is gone. */
  username: z.nullable(z.string()),
  heldRewardId: z.string(),
  /** The reference under which the reward was ordered. */
  reference: z.string(),
  source: z.string(),
  amount: z.number(),
  /** Of the signals of abuse when it was held. */
  score: z.number(),
});

/** What moves credits. Amounts are whole credits, above 0 unless said otherwise. */
export const CREDIT_EVENTS = {
  /** A reward was put on hold. Parts that join a reward on hold are not said again. */
  'reward.held': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), heldRewardId: z.string(), source: z.string(), amount: z.number() }),
    outside: ['userId', 'heldRewardId', 'source', 'amount'],
    description: 'A reward waits for staff.',
    notifications: [
      {
        kind: 'rewardHeld',
        to: ({ userId }) => userId,
        data: ({ amount }) => ({ cost: amount }),
        key: ({ heldRewardId }) => `rewardHeld:${heldRewardId}`,
      },
    ],
  }),
  /** A reward on hold was paid. */
  'reward.released': declareEvent({
    version: 1,
    payload: heldReward,
    outside: ['userId', 'heldRewardId', 'source', 'amount'],
    description: 'A reward that waited was paid.',
    notifications: [
      {
        kind: 'rewardReleased',
        to: ({ userId }) => userId,
        data: ({ amount }) => ({ cost: amount }),
        key: ({ heldRewardId }) => `rewardReleased:${heldRewardId}`,
      },
    ],
    audit: {
      action: 'held_rewards.release',
      target: ({ heldRewardId }) => heldRewardId,
      before: ({ username, source, amount, score }) => ({ username, source, amount, score }),
      after: () => ({ state: 'release' }),
    },
  }),
  /** A reward on hold went back to its source. */
  'reward.rejected': declareEvent({
    version: 1,
    payload: heldReward,
    outside: ['userId', 'heldRewardId', 'source', 'amount'],
    description: 'A reward that waited was refused.',
    notifications: [
      {
        kind: 'rewardRejected',
        to: ({ userId }) => userId,
        data: ({ amount }) => ({ cost: amount }),
        key: ({ heldRewardId }) => `rewardRejected:${heldRewardId}`,
      },
    ],
    audit: {
      action: 'held_rewards.reject',
      target: ({ heldRewardId }) => heldRewardId,
      before: ({ username, source, amount, score }) => ({ username, source, amount, score }),
      after: () => ({ state: 'reject' }),
    },
  }),
  /** A user gave credits to another. `amount` is what arrives. */
  'gift.sent': declareEvent({
    version: 1,
    payload: z.object({
      senderId: z.string(),
      senderName: z.string(),
      recipientId: z.string(),
      recipientName: z.string(),
      amount: z.number(),
      /** What the sender wrote, or ''. */
      note: z.string(),
    }),
    outside: ['senderId', 'recipientId', 'amount'],
    description: 'A user gave credits to another; `amount` is what arrived.',
    notifications: [
      {
        kind: 'giftReceived',
        when: ({ note }) => note === '',
        to: ({ recipientId }) => recipientId,
        data: ({ senderName, amount, note }) => ({ name: senderName, cost: amount, note }),
      },
      {
        kind: 'giftReceivedNote',
        when: ({ note }) => note !== '',
        to: ({ recipientId }) => recipientId,
        data: ({ senderName, amount, note }) => ({ name: senderName, cost: amount, note }),
      },
      {
        kind: 'giftSent',
        to: ({ senderId }) => senderId,
        data: ({ recipientName, amount }) => ({ name: recipientName, cost: amount }),
      },
    ],
  }),
  /** An order was paid and its credits are there. */
  'order.credited': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), orderId: z.string(), amount: z.number() }),
    outside: ['userId', 'orderId', 'amount'],
    description: 'An order was paid and its credits were added.',
    notifications: [
      {
        kind: 'creditsAdded',
        to: ({ userId }) => userId,
        data: ({ amount }) => ({ cost: amount }),
        key: ({ orderId }) => `creditsAdded:${orderId}`,
      },
    ],
  }),
  /** Money of an order went back to the payer, and its credits with it. */
  'order.credits_taken': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), orderId: z.string(), amount: z.number(), reference: z.string() }),
    outside: ['userId', 'orderId', 'amount'],
    description: 'Money of an order went back, and its credits were taken.',
    notifications: [
      {
        kind: 'paymentTaken',
        to: ({ userId }) => userId,
        data: ({ amount }) => ({ cost: amount }),
        key: ({ reference }) => reference,
      },
    ],
  }),
  /** Money of an order came home after all (a dispute that was won), and its credits with it. */
  'order.credits_returned': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), orderId: z.string(), amount: z.number(), reference: z.string() }),
    outside: ['userId', 'orderId', 'amount'],
    description: 'Money of an order came back after a dispute, and its credits were added again.',
    notifications: [
      {
        kind: 'paymentReturned',
        to: ({ userId }) => userId,
        data: ({ amount }) => ({ cost: amount }),
        key: ({ reference }) => reference,
      },
    ],
  }),
  /** What was bought in the store was taken back for its price. */
  'purchase.refunded': declareEvent({
    version: 1,
    payload: z.object({
      userId: z.string(),
      purchaseId: z.string(),
      /** What was bought, and how much of it. */
      kind: z.string(),
      quantity: z.number(),
      total: z.number(),
    }),
    outside: ['userId', 'purchaseId', 'kind', 'quantity', 'total'],
    description: 'Staff took a purchase of the store back for its price.',
    notifications: [
      {
        kind: 'purchaseRefunded',
        to: ({ userId }) => userId,
        data: ({ total }) => ({ cost: total }),
        key: ({ purchaseId }) => `store.refund:${purchaseId}`,
      },
    ],
    audit: {
      action: 'store.refund',
      target: ({ purchaseId }) => purchaseId,
      before: ({ userId, kind, quantity, total }) => ({ userId, kind, quantity, total }),
    },
  }),
  /** Staff gave or took credits; `amount` is below 0 where they took. */
  'credits.adjusted': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), adjustmentId: z.string(), amount: z.number(), reason: z.string() }),
    outside: ['userId', 'amount'],
    description: 'Staff gave credits, or took them where `amount` is below 0.',
    notifications: [
      {
        kind: 'adjustmentIn',
        when: ({ amount }) => amount > 0,
        to: ({ userId }) => userId,
        data: ({ amount, reason }) => ({ cost: amount, reason }),
        key: ({ adjustmentId }) => `adjustment:${adjustmentId}`,
      },
      {
        kind: 'adjustmentOut',
        when: ({ amount }) => amount < 0,
        to: ({ userId }) => userId,
        data: ({ amount, reason }) => ({ cost: -amount, reason }),
        key: ({ adjustmentId }) => `adjustment:${adjustmentId}`,
      },
    ],
  }),
};
