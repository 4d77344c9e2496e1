import { define, type Migration } from './migration.ts';

/**
 * Staff's inbox at a million tickets (behaviour 7.3): every list has an index, and another where it is narrowed to a
 * department, so that a page reads its own rows only; the tags of tickets.
 */
export const ticketInbox: Migration = {
  name: '0071_ticket_inbox',
  up: (step) =>
    define(step, [
      "CREATE INDEX tickets_inbox_in ON tickets (department_id, since_ms, id) WHERE status = 'open'",
      "CREATE INDEX tickets_unassigned_in ON tickets (department_id, since_ms, id) WHERE status = 'open' AND assignee_id IS NULL",
      "CREATE INDEX tickets_waiting_in ON tickets (department_id, since_ms, id) WHERE status IN ('answered', 'waiting')",
      "CREATE INDEX tickets_on_hold_in ON tickets (department_id, since_ms, id) WHERE status = 'on_hold'",
      "CREATE INDEX tickets_mine_in ON tickets (assignee_id, department_id, since_ms, id) WHERE status <> 'closed'",
      'CREATE INDEX tickets_all ON tickets (since_ms, id)',
      'CREATE INDEX tickets_all_in ON tickets (department_id, since_ms, id)',
      // The one before it begins with the same column.
      'DROP INDEX tickets_in',
      `CREATE TABLE ticket_tags (
        ticket_id TEXT NOT NULL REFERENCES tickets (id) ON DELETE CASCADE,
        tag TEXT NOT NULL,
        PRIMARY KEY (ticket_id, tag)
      )KEYED`,
      'CREATE INDEX ticket_tags_by_tag ON ticket_tags (tag, ticket_id)',
    ]),
};
