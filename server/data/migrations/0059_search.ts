import { define, type Migration } from './migration.ts';

/** Servers are found by the port of their address (behaviour 8.2): what follows its last sign that is no digit. */
export const search: Migration = {
  name: '0059_search',
  up: (step) =>
    define(step, [
      "CREATE INDEX servers_by_port ON servers ((substr(address, length(rtrim(address, '0123456789')) + 1))) WHERE deleted_ms IS NULL",
    ]),
};
