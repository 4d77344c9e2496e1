import { define, type Migration } from './migration.ts';

/**
 * What the review of the money paths asked for: how much of a held reward counts on which day, and indexes of the
 * payments that need somebody.
 */
export const moneyReview: Migration = {
  name: '0019_money_review',
  up: (step) =>
    define(step, [
      // Null for rewards that were held before: their share of a day is not given back.
      'ALTER TABLE held_rewards ADD COLUMN counted_day TEXT',
      'ALTER TABLE held_rewards ADD COLUMN counted INTEGER NOT NULL DEFAULT 0',
      "CREATE INDEX payment_events_stuck ON payment_events (received_ms, id) WHERE outcome = 'received' AND reason IS NOT NULL",
      'CREATE INDEX payment_orders_failure ON payment_orders (updated_ms, id) WHERE failure IS NOT NULL',
    ]),
};
