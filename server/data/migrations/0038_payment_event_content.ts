import { define, type Migration } from './migration.ts';

/** What an event of a gateway says, and that its order has to be checked, under the words of the code. */
export const paymentEventContent: Migration = {
  name: '0038_payment_event_content',
  up: (step) =>
    define(step, [
      'ALTER TABLE payment_events RENAME COLUMN notice TO content',
      // As `JSON.stringify` writes it: inside a value its quotes would be escaped.
      `UPDATE payment_events SET content = replace(content, '"kind":"look"', '"kind":"check"')
        WHERE content LIKE '%"kind":"look"%'`,
    ]),
};
