import { define, type Migration } from './migration.ts';

/** What is counted of tickets in a span of time lies along when it happened (behaviour 7.3). */
export const ticketReports: Migration = {
  name: '0071_ticket_reports',
  up: (step) =>
    define(step, [
      'CREATE INDEX tickets_by_created ON tickets (created_ms)',
      'CREATE INDEX tickets_by_closed ON tickets (closed_ms) WHERE closed_ms IS NOT NULL',
      'CREATE INDEX tickets_by_rated ON tickets (rated_ms) WHERE rated_ms IS NOT NULL',
    ]),
};
