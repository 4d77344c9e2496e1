import { describe } from 'bun:test';
import { departments } from '#shared/resources/departments.ts';
import { ENGINES } from '#tests/support/db.ts';
import { crudSuite } from '../crud-suite.ts';

describe.each(ENGINES)('departments (%s)', (engine) => {
  crudSuite(
    departments,
    {
      input: (n) => ({
        name: `Row ${String(n).padStart(2, '0')}`,
        description: `No. ${n}`,
        hours: `No. ${n}`,
        position: (n * 5) % 7,
        enabled: n % 2 === 0,
      }),
      change: { description: 'Changed', position: 77, enabled: false },
      bad: [
        [{ name: '' }, 'name', 'REQUIRED'],
        [{ name: 'a'.repeat(81) }, 'name', 'TOO_LONG'],
      ],
      unique: { field: 'name', code: 'NAME_TAKEN' },
      depend: {
        tickets: async ({ db }, id) => {
          const ticket = crypto.randomUUID();
          await db.sql(
            `INSERT INTO tickets (id, number, user_id, department_id, subject, priority, status, messages, answered_seq, read_seq, created_ms, since_ms, updated_ms)
             VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM tickets), 'user', ?, 'Lag', 'normal', 'closed', 1, 0, 0, 0, 0, 0) RETURNING id`,
            [ticket, id],
          );
        },
      },
      text: 'description',
    },
    engine,
  );
});
