import { define, type Migration } from './migration.ts';

/** A delivery that staff send again has all its attempts and its whole time once more. */
export const deliveriesSentAgain: Migration = {
  name: '0210_deliveries_sent_again',
  up: (step) =>
    define(step, [
      'ALTER TABLE webhook_deliveries ADD COLUMN tries_before INTEGER NOT NULL DEFAULT 0',
      'ALTER TABLE webhook_deliveries ADD COLUMN resent_ms INTEGER',
    ]),
};
