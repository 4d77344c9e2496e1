import { TICKET_PRIORITIES, TICKET_STATUSES } from '#shared/tickets.ts';
import { define, oneOf, type Migration } from './migration.ts';

/**
 * Tickets (behaviour 7.3) and what was written in them. `since_ms`: since when a ticket stands where it stands, or was
 * answered last; `messages`: the number of its last line; `answered_seq`, `read_seq`: of staff's last answer, and of
 * the last line that its user has read. Each list of staff's inbox has an index of its own.
 */
export const tickets: Migration = {
  name: '0067_tickets',
  up: async (step) => {
    await define(step, [
      'CREATE TABLE ticket_counter (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), last INTEGER NOT NULL)STRICT',
      `CREATE TABLE tickets (
        id TEXT NOT NULL PRIMARY KEY,
        number INTEGER NOT NULL UNIQUE CHECK (number > 0),
        user_id TEXT NOT NULL,
        department_id TEXT NOT NULL,
        subject TEXT NOT NULL,
        ${oneOf('priority', TICKET_PRIORITIES)},
        ${oneOf('status', TICKET_STATUSES)},
        server_id TEXT,
        assignee_id TEXT,
        messages INTEGER NOT NULL CHECK (messages > 0),
        answered_seq INTEGER NOT NULL,
        read_seq INTEGER NOT NULL,
        created_ms INTEGER NOT NULL,
        since_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL,
        first_answer_ms INTEGER,
        closed_ms INTEGER
      )STRICT`,
      'CREATE INDEX tickets_of_user ON tickets (user_id, updated_ms, id)',
      "CREATE INDEX tickets_open_of_user ON tickets (user_id) WHERE status <> 'closed'",
      "CREATE INDEX tickets_inbox ON tickets (since_ms, id) WHERE status = 'open'",
      "CREATE INDEX tickets_unassigned ON tickets (since_ms, id) WHERE status = 'open' AND assignee_id IS NULL",
      "CREATE INDEX tickets_waiting ON tickets (since_ms, id) WHERE status IN ('answered', 'waiting')",
      "CREATE INDEX tickets_on_hold ON tickets (since_ms, id) WHERE status = 'on_hold'",
      "CREATE INDEX tickets_closed ON tickets (since_ms, id) WHERE status = 'closed'",
      "CREATE INDEX tickets_closed_in ON tickets (department_id, since_ms, id) WHERE status = 'closed'",
      "CREATE INDEX tickets_mine ON tickets (assignee_id, since_ms, id) WHERE status <> 'closed'",
      'CREATE INDEX tickets_in ON tickets (department_id)',
      'CREATE INDEX tickets_answered_in ON tickets (department_id, created_ms) WHERE first_answer_ms IS NOT NULL',
      `CREATE TABLE ticket_messages (
        id TEXT NOT NULL PRIMARY KEY,
        ticket_id TEXT NOT NULL REFERENCES tickets (id) ON DELETE CASCADE,
        seq INTEGER NOT NULL CHECK (seq > 0),
        ${oneOf('kind', ['user', 'staff', 'note', 'event'])},
        author_id TEXT,
        text TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        UNIQUE (ticket_id, seq)
      )STRICT`,
    ]);
    await step.raw.run('INSERT INTO ticket_counter (id, last) VALUES (1, 1000)');
  },
};
