import { define, type Migration } from './migration.ts';

/**
 * Steps of the server queue, what its entries wait for, and what is sent about capacity, under the words of the code.
 * Keys of what was sent before stay, so that nothing is sent twice.
 */
export const queueWords: Migration = {
  name: '0036_queue_words',
  up: (step) =>
    define(step, [
      'ALTER TABLE server_queue RENAME COLUMN held_since_ms TO waiting_since_ms',
      "UPDATE server_queue_log SET code = 'started' WHERE code = 'claimed'",
      "UPDATE server_queue_log SET code = 'postponed' WHERE code = 'held'",
      "UPDATE notifications SET kind = 'capacityFree' WHERE kind = 'roomFree'",
      "UPDATE mails SET template = 'capacityFree' WHERE template = 'roomFree'",
    ]),
};
