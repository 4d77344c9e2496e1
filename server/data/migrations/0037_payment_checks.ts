import { define, type Migration } from './migration.ts';

/** How often a gateway was asked about an order, and when next, under the words of the code. */
export const paymentChecks: Migration = {
  name: '0037_payment_checks',
  up: (step) =>
    define(step, [
      'ALTER TABLE payment_orders RENAME COLUMN looks TO checks',
      'ALTER TABLE payment_orders RENAME COLUMN look_ms TO next_check_ms',
      // Made anew under its new name: SQLite cannot rename an index.
      'DROP INDEX payment_orders_look',
      'CREATE INDEX payment_orders_next_check ON payment_orders (next_check_ms) WHERE next_check_ms IS NOT NULL',
    ]),
};
